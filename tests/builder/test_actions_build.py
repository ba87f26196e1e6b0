"""BUILD, SPAWN and FREEBUILD: the blocks that are there in the end."""

from collections import Counter
from collections.abc import Callable

import pytest

from builder.acting.actions.spawn import CREATURES
from builder.acting.acts import MOST_CHANGES, CannotDo, Edit, Go, Place, Reason
from builder.acting.shapes import KINDS, Sizes, plan_of
from builder.mind import Mind
from lib.voxels import shapes
from tests.support.builder_worlds import GROUND, RED, STONE, acting, built, command, cube, said, scene, tell
from tests.support.forms import IT, action, thing

Cells = set[Place]
FINISH = command(action("FREEBUILD", reference_object=IT))


def sides(cells: Cells) -> tuple[int, ...]:
    return tuple(max(one) - min(one) + 1 for one in zip(*cells, strict=True))


def test_a_red_cube_is_built_before_the_worker() -> None:
    mind = Mind(scene(agent=(1, 17)))
    acts = tell(mind, "build a red cube")
    cells = built(mind.world)
    assert (sides(cells), len(cells)) == ((3, 3, 3), 27)
    assert {mind.world.get(cell) for cell in cells} == {RED}
    assert min(y for _, y, _ in cells) == GROUND
    assert min(z for _, _, z in cells) > 4
    assert said(acts) == ["I built it."]
    assert mind.memory.mentioned == cells
    assert (mind.memory.known[-1].name, mind.memory.known[-1].colour) == ("cube", "red")
    # The agent walks near before it places the first block.
    first_edit = next(place for place, act in enumerate(acts) if isinstance(act, Edit))
    assert all(isinstance(act, Go) for act in acts[:first_edit])
    assert first_edit > 4
    x, _, z = mind.world.agent_cell
    assert min(max(abs(x - a), abs(z - c)) for a, _, c in cells) <= 3


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_built_as_planned(kind: str) -> None:
    mind = Mind(scene(size=(24, 20, 24)))
    tell(mind, f"build a {kind}")
    cells = built(mind.world)
    assert len(cells) == sum(block != 0 for block in plan_of(kind, Sizes(), STONE).values())
    assert not cells & mind.world.figures()


@pytest.mark.parametrize(
    ("text", "expected", "count", "sentence"),
    [
        ("build a tiny cube", (1, 1, 1), 1, "I built it."),
        ("build a small cube", (2, 2, 2), 8, "I built it."),
        ("build a big cube", (5, 5, 5), 125, "I built it."),
        ("build a huge cube", (7, 7, 7), 343, "I built it."),
        ("build a wall 4 blocks high and 5 blocks wide", (5, 4, 1), 20, "I built it."),
        ("build a big hollow cube", (5, 5, 5), 125 - 27, "I built it."),
        ("build a flat square", (4, 1, 4), 16, "I built it."),
        ("build a cube on the ground", (3, 3, 3), 27, "I built it."),
        ("build a ball with a radius of 2", (5, 5, 5), len(shapes.sphere(2)), "I built it."),
        ("build a block twice", (1, 1, 2), 2, "I built it."),
        ("build three cubes", (11, 3, 3), 3 * 27, "I built all 3."),
        ("make a copy of the cube", (2, 2, 2), 8, "I copied it."),
        ("build a wall around the cube", (6, 3, 6), 20 * 3, "I built it."),
        ("build a tower 500 blocks high", (2, 10, 2), 40, "too big"),
    ],
)
def test_words_and_measures_count(text: str, expected: tuple[int, ...], count: int, sentence: str) -> None:
    has_cube = text.endswith(" the cube")
    mind = Mind(scene(*(cube(8, 10) if has_cube else ()), size=(24, 14, 24)))
    before = built(mind.world)
    acts = tell(mind, text)
    new = built(mind.world) - before
    assert (sides(new), len(new)) == (expected, count)
    if "cubes" not in text and "twice" not in text:
        # One thing grows from below, a few blocks at a time.
        edits = [act.changes for act in acts if isinstance(act, Edit)]
        assert max(map(len, edits)) <= MOST_CHANGES
        heights = [y for changes in edits for _, y, _, _ in changes]
        assert heights == sorted(heights)
    assert any(sentence in one for one in said(acts))
    assert len(mind.memory.known) == {"build three cubes": 3, "build a block twice": 2}.get(text, 1)


def test_a_colour_that_it_lacks_is_said() -> None:
    mind = Mind(scene())
    form = command(action("BUILD", schematic=thing(colour=1, name=2)))
    acts = list(acting(mind, form, "build ultraviolettish cube"))
    assert "no ultraviolettish blocks" in said(acts)[0]
    assert len(built(mind.world)) == 27


@pytest.mark.parametrize(
    ("text", "is_there"),
    [
        ("build a cube behind me", lambda cells: max(z for _, _, z in cells) < 12),
        # The worker looks along +z, so that +x is to the left.
        ("build a sphere to the left of the cube", lambda cells: min(x for x, _, _ in cells) > 10),
        ("build a block on top of the cube", lambda cells: cells == {(9, GROUND + 2, 15)}),
        ("build a block there", lambda cells: cells <= {(10, GROUND, z) for z in (15, 16, 17)}),
    ],
)
def test_a_thing_is_built_where_the_words_say(text: str, is_there: Callable[[Cells], bool]) -> None:
    blocks = cube(9, 15) if "the cube" in text else []
    mind = Mind(scene(*blocks, player=(10, 12), size=(24, 14, 24)))
    mind.saw_player(mind.world.player._replace(pitch=-20))
    tell(mind, text)
    new = built(mind.world) - {(x, y, z) for x, y, z, _ in blocks}
    assert new
    assert is_there(new), new


