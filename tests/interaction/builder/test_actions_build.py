"""Building, copying, spawning, finishing: which blocks are there in the end."""

from collections import Counter
from typing import Any

import pytest

from annotation.logical_form import Form
from annotation.voxels import shapes
from interaction.builder.actions.spawn import CREATURES
from interaction.builder.acts import MOST_CHANGES, CannotDo, Edit, Go, Place, Why
from interaction.builder.mind import Mind
from interaction.builder.shapes_to_build import KINDS, Sizes, plan_of
from tests.interaction.builder.worlds import (
    GROUND,
    IT,
    RED,
    STONE,
    acting,
    action,
    built,
    command,
    cube,
    filters,
    obey,
    said,
    scene,
    seen_from,
    span,
    times,
)


def build(**properties: Any) -> Form:
    return action("BUILD", schematic=filters(**properties))


def sides(cells: set[Place]) -> tuple[int, ...]:
    return tuple(max(one) - min(one) + 1 for one in zip(*cells, strict=True))


def test_a_red_cube_is_built_before_the_worker() -> None:
    mind = Mind(scene())
    acts = obey(mind, command(build(colour=1, name=2)), "build red cube")
    cells = built(mind.world)
    assert sides(cells) == (3, 3, 3)
    assert len(cells) == 27
    assert {mind.world.get(cell) for cell in cells} == {RED}
    assert min(y for _, y, _ in cells) == GROUND
    assert min(z for _, _, z in cells) > 4
    assert said(acts) == ["I built it."]
    assert mind.memory.mentioned == cells
    assert mind.memory.known[-1].name == "cube"
    assert mind.memory.known[-1].colour == "red"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_built_as_planned(kind: str) -> None:
    mind = Mind(scene(size=(24, 20, 24)))
    obey(mind, command(build(name=1)), f"build {kind}")
    cells = built(mind.world)
    assert len(cells) == sum(block != 0 for block in plan_of(kind, Sizes(), STONE).values())
    assert not cells & mind.world.figures()


@pytest.mark.parametrize(("size", "side"), [("tiny", 1), ("small", 2), ("big", 5), ("huge", 7)])
def test_words_for_sizes_count(size: str, side: int) -> None:
    mind = Mind(scene())
    obey(mind, command(build(size=1, name=2)), f"build {size} cube")
    assert sides(built(mind.world)) == (side, side, side)


def test_measures_count() -> None:
    mind = Mind(scene())
    obey(mind, command(build(name=1, height=2, width=3)), "build wall four five")
    assert sides(built(mind.world)) == (5, 4, 1)


def test_a_sphere_is_the_shape_of_the_paper() -> None:
    mind = Mind(scene())
    obey(mind, command(build(name=1, radius=2)), "build ball 2")
    cells = built(mind.world)
    low = [min(one) for one in zip(*cells, strict=True)]
    assert {tuple(a - b for a, b in zip(cell, low, strict=True)) for cell in cells} == {
        tuple(one) for one in shapes.sphere(2).tolist()
    }


def test_building_grows_from_below_a_few_blocks_at_a_time() -> None:
    mind = Mind(scene())
    edits = [act for act in obey(mind, command(build(size=1, name=2)), "build big cube") if isinstance(act, Edit)]
    assert len(edits) > 3
    assert all(len(edit.changes) <= MOST_CHANGES for edit in edits)
    heights = [y for edit in edits for _, y, _, _ in edit.changes]
    assert heights == sorted(heights)


def test_it_walks_near_first() -> None:
    mind = Mind(scene(agent=(1, 17), size=(24, 14, 24)))
    acts = obey(mind, command(build(name=1)), "build cube")
    first_edit = next(place for place, act in enumerate(acts) if isinstance(act, Edit))
    assert all(isinstance(act, Go) for act in acts[:first_edit])
    assert first_edit > 4
    x, _, z = mind.world.agent_cell
    cells = built(mind.world)
    assert min(max(abs(x - a), abs(z - c)) for a, _, c in cells) <= 3


def test_several_stand_apart() -> None:
    mind = Mind(scene(size=(30, 14, 20)))
    several = {"selector": {"return_quantity": "RANDOM", "ordinal": span(1)}}
    schematic = filters(name=2)
    schematic["filters"] |= several
    acts = obey(mind, command(action("BUILD", schematic=schematic)), "build three cubes")
    assert len(built(mind.world)) == 3 * 27
    assert len([one for one in mind.memory.known if one.name == "cube"]) == 3
    assert said(acts)[-1] == "I built all 3."


def test_a_number_of_times_builds_as_many() -> None:
    mind = Mind(scene())
    again = action("BUILD", schematic=filters(name=1), terminate_condition=times(2))
    obey(mind, command(again), "build block twice")
    assert len(built(mind.world)) == 2


def test_behind_the_worker_is_behind_the_worker() -> None:
    mind = Mind(scene(player=(10, 12)))
    obey(mind, command(build(name=1) | {"location": seen_from("SPEAKER", "BACK")}), "build cube behind me")
    assert max(z for _, _, z in built(mind.world)) < 12


