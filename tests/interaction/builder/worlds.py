"""Small worlds and forms for the tests of the built-in agent."""

from collections.abc import Iterable, Iterator
from typing import Any

from annotation.logical_form import Form
from interaction.builder.acts import Act, Ask, Found, Place, Say
from interaction.builder.mind import Mind
from interaction.builder.world import World

GROUND = 3
"""Where figures stand on open ground."""
RED, STONE, DIRT, GRASS, WATER = 60, 1, 9, 8, 27


def scene(
    *blocks: tuple[int, int, int, int],
    size: Place = (20, 14, 20),
    agent: tuple[int, int] = (3, 3),
    player: tuple[int, int] = (10, 4),
) -> dict[str, Any]:
    """Open ground three deep with these blocks on it; the worker looks along +z."""
    ground = [
        [x, y, z, GRASS if y == GROUND - 1 else DIRT]
        for x in range(size[0])
        for y in range(GROUND)
        for z in range(size[2])
    ]
    listed = {(x, y, z) for x, y, z, _ in blocks}
    ground = [one for one in ground if (one[0], one[1], one[2]) not in listed]
    return {
        "size": list(size),
        "blocks": ground + [list(block) for block in blocks if block[3]],
        "agent": _pose(*agent),
        "player": _pose(*player),
    }


def _pose(x: int, z: int) -> dict[str, float]:
    return {"x": x, "y": GROUND, "z": z, "pitch": 0, "yaw": 0}


def cube(x: int, z: int, side: int = 2, block: int = RED) -> list[tuple[int, int, int, int]]:
    """A cube on the ground, its least corner there."""
    return [(x + a, GROUND + b, z + c, block) for a in range(side) for b in range(side) for c in range(side)]


def built(world: World) -> set[Place]:
    """What stands above the ground."""
    found = (world.grid[:, GROUND:] != 0).nonzero()
    return {(int(x), int(y) + GROUND, int(z)) for x, y, z in zip(*found, strict=True)}


def obey(mind: Mind, form: Form, words: str = "", answers: Iterable[int] = ()) -> list[Act]:
    """All acts of a command, its questions answered in turn."""
    return list(acting(mind, form, words, answers))


def acting(mind: Mind, form: Form, words: str = "", answers: Iterable[int] = ()) -> Iterator[Act]:
    """The acts of a command one by one."""
    left = iter(answers)
    acts = mind.obey(form, words.split())
    sent: int | None = None
    try:
        while True:
            act = acts.send(sent)
            sent = next(left) if isinstance(act, Ask) else None
            yield act
    except StopIteration:
        return
    finally:
        acts.close()


def said(acts: Iterable[Act]) -> list[str]:
    return [act.text for act in acts if isinstance(act, Say)]


def found(acts: Iterable[Act]) -> list[Found]:
    return [act for act in acts if isinstance(act, Found)]


# Forms ---------------------------------------------------------------------------------------------------------


def command(*actions: Form, **rest: Any) -> Form:
    return {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": list(actions), **rest}


def action(kind: str, **keys: Any) -> Form:
    return {"action_type": kind, **keys}


def filters(**properties: Any) -> Form:
    """Filters with these properties: name=0 means that word 0 is the name, name=(0, 1) two words; text is fixed."""
    clauses = [{"pred_text": f"has_{name}", "obj_text": span(value)} for name, value in properties.items()]
    return {"filters": {"where_clause": {"AND": clauses}}}


def span(value: int | tuple[int, int] | str) -> Any:
    if isinstance(value, str):
        return {"fixed_value": value}
    first, last = (value, value) if isinstance(value, int) else value
    return [0, [first, last]]


def times(word: int) -> Form:
    """So often as this word of the command says."""
    counted = {"filters": {"output": {"attribute": "RUN_COUNT"}, "special": {"fixed_value": "THIS"}}}
    return {
        "condition_type": "COMPARATOR",
        "condition": {"comparison_type": "EQUAL", "input_left": counted, "input_right": {"value": span(word)}},
    }


def seen_from(who: str, direction: str | None = None, **rest: Any) -> Form:
    """A place seen from SPEAKER, AGENT or SPEAKER_LOOK."""
    place: Form = {"reference_object": {"special_reference": {"fixed_value": who}}, **rest}
    return place if direction is None else {**place, "relative_direction": direction}


IT: Form = {"filters": {"contains_coreference": "yes"}}