def test_the_worker_is_never_built_in() -> None:
    mind = Mind(scene(size=(7, 12, 7), agent=(1, 1), player=(3, 3)))
    with pytest.raises(CannotDo, match="no room"):
        tell(mind, "build a big house at me")
    assert built(mind.world) == set()


def test_a_worker_who_walks_into_it_is_left_free() -> None:
    mind = Mind(scene())
    acts = []
    for act in acting(mind, mind.understand("build a cube"), "build a cube"):
        acts.append(act)
        if isinstance(act, Edit) and not mind.memory.known[-1].remaining(mind.world) >= built(mind.world):
            break
        if isinstance(act, Edit):
            top = max(mind.memory.known[-1].plan, key=lambda place: place[1])
            mind.saw_player(mind.world.player._replace(x=float(top[0]), y=float(top[1]), z=float(top[2])))
    assert not built(mind.world) & mind.world.figures()
    assert any("somebody stands there" in text for text in said(acts))


@pytest.mark.parametrize(
    ("text", "reason", "sentence"),
    [
        *(
            (f"{verb} {what}", Reason.WRONG_SIZE, "so small")
            for verb in ("build", "dig")
            for what in ("a 0x0 square", "a hole 0 blocks deep", "a tower zero blocks high")
        ),
        *((f"{verb} 0 cubes", Reason.NOTHING_TO_DO, "None at all") for verb in ("build", "dig", "spawn")),
        ("build a camel", Reason.UNKNOWN_KIND, "I do not know what a camel looks like."),
        ("build elephants", Reason.UNKNOWN_KIND, "I do not know what an elephant looks like."),
        ("spawn a dragon", Reason.UNKNOWN_KIND, "a dragon looks like"),
    ],
)
def test_a_command_that_cannot_be_built_changes_nothing(text: str, reason: Reason, sentence: str) -> None:
    mind = Mind(scene())
    before = mind.world.grid.copy()
    with pytest.raises(CannotDo, match=sentence) as caught:
        tell(mind, text)
    assert caught.value.reason == reason
    assert (mind.world.grid == before).all()


def test_a_copy_has_the_same_blocks() -> None:
    mind = Mind(scene((8, GROUND, 10, RED), (8, GROUND + 1, 10, STONE), (9, GROUND, 10, STONE)))
    tell(mind, "copy that")
    assert Counter(mind.world.get(cell) for cell in built(mind.world)) == {RED: 2, STONE: 4}


def test_another_one_is_like_the_last() -> None:
    mind = Mind(scene())
    tell(mind, "build a small red cube")
    list(acting(mind, command(action("BUILD", schematic=IT)), "another"))
    assert len(built(mind.world)) == 16
    assert {mind.world.get(cell) for cell in built(mind.world)} == {RED}


@pytest.mark.parametrize("animal", CREATURES)
def test_an_animal_is_a_small_figure_that_is_remembered(animal: str) -> None:
    mind = Mind(scene())
    tell(mind, f"spawn a {animal}")
    known = mind.memory.known[-1]
    assert (known.name, known.is_creature) == (animal, True)
    assert known.voxels == built(mind.world)
    assert len(known.voxels) == len(CREATURES[animal])


# Finishing ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "whole", "share"),
    [
        ("cube", shapes.cube(3), 6 / 7),
        ("pyramid", shapes.pyramid(2), 6 / 7),
        ("sphere", shapes.sphere(2), 6 / 7),
        ("cube", shapes.cube(3), 1),
    ],
)
def test_a_half_built_thing_becomes_what_it_most_resembles(kind: str, whole: shapes.Voxels, share: float) -> None:
    cells = [(x + 8, y + GROUND, z + 9) for x, y, z in whole.tolist()]
    cells.sort(key=lambda cell: (cell[1], cell[0], cell[2]))
    mind = Mind(scene(*((*cell, RED) for cell in cells[: int(len(cells) * share)])))
    acts = list(acting(mind, FINISH, "finish that"))
    assert built(mind.world) == set(cells)
    assert said(acts)[0] == (f"I think it would become a {kind}." if share < 1 else "It looks finished to me.")


def test_a_name_tells_the_shape_to_finish() -> None:
    mind = Mind(scene(*((x + 8, GROUND, z + 9, RED) for x in range(5) for z in range(5))))
    list(acting(mind, FINISH, "finish that"))
    assert len(built(mind.world)) == 25
    tell(mind, "finish that pyramid")
    assert len(built(mind.world)) == 35


def test_a_stopped_building_is_finished_as_planned_and_then_stays_as_it_is() -> None:
    mind, other = Mind(scene(size=(24, 16, 24))), Mind(scene(size=(24, 16, 24)))
    tell(other, "build a house")
    for act in acting(mind, mind.understand("build a house"), "build a house"):
        if isinstance(act, Edit):
            break
    list(acting(mind, command(action("FREEBUILD")), "finish"))
    assert (mind.world.grid == other.world.grid).all()
    assert said(tell(mind, "finish the house")) == ["It looks finished to me."]
    assert (mind.world.grid == other.world.grid).all()