def test_left_of_a_thing_is_left_as_the_worker_sees_it() -> None:
    mind = Mind(scene(*cube(9, 10)))
    left = {"relative_direction": "LEFT", "reference_object": filters(name=5)}
    obey(mind, command(build(name=1) | {"location": left}), "build sphere left of cube cube")
    new = built(mind.world) - {(x, y, z) for x, y, z, _ in cube(9, 10)}
    # The worker looks along +z, so that +x is to the left.
    assert min(x for x, _, _ in new) > 10


def test_where_the_worker_looks_is_there() -> None:
    mind = Mind(scene(player=(10, 4)))
    mind.saw_player(mind.world.player._replace(pitch=-20))
    obey(mind, command(build(name=1) | {"location": seen_from("SPEAKER_LOOK")}), "build block there")
    ((x, y, z),) = built(mind.world)
    assert (x, y) == (10, GROUND)
    assert 7 <= z <= 9


def test_the_worker_is_never_built_in() -> None:
    mind = Mind(scene(size=(7, 12, 7), agent=(1, 1), player=(3, 3)))
    with pytest.raises(CannotDo, match="no room"):
        obey(mind, command(build(size=1, name=2) | {"location": seen_from("SPEAKER")}), "build big house me")
    assert built(mind.world) == set()


def test_a_worker_who_walks_into_it_is_left_free() -> None:
    mind = Mind(scene())
    acts = []
    for act in acting(mind, command(build(name=1)), "build cube"):
        acts.append(act)
        if isinstance(act, Edit) and len(acts) and not mind.memory.known[-1].now(mind.world) >= built(mind.world):
            break
        if isinstance(act, Edit):
            top = max(mind.memory.known[-1].plan, key=lambda place: place[1])
            mind.saw_player(mind.world.player._replace(x=float(top[0]), y=float(top[1]), z=float(top[2])))
    assert not built(mind.world) & mind.world.figures()
    assert any("somebody stands there" in text for text in said(acts))


def test_what_is_too_big_is_made_smaller_and_that_is_said() -> None:
    mind = Mind(scene())
    acts = obey(mind, command(build(name=1, height=2)), "build tower 500")
    assert "too big" in said(acts)[0]
    assert 5 <= sides(built(mind.world))[1] <= 14 - GROUND


@pytest.mark.parametrize(
    ("words", "told", "why"),
    [
        ("build cube 0", {"name": 1, "size": 2}, Why.WRONG_SIZE),
        ("build square 0x0", {"name": 1, "size": 2}, Why.WRONG_SIZE),
        ("build cube -3", {"name": 1, "size": 2}, Why.WRONG_SIZE),
        ("build tower zero", {"name": 1, "height": 2}, Why.WRONG_SIZE),
        ("build 0 cubes", {"name": 2, "count": 1}, Why.NOTHING_TO_DO),
    ],
)
@pytest.mark.parametrize("kind", ["BUILD", "DIG"])
def test_nothing_is_made_so_small_that_it_has_no_blocks(kind: str, words: str, told: dict[str, int], why: Why) -> None:
    count = told.get("count")
    described = filters(**{name: at for name, at in told.items() if name != "count"})
    if count is not None:
        described["filters"]["selector"] = {"return_quantity": "RANDOM", "ordinal": span(count), "same": "ALLOWED"}
    mind = Mind(scene())
    before = mind.world.grid.copy()
    with pytest.raises(CannotDo) as caught:
        obey(mind, command(action(kind, schematic=described)), words)
    assert caught.value.why == why
    assert "too big" not in str(caught.value)
    assert (mind.world.grid == before).all()


@pytest.mark.parametrize(("name", "sentence"), [("camel", "a camel"), ("elephants", "an elephant")])
def test_what_it_does_not_know_it_cannot_build(name: str, sentence: str) -> None:
    mind = Mind(scene())
    with pytest.raises(CannotDo, match=f"I do not know what {sentence} looks like."):
        obey(mind, command(build(name=1)), f"build {name}")
    assert built(mind.world) == set()


def test_a_colour_that_it_lacks_is_said() -> None:
    mind = Mind(scene())
    acts = obey(mind, command(build(colour=1, name=2)), "build ultraviolettish cube")
    assert "no ultraviolettish blocks" in said(acts)[0]
    assert len(built(mind.world)) == 27


def test_a_hollow_thing_has_nothing_inside() -> None:
    mind = Mind(scene())
    obey(mind, command(build(tag=1, size=2, name=3)), "build hollow big cube")
    assert len(built(mind.world)) == 125 - 27


def test_a_wall_around_something_leaves_a_cell_free() -> None:
    mind = Mind(scene(*cube(8, 10)))
    around = {"relative_direction": "AROUND", "reference_object": filters(name=3)}
    obey(mind, command(build(name=1) | {"location": around}), "build wall around cube")
    assert sides(built(mind.world)) == (6, 3, 6)
    assert mind.world.get((7, GROUND, 9)) == 0


