"""Destroying, digging, filling, getting, naming: which blocks are there in the end, and what is remembered."""

import pytest

from interaction.builder.acts import CannotDo, Edit, Found
from interaction.builder.mind import Mind
from tests.interaction.builder.worlds import (
    DIRT,
    GRASS,
    GROUND,
    IT,
    RED,
    STONE,
    WATER,
    action,
    built,
    command,
    cube,
    filters,
    found,
    obey,
    said,
    scene,
    seen_from,
    span,
)


def test_what_is_meant_is_destroyed_from_the_top_down() -> None:
    mind = Mind(scene(*cube(8, 9), *cube(14, 12, block=STONE)))
    acts = obey(mind, command(action("DESTROY", reference_object=filters(colour=1, name=2))), "destroy red cube")
    assert built(mind.world) == {(x, y, z) for x, y, z, _ in cube(14, 12)}
    heights = [y for act in acts if isinstance(act, Edit) for _, y, _, _ in act.changes]
    assert heights == sorted(heights, reverse=True)
    assert said(acts) == ["I destroyed it."]


def test_every_reference_says_what_it_was_taken_for() -> None:
    mind = Mind(scene(*cube(8, 9)))
    acts = obey(mind, command(action("DESTROY", reference_object=filters(name=1))), "destroy cube")
    assert [set(one.voxels) for one in found(acts)] == [{(x, y, z) for x, y, z, _ in cube(8, 9)}]


def test_what_is_not_there_is_said_not_to_be_there() -> None:
    mind = Mind(scene())
    acts = mind.obey(command(action("DESTROY", reference_object=filters(name=1))), ["destroy", "house"])
    assert next(acts) == Found("house", ())
    with pytest.raises(CannotDo, match="I found nothing called “house”"):
        next(acts)


def test_all_of_them_are_destroyed() -> None:
    mind = Mind(scene(*cube(3, 10), *cube(8, 10), *cube(14, 10)))
    every = filters(name=2)
    every["filters"]["selector"] = {"return_quantity": "ALL"}
    acts = obey(mind, command(action("DESTROY", reference_object=every)), "destroy all cubes")
    assert built(mind.world) == set()
    assert said(acts) == ["I destroyed all 3."]


def test_of_more_than_there_are_those_that_are_there_are_destroyed_and_that_is_said() -> None:
    mind = Mind(scene(*cube(3, 10), *cube(8, 10), *cube(14, 10)))
    acts = obey(mind, mind.hear("destroy ten cubes"), "destroy ten cubes")
    assert built(mind.world) == set()
    assert said(acts) == ["There are only 3.", "I destroyed all 3."]
    mind = Mind(scene(*cube(3, 10)))
    words = "destroy ten structure(s)"
    assert said(obey(mind, mind.hear(words), words)) == ["There is only one.", "I destroyed it."]


def test_nobody_is_destroyed() -> None:
    me = {"special_reference": {"fixed_value": "SPEAKER"}}
    with pytest.raises(CannotDo):
        obey(Mind(scene()), command(action("DESTROY", reference_object=me)), "destroy me")


# Holes ----------------------------------------------------------------------------------------------------------


def test_a_hole_is_dug_in_the_ground_and_remembered() -> None:
    mind = Mind(scene())
    acts = obey(mind, command(action("DIG", schematic=filters(size=1, name=2))), "dig small hole")
    hole = mind.memory.known[-1]
    assert (hole.name, hole.is_hole) == ("hole", True)
    assert len(hole.voxels) == 4
    assert {y for _, y, _ in hole.voxels} == {GROUND - 1}
    assert all(mind.world.get(place) == 0 for place in hole.voxels)
    assert said(acts) == ["I dug it."]


def test_the_lowest_layer_of_the_ground_stays() -> None:
    mind = Mind(scene())
    acts = obey(mind, command(action("DIG", schematic=filters(name=1, depth=2))), "dig hole 50")
    assert "2 deep" in said(acts)[0]
    assert {y for _, y, _ in mind.memory.known[-1].voxels} == {1, 2}
    assert (mind.world.grid[:, 0] != 0).all()


def test_several_holes_do_not_meet() -> None:
    mind = Mind(scene())
    several = filters(size=2, name=3)
    several["filters"]["selector"] = {"return_quantity": "RANDOM", "ordinal": span(1)}
    obey(mind, command(action("DIG", schematic=several)), "dig two tiny holes")
    first, second = (one.voxels for one in mind.memory.known)
    assert len(first) == len(second) == 1
    assert not first & second


def test_digging_ends_at_the_block_that_is_named() -> None:
    ore = [(x, 3, z, STONE) for x in range(20) for z in range(20)]
    earth = [(x, y, z, DIRT) for x in range(20) for z in range(20) for y in range(4, 8)]
    mind = Mind(
        scene(*ore, *earth)
        | {name: {"x": x, "y": 8, "z": 4, "pitch": 0, "yaw": 0} for name, x in (("agent", 3), ("player", 10))}
    )
    until = {"condition_type": "ADJACENT_TO_BLOCK_TYPE", "block_type": span(3)}
    obey(mind, command(action("DIG"), terminate_condition=until), "dig until reach stone")
    assert min(y for _, y, _ in mind.memory.known[-1].voxels) == 4


