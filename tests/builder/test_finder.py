"""The things that a description means: by their properties, order, place, and by “it” and “that”."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from builder.acting.acts import Place
from builder.meaning.finder import Finder, Finding, find
from builder.parser.sentence import parse
from builder.world.memory import KnownThing, Memory
from builder.world.things import things_in
from builder.world.world import World
from lib.logical_form import Form
from lib.voxels.generator import generate
from lib.voxels.generator_options import Options
from lib.voxels.mask import keys_of
from lib.voxels.overlap import iou
from tests.support.builder_worlds import (
    BALL,
    BLUE_CUBE,
    RED_CUBE,
    SMALL_GROUND,
    TOWER,
    UP,
    WOOL,
    Said,
    cells,
    four_things,
    looking_at,
    world_of,
    world_with,
)
from tests.support.forms import LOOKED_AT, ME, YOU, most

NAMES = {RED_CUBE[2]: "red cube", BLUE_CUBE[2]: "blue cube", BALL[2]: "ball", TOWER[2]: "tower"}
RED, BLUE = cells(*RED_CUBE[1:]), cells(*BLUE_CUBE[1:])
AT_BLUE = looking_at(12.5, 10.5)


def finding(what: str | Form, text: str = "", *, world: World | None = None, memory: Memory | None = None) -> Finding:
    """The finding for a description in words, as after “destroy”, or for a form with these words."""
    if isinstance(what, str):
        text = f"destroy {what}"
    form = parse(text.split())["event_sequence"][0]["reference_object"] if isinstance(what, str) else what
    return find(world or four_things(), memory or Memory(), form, text.split())


def names(things: Sequence[Any]) -> list[str]:
    return [NAMES[one.low] for one in things]


def chosen(what: str | Form, text: str = "", **more: Any) -> list[str]:
    return names(finding(what, text, **more).chosen)


def made(*things: tuple[frozenset[Place], str], one_command: bool = False) -> Memory:
    """A memory of cubes that the agent made one after the other."""
    memory = Memory()
    for number, (voxels, name) in enumerate(things, 1):
        memory.add_thing(KnownThing(voxels, name, by="agent", command=1 if one_command else number))
    return memory


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("the red cube", ["red cube"]),
        ("the blue thing", ["blue cube"]),
        ("the sphere", ["ball"]),
        ("the ball", ["ball"]),
        ("the pillar", ["tower"]),
        ("the small cube", ["blue cube"]),
        ("the bigger cube", ["red cube"]),
        ("the wool cubes", ["blue cube", "red cube"]),
        ("the gold cube", []),
        ("the green cube", []),
        ("the house", []),
        ("the thing 8 blocks high", ["tower"]),
        ("the thing that is 2 blocks wide and yellow", ["tower"]),
        ("the round thing", ["ball"]),
        ("the big red cube", ["red cube"]),
        ("the tiny tower", ["tower"]),
        ("everything that is not red", ["blue cube", "tower"]),
        ("all blue or yellow things", ["blue cube", "tower"]),
        ("the cube that is not red", ["blue cube"]),
        ("the tallest thing", ["tower"]),
        ("the smallest thing", ["blue cube"]),
        ("the biggest thing", ["ball"]),
        ("the two tallest things", ["tower", "ball"]),
        ("the second tallest thing", ["ball"]),
        ("the second cube", ["red cube"]),
        ("the thing closest to you", ["red cube"]),
        ("the thing closest to me", ["blue cube"]),
        ("the thing farthest from me", ["tower"]),
        ("the thing to the left of the red cube", ["blue cube"]),
        ("the cube to the right of the blue cube", ["red cube"]),
        ("the thing behind the red cube", ["tower"]),
        ("the thing in front of the tower", ["red cube"]),
        ("the thing on top of the tower", []),
        ("the cube between the red cube and the ball", ["blue cube"]),
        ("all cubes near the house", []),
        ("all cubes in the world", ["blue cube", "red cube"]),
    ],
)
def test_a_description_means_these_things(text: str, meant: list[str]) -> None:
    assert chosen(text) == meant


@pytest.mark.parametrize(
    ("text", "wanted", "candidates"),
    [
        ("the cube", 1, 2),
        ("the cubes", 2, 2),
        ("every cube", 2, 2),
        ("two cubes", 2, 2),
        ("five cubes", 5, 2),
        ("the second cube", 1, 1),
    ],
)
def test_as_many_are_wanted_as_the_words_say(text: str, wanted: int, candidates: int) -> None:
    found = finding(text)
    assert (found.wanted, len(found.candidates), len(found.all)) == (wanted, candidates, 2)


SAID = Said("five blue most 8 blocks named round cube")
MOST_BLUE = {"num_blocks": {"block_filters": SAID.filters(SAID.coloured("blue"))}}
LOW = {"input_left": {"attribute": "HEIGHT"}, "input_right": {"value": SAID.span("five")}}


@pytest.mark.parametrize(
    ("ref", "meant"),
    [
        ({"text_span": SAID.span("cube")}, ["blue cube"]),
        (SAID.thing(SAID.clause("has_shape", "round")), ["ball"]),
        (SAID.thing(SAID.named("cube"), selector={"return_quantity": "RANDOM"}), ["blue cube"]),
        (
            SAID.thing(SAID.named("cube"), selector={"return_quantity": {"random": SAID.span("five")}}),
            ["blue cube", "red cube"],
        ),
        *(
            (SAID.thing({"comparison_type": kind, **LOW}, selector={"return_quantity": "ALL"}), meant)
            for kind, meant in (
                ("GREATER_THAN", ["tower"]), ("LESS_THAN", ["blue cube", "red cube"]), ("EQUAL", ["ball"]),
                ("NOT_EQUAL", ["blue cube", "red cube", "tower"]), ("GREATER_THAN_EQUAL", ["ball", "tower"]),
                ("LESS_THAN_EQUAL", ["blue cube", "red cube", "ball"]), ("CLOSE_TO", ["ball"]),
            )
        ),
        ({"filters": {"selector": most("X")}}, ["ball"]),
        ({"filters": {"selector": most({"linear_extent": {"source": {"reference_object": ME}}})}}, ["tower"]),
        (SAID.thing(selector=most(MOST_BLUE)), ["blue cube"]),
        ({"filters": {"selector": most("BORN_TIME")}}, ["blue cube"]),
        ({"special_reference": {"coordinates_span": [0, [0, 2]]}}, []),
    ],
)  # fmt: skip
def test_a_form_means_these_things(ref: Form, meant: list[str]) -> None:
    memory = made((RED, "cube"), (BLUE, "cube"), one_command=True)
    assert chosen(ref, " ".join(SAID.tokens), memory=memory) == meant


def test_a_thing_on_another_is_over_it_and_the_other_is_under_it() -> None:
    world = world_with(RED_CUBE, worker=UP)
    world.grid[5, SMALL_GROUND + 3, 11] = WOOL["blue"]
    memory = made((frozenset({(5, SMALL_GROUND + 3, 11)}), "block"))
    for text, low in (
        ("thing on top of the red cube", (5, SMALL_GROUND + 3, 11)),
        ("thing under the blue block", RED_CUBE[2]),
    ):
        assert [one.low for one in finding(f"the {text}", world=world, memory=memory).chosen] == [low]


# Names, “it” and “that” ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "meant"), [("home", ["tower"]), ("the favorite thing", [])])
def test_things_are_found_by_their_tags(text: str, meant: list[str]) -> None:
    memory = Memory()
    memory.tag(cells(*TOWER[1:]), {"home"})
    assert chosen(text, memory=memory) == meant


@pytest.mark.parametrize("word", ["house", "hut", "cottage"])
def test_things_are_found_by_the_name_and_order_in_which_they_were_made(word: str) -> None:
    assert chosen(f"the {word}", memory=made((RED, "house"))) == ["red cube"]
    assert chosen("the second cube", memory=made((RED, "cube"), (BLUE, "cube"))) == ["blue cube"]


@pytest.mark.parametrize(
    ("word", "mentioned", "looks", "meant"),
    [
        ("it", RED, True, ["red cube"]),
        ("that", RED, True, ["blue cube"]),
        # Either word means the other thing where its own is missing.
        ("it", (), True, ["blue cube"]),
        ("that", RED, False, ["red cube"]),
        ("it", (), False, []),
        ("that", (), False, []),
        ("that castle", (), True, ["blue cube"]),
        ("the cube", (), True, ["blue cube"]),
        ("them", RED | BLUE, False, ["blue cube", "red cube"]),
    ],
)
def test_it_is_the_thing_mentioned_last_and_that_is_the_thing_looked_at(
    word: str, mentioned: frozenset[Place], looks: bool, meant: list[str]
) -> None:
    memory = Memory()
    memory.mention(mentioned)
    found = finding(word, world=four_things(**({"worker": AT_BLUE} if looks else {})), memory=memory)
    assert sorted(names(found.candidates)) == meant
    assert memory.known == []
    assert memory.mentioned == frozenset(mentioned)


def test_the_worker_can_look_into_a_hole() -> None:
    world = four_things(worker=looking_at(10, 6, down=-45.0))
    world.grid[9:12, SMALL_GROUND - 1, 4:9] = 0
    assert finding(LOOKED_AT, "that", world=world).chosen[0].is_hole


def test_the_figures_are_found() -> None:
    tagged = {"where_clause": {"AND": [{"pred_text": "has_tag", "obj_text": {"fixed_value": "SELF"}}]}}
    for ref, figure in ((ME, "worker"), (YOU, "agent"), ({"filters": tagged}, "agent")):
        assert finding(ref, "follow me").chosen[0].figure == figure


def test_the_phrase_of_a_finding_is_in_the_words_of_the_command() -> None:
    assert finding("the red cube").phrase == "the red cube"
    said = Said("destroy the cube, please")
    assert finding(said.thing(said.named("cube,")), "destroy the cube, please").phrase == "cube"


# Generated scenes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "least"),
    [
        (Options(per_scene=3, shapes=(1, 4), holes=(0, 2)), 0.99),
        (Options(per_scene=3, shapes=(3, 8), size=(32, 20, 32), holes=(0, 3)), 0.99),
        # Two things that touch may count as one.
        (Options(per_scene=3, shapes=(3, 8), gap=0), 0.9),
    ],
    ids=["few", "many", "touching"],
)
def test_the_objects_of_generated_scenes_are_found_by_their_phrases(
    options: Options, least: float, record_property: Callable[[str, object], None]
) -> None:
    hits: list[bool] = []
    absent: list[bool] = []
    for generated in generate(23, 25, options):
        world = world_of(generated)
        for example in generated.examples:
            said = Said(example.phrase)
            *colour, noun = example.phrase.removeprefix("the ").split()
            ref = said.thing(*([said.coloured(" ".join(colour))] if colour else []), said.named(noun))
            candidates = find(world, Memory(), ref, said.tokens).candidates
            if example.voxels is None:
                absent.append(not candidates)
            else:
                hits.append(bool(candidates and iou(keys_of(candidates[0].places), keys_of(example.voxels)) >= 0.5))
    record_property("found", f"{sum(hits)}/{len(hits)}")
    record_property("absent", f"{sum(absent)}/{len(absent)}")
    assert sum(hits) >= least * len(hits), f"found {sum(hits)} of {len(hits)}"
    assert sum(absent) >= least * len(absent), f"{sum(absent)} of {len(absent)} are known to be absent"


def test_a_scene_is_searched_once_for_many_descriptions() -> None:
    world, memory = four_things(), Memory()
    assert things_in(world, memory)[0].places is things_in(world, memory)[0].places
    assert Finder(world, memory, []).find_by_filters({}).all