# Copies, another one --------------------------------------------------------------------------------------------


def test_a_copy_has_the_same_blocks() -> None:
    tower = [(8, GROUND, 10, RED), (8, GROUND + 1, 10, STONE), (9, GROUND, 10, STONE)]
    mind = Mind(scene(*tower))
    obey(mind, command(action("BUILD", reference_object=IT | {"text_span": span(1)})), "copy that")
    assert Counter(mind.world.get(cell) for cell in built(mind.world)) == {RED: 2, STONE: 4}


def test_another_one_is_like_the_last() -> None:
    mind = Mind(scene())
    obey(mind, command(build(colour=1, size=2, name=3)), "build red small cube")
    obey(mind, command(action("BUILD", schematic=IT)), "another")
    assert len(built(mind.world)) == 16
    assert {mind.world.get(cell) for cell in built(mind.world)} == {RED}


# Animals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("animal", CREATURES)
def test_an_animal_is_a_small_figure_that_is_remembered(animal: str) -> None:
    mind = Mind(scene())
    obey(mind, command(action("SPAWN", reference_object=filters(name=1))), f"spawn {animal}s")
    known = mind.memory.known[-1]
    assert (known.name, known.is_creature) == (animal, True)
    assert known.voxels == built(mind.world)
    assert len(known.voxels) == len(CREATURES[animal])


def test_it_spawns_no_dragon() -> None:
    with pytest.raises(CannotDo, match="a dragon looks like"):
        obey(Mind(scene()), command(action("SPAWN", reference_object=filters(name=1))), "spawn dragon")


# Finishing ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "whole"),
    [("cube", shapes.cube(3)), ("pyramid", shapes.pyramid(2)), ("sphere", shapes.sphere(2))],
)
def test_a_half_built_thing_becomes_what_it_most_resembles(kind: str, whole: shapes.Voxels) -> None:
    cells = [(x + 8, y + GROUND, z + 9) for x, y, z in whole.tolist()]
    cells.sort(key=lambda cell: (cell[1], cell[0], cell[2]))
    begun = cells[: len(cells) * 6 // 7]
    mind = Mind(scene(*((*cell, RED) for cell in begun)))
    acts = obey(mind, command(action("FREEBUILD", reference_object=IT)), "finish that")
    assert built(mind.world) == set(cells)
    assert kind in said(acts)[0]


def test_a_name_says_what_it_should_become() -> None:
    foot = [(x + 8, GROUND, z + 9, RED) for x in range(5) for z in range(5)]
    mind = Mind(scene(*foot))
    obey(mind, command(action("FREEBUILD", reference_object=IT)), "finish that")
    assert len(built(mind.world)) == 25
    pyramid = filters(name=1)["filters"] | IT["filters"]
    obey(mind, command(action("FREEBUILD", reference_object={"filters": pyramid})), "finish pyramid")
    assert len(built(mind.world)) == 35


def test_what_is_whole_is_left_alone() -> None:
    mind = Mind(scene(*cube(9, 9, 3)))
    acts = obey(mind, command(action("FREEBUILD", reference_object=IT)), "finish that")
    assert said(acts) == ["It looks finished to me."]


def test_what_was_stopped_is_finished_as_planned() -> None:
    mind, other = Mind(scene(size=(24, 16, 24))), Mind(scene(size=(24, 16, 24)))
    house = command(build(name=1))
    obey(other, house, "build house")
    for act in acting(mind, house, "build house"):
        if isinstance(act, Edit):
            break
    obey(mind, command(action("FREEBUILD")), "finish")
    assert (mind.world.grid == other.world.grid).all()


def test_a_house_that_is_finished_stays_as_it_is() -> None:
    mind = Mind(scene(size=(24, 16, 24)))
    obey(mind, command(build(name=1)), "build house")
    before = mind.world.grid.copy()
    acts = obey(mind, command(action("FREEBUILD", reference_object=filters(name=1))), "finish house")
    assert said(acts) == ["It looks finished to me."]
    assert (mind.world.grid == before).all()


def test_what_lies_flat_lies_on_the_ground() -> None:
    mind = Mind(scene())
    obey(mind, command(build(tag=1, name=2)), "build flat square")
    assert sides(built(mind.world)) == (4, 1, 4)


def test_on_the_ground_is_where_it_is_built_anyway() -> None:
    mind = Mind(scene())
    ground = {"relative_direction": "UP", "reference_object": filters(name=(2, 3))}
    obey(mind, command(build(name=1) | {"location": ground}), "build cube the ground")
    assert sides(built(mind.world)) == (3, 3, 3)


def test_on_top_of_a_thing_is_on_top_of_it() -> None:
    mind = Mind(scene(*cube(9, 10, 3)))
    top = {"relative_direction": "UP", "reference_object": filters(name=2)}
    obey(mind, command(build(name=1) | {"location": top}), "build block cube")
    assert max(built(mind.world), key=lambda cell: cell[1]) == (10, GROUND + 3, 11)