def test_a_hole_is_filled_with_what_is_around_it() -> None:
    mind = Mind(scene())
    before = mind.world.grid.copy()
    obey(mind, command(action("DIG", schematic=filters(name=1))), "dig hole")
    assert (mind.world.grid != before).any()
    obey(mind, command(action("FILL", reference_object=filters(name=1))), "fill hole")
    assert (mind.world.grid == before).all()


def test_a_hole_is_filled_with_what_is_asked_for() -> None:
    mind = Mind(scene())
    obey(mind, command(action("DIG", schematic=filters(name=1))), "dig hole")
    hole = mind.memory.known[-1].voxels
    with_water = action("FILL", schematic=filters(block_type=2))
    obey(mind, command(with_water), "fill with water")
    assert {mind.world.get(place) for place in hole} == {WATER}


def test_a_material_that_it_lacks_fills_nothing() -> None:
    mind = Mind(scene((5, GROUND - 1, 5, 0)))
    with pytest.raises(CannotDo, match="no jelly"):
        obey(mind, command(action("FILL", schematic=filters(block_type=2))), "fill with jelly")
    assert mind.world.get((5, GROUND - 1, 5)) == 0


def test_a_thing_is_dug_out() -> None:
    mind = Mind(scene(*cube(8, 9)))
    obey(mind, command(action("DIG", reference_object=filters(name=2))), "dig out cube")
    assert built(mind.world) == set()


# Getting --------------------------------------------------------------------------------------------------------


def test_what_is_brought_is_the_same_beside_the_worker() -> None:
    mind = Mind(scene(*cube(3, 15), player=(10, 4)))
    acts = obey(mind, command(action("GET", reference_object=filters(name=1))), "bring cube")
    cells = built(mind.world)
    assert len(cells) == 8
    assert {mind.world.get(cell) for cell in cells} == {RED}
    assert min(max(abs(x - 10), abs(z - 4)) for x, _, z in cells) <= 3
    assert said(acts)[-1] == "I brought it."


def test_it_is_brought_to_whom_it_is_for() -> None:
    mind = Mind(scene(*cube(3, 15), *cube(15, 15, 3, STONE)))
    to_the_other = {"reference_object": filters(colour=4, name=5)}
    form = action("GET", reference_object=filters(colour=1, name=2), receiver=to_the_other)
    obey(mind, command(form), "bring red cube to gray cube")
    moved = {cell for cell in built(mind.world) if mind.world.get(cell) == RED}
    assert len(moved) == 8
    assert min(max(abs(x - 16), abs(z - 16)) for x, _, z in moved) <= 4


def test_an_animal_that_was_brought_is_still_one() -> None:
    mind = Mind(scene())
    obey(mind, command(action("SPAWN", reference_object=filters(name=1))), "spawn pig")
    form = action("GET", reference_object=filters(name=1), receiver={"location": seen_from("SPEAKER", "BACK")})
    obey(mind, command(form), "bring pig")
    standing = mind.memory.standing(mind.world)
    assert [(one.name, one.is_creature) for one in standing] == [("pig", True)]


# Names ----------------------------------------------------------------------------------------------------------


def remembered(**keys: object) -> dict[str, object]:
    return {"dialogue_type": "PUT_MEMORY", **keys}


def test_a_name_that_was_given_finds_the_thing_again() -> None:
    mind = Mind(scene(*cube(3, 10), *cube(14, 10)))
    data = {"memory_type": "TRIPLE", "triples": [{"pred_text": "has_tag", "obj_text": span(3)}]}
    this = filters(name=1)["filters"] | {"selector": {"location": seen_from("SPEAKER", "LEFT")}}
    form = remembered(filters=this, upsert={"memory_data": data})
    acts = obey(mind, form, "call cube left home")
    assert said(acts) == ["I remember: this is home."]
    named = next(one for one in mind.memory.known if "home" in one.tags)
    obey(mind, command(action("DESTROY", reference_object=filters(tag=1))), "destroy home")
    assert not named.now(mind.world)
    assert len(built(mind.world)) == 8


@pytest.mark.parametrize(("value", "reply"), [("POSITIVE", "Thank you!"), ("NEGATIVE", "I am sorry.")])
def test_praise_and_blame_are_answered(value: str, reply: str) -> None:
    form = remembered(filters={}, upsert={"memory_data": {"memory_type": "REWARD", "reward_value": value}})
    assert said(obey(Mind(scene()), form, "well done")) == [reply]


def test_nothing_to_remember_is_said() -> None:
    with pytest.raises(CannotDo, match="what I should remember"):
        obey(Mind(scene()), remembered(filters=IT["filters"]), "tag that")


def test_grass_grows_on_top_again() -> None:
    mind = Mind(scene((5, GROUND - 1, 5, 0), (5, GROUND - 2, 5, 0)))
    obey(mind, command(action("FILL")), "fill")
    assert mind.world.get((5, GROUND - 1, 5)) == GRASS
    assert mind.world.get((5, GROUND - 2, 5)) == DIRT
