"""Which things a description means: what they are like, what is remembered of them."""

from collections.abc import Callable
from typing import Any

import pytest

from annotation.logical_form import Form
from annotation.voxels.generator import generate
from annotation.voxels.generator_options import Options
from annotation.voxels.mask import keys_of
from annotation.voxels.overlap import iou
from interaction.builder.finding import find
from interaction.builder.memory import Known, Memory
from interaction.builder.things import things_in
from tests.interaction.builder.four_things import AT, RED_CUBE, TOWER, found, scene
from tests.interaction.builder.small_worlds import (
    Said,
    cells,
    world_of,
)


@pytest.mark.parametrize(
    ("text", "told", "meant"),
    [
        ("the red cube", {"has_colour": "red", "has_name": "cube"}, ["red cube"]),
        ("the blue thing", {"has_colour": "blue", "has_name": "thing"}, ["blue cube"]),
        ("the sphere", {"has_name": "sphere"}, ["ball"]),
        ("the ball", {"has_name": "ball"}, ["ball"]),
        ("the pillar", {"has_name": "pillar"}, ["tower"]),
        ("the small cube", {"has_size": "small", "has_name": "cube"}, ["blue cube"]),
        ("the bigger cube", {"has_size": "bigger", "has_name": "cube"}, ["red cube"]),
        ("the wool cubes", {"has_block_type": "wool", "has_name": "cubes"}, ["blue cube", "red cube"]),
        ("the gold cube", {"has_block_type": "gold", "has_name": "cube"}, []),
        ("the green cube", {"has_colour": "green", "has_name": "cube"}, []),
        ("the house", {"has_name": "house"}, []),
        ("the thing 8 blocks high", {"has_height": "8 blocks"}, ["tower"]),
        ("the round thing", {"has_tag": "round"}, ["ball"]),
        ("the round thing", {"has_shape": "round"}, ["ball"]),
        ("big red cube", {"has_name": "big red cube"}, ["red cube"]),
        ("the tiny tower", {"has_size": "tiny", "has_name": "tower"}, ["tower"]),
    ],
)
def test_properties_pick_things(text: str, told: dict[str, str], meant: Any) -> None:
    said = Said(text)
    ref = said.thing(*(said.clause(name, words) for name, words in told.items()))
    assert found(scene(), Memory(), ref, said.tokens) == [AT[one] for one in meant]


def test_words_alone_are_read_as_a_name() -> None:
    said = Said("the red cube")
    assert found(scene(), Memory(), {"text_span": said.span("red cube")}, said.tokens) == [AT["red cube"]]


@pytest.mark.parametrize(
    ("operator", "meant"),
    [("OR", ["blue cube", "tower"]), ("NOT", ["red cube", "ball"]), ("AND", [])],
)
def test_clauses_are_joined(operator: str, meant: Any) -> None:
    said = Said("all that is blue yellow")
    where = {operator: [said.coloured("blue"), said.coloured("yellow")]}
    ref = {"filters": {"where_clause": where, "selector": {"return_quantity": "ALL"}}}
    assert set(found(scene(), Memory(), ref, said.tokens)) == {AT[one] for one in meant}


def test_groups_stand_within_groups() -> None:
    said = Said("cube not red")
    where = {"AND": [said.named("cube"), {"NOT": [said.coloured("red")]}]}
    assert found(scene(), Memory(), {"filters": {"where_clause": where}}, said.tokens) == [AT["blue cube"]]


def test_things_are_found_by_what_somebody_called_them() -> None:
    memory = Memory()
    memory.tag(cells(TOWER[1], TOWER[2]), {"home"})
    said = Said("go home to my favorite")
    for predicate in ("has_tag", "has_name"):
        assert found(scene(), memory, said.thing(said.clause(predicate, "home")), said.tokens) == [AT["tower"]]
    assert found(scene(), memory, said.thing(said.clause("has_tag", "favorite")), said.tokens) == []


def test_what_was_built_as_a_house_is_found_as_one_and_before_what_looks_like_one() -> None:
    memory = Memory()
    memory.made(Known(cells(RED_CUBE[1], RED_CUBE[2]), "house", by="agent"))
    said = Said("house hut cottage")
    for word in said.tokens:
        assert found(scene(), memory, said.thing(said.named(word)), said.tokens) == [AT["red cube"]]


def test_what_was_found_is_told_in_the_words_of_the_command() -> None:
    said = Said("destroy the red cube")
    finding = find(scene(), Memory(), said.thing(said.coloured("red"), said.named("cube")), said.tokens)
    assert finding.phrase == "red cube"
    assert set(finding.act.voxels) == cells(RED_CUBE[1], RED_CUBE[2])


def test_a_comma_after_a_name_is_no_part_of_it() -> None:
    said = Said("destroy the cube, please")
    assert find(scene(), Memory(), said.thing(said.named("cube,")), said.tokens).phrase == "cube"


def test_finding_leaves_the_memory_alone() -> None:
    memory = Memory()
    find(scene(), memory, {"filters": {}}, ["it"])
    assert (memory.mentioned, memory.known) == (frozenset(), [])


def form_of(phrase: str) -> tuple[Form, list[str]]:
    """The reference object of a generator's phrase: "cube", "red cube", "the red thing"."""
    said = Said(phrase)
    words = phrase.removeprefix("the ").split()
    colour, noun = " ".join(words[:-1]), words[-1]
    return said.thing(*([said.coloured(colour)] if colour else []), said.named(noun)), said.tokens


@pytest.mark.parametrize(
    ("options", "least"),
    [
        (Options(per_scene=3, shapes=(1, 4), holes=(0, 2)), 0.99),
        (Options(per_scene=3, shapes=(3, 8), size=(32, 20, 32), holes=(0, 3)), 0.99),
        # Where they touch, two things may be taken for one.
        (Options(per_scene=3, shapes=(3, 8), gap=0), 0.9),
    ],
    ids=["few", "many", "touching"],
)
def test_the_objects_of_generated_scenes_are_found_by_their_phrases(
    options: Options, least: float, record_property: Callable[[str, object], None]
) -> None:
    hits: list[bool] = []
    absent: list[bool] = []
    for made in generate(23, 60, options):
        world = world_of(made)
        for example in made.examples:
            candidates = find(world, Memory(), *form_of(example.phrase)).candidates
            if example.voxels is None:
                absent.append(not candidates)
            else:
                right = candidates and iou(keys_of(candidates[0].places), keys_of(example.voxels)) >= 0.5
                hits.append(bool(right))
    record_property("found", f"{sum(hits)}/{len(hits)}")
    record_property("said to be absent", f"{sum(absent)}/{len(absent)}")
    assert sum(hits) >= least * len(hits), f"found {sum(hits)} of {len(hits)}"
    assert sum(absent) >= least * len(absent), f"said of {sum(absent)} of {len(absent)} that they are not there"


def test_a_scene_is_looked_through_once_for_many_descriptions() -> None:
    world, memory = scene(), Memory()
    assert things_in(world, memory)[0].places is things_in(world, memory)[0].places
