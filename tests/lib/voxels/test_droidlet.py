"""Payloads of droidlet's annotation tool: read, refused, and written so that they come back as they were."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.faults import Invalid
from lib.voxels.droidlet import TaggedPhrase, payload_of, read_payload
from lib.voxels.mask import MOST_FAULTS
from lib.voxels.scene import read_scene
from tests.lib.voxels.test_scene import scenes
from tests.support.shared_data import DATA
from tests.support.tool_workers import scene

SAMPLE = DATA / "vision_tool_sample_scene.json"
Json = dict[str, Any]
PLACES = st.integers(-900, 900)


def payload(**changes: Any) -> Json:
    """Two blocks about the origin, whoever looks stands west of them."""
    return {
        "avatarInfo": {"pos": [-1, 3, 1], "look": [0.0, 0.0]},
        "agentInfo": {"pos": [3, 3, 0], "look": [0.5, 0.25]},
        "blocks": [[-2, 0, 2, 46], [1, -1, -3, 57]],
        **changes,
    }


def faults_of(value: Any) -> list[str]:
    with pytest.raises(Invalid) as error:
        read_payload(value)
    return [fault.pointer for fault in error.value.faults]


# Reading ---------------------------------------------------------------------------------------------------------


def test_places_are_shifted_by_the_least_of_blocks_and_locs() -> None:
    tags = [{"tags": ["the blue thing"], "locs": [[1, -1, -3], [1, 5, -3]]}]
    found = read_payload(payload(inst_seg_tags=tags))
    assert found.origin == (-2, -1, -3)
    assert found.scene.size == (4, 7, 6)
    assert found.scene.as_json()["blocks"] == [[0, 1, 5, 46], [3, 0, 0, 57]]
    assert [(one.phrase, one.voxels) for one in found.phrases] == [("the blue thing", [[3, 0, 0], [3, 6, 0]])]


def test_looks_become_degrees_and_the_pitch_turns_up() -> None:
    down = {"pos": [0, 0, 0], "look": [1.5707963, 0.7853982]}
    found = read_payload(payload(avatarInfo=down, agentInfo={"pos": [0, 0.5, 0], "look": [-3.1415927, -1.571]}))
    assert found.scene.player == pytest.approx((2, 1, 3, -45, 90), abs=1e-5)
    assert found.scene.agent == pytest.approx((2, 1.5, 3, 90, -180), abs=1e-5)


def test_holes_are_no_blocks_but_belong_to_the_scene() -> None:
    holes = [[0, 0, 0, 0], [5, 0, 0, 67], [0, 0, 5, 81]]
    found = read_payload(payload(blocks=[[1, 0, 1, 9], *holes]))
    assert found.scene.size == (6, 1, 6)
    assert found.scene.as_json()["blocks"] == [[1, 0, 1, 9]]


@pytest.mark.parametrize(
    ("tags", "told"),
    [
        (None, []),
        ("null", [("pyramid", None)]),
        ("[]", []),
        ('[{"tags": ["a  tower "], "locs": [[1, -1, -3]]}]', [("a tower", [[3, 0, 0]])]),
        ([{"tags": ["a", "b"], "locs": [[-2, 0, 2], [-2, 0, 2]]}], [("a", [[0, 1, 5]]), ("b", [[0, 1, 5]])]),
        ([{"tags": ["a pyramid"], "locs": []}], [("a pyramid", None)]),
    ],
)
def test_tags_may_be_a_list_its_text_or_null(tags: Any, told: list[tuple[str, Any]]) -> None:
    found = read_payload(payload(inst_seg_tags=tags, label="pyramid"))
    assert [(one.phrase, one.voxels) for one in found.phrases] == told


def test_figures_and_tags_may_be_missing() -> None:
    found = read_payload({"blocks": [[0, 0, 0, 1]], "inst_seg_tags": "null"})
    assert (found.scene.agent, found.scene.player, found.phrases) == (None, None, [])


def test_fields_that_nobody_knows_are_listed() -> None:
    found = read_payload(payload(mobs=[], offset=[0, 63, 0], schematic_for_cuberite=[], colour="x"))
    assert found.ignored == ["colour", "mobs", "offset", "schematic_for_cuberite"]


@pytest.mark.parametrize(
    ("value", "pointers"),
    [
        ([], ["#"]),
        ({}, ["#/blocks"]),
        (payload(blocks=[]), ["#/blocks"]),
        (payload(blocks=[[0, 0, 0, 1], [0, 0, 0], [0, 0, 1, 82], [0, 0, 2, -1], [0, 0, 3, 1.0]]), None),
        (payload(blocks=[[0, 0, 0, 1], [0, 0, 0, 2]]), ["#/blocks/1"]),
        (payload(blocks=[[0, 0, 0, 1], [256, 0, 0, 2]]), ["#/blocks"]),
        (payload(blocks=[[0, 0, 10**30, 1]]), ["#/blocks/0"]),
        (payload(avatarInfo={"pos": [0, 0, 0]}), ["#/avatarInfo"]),
        (payload(agentInfo={"pos": [0, 0, 9000], "look": [0, 0]}), ["#/agentInfo/pos"]),
        (payload(agentInfo={"pos": [0, 0, 0], "look": [0, 2]}), ["#/agentInfo/look/1"]),
        (payload(agentInfo={"pos": [0, 0, float("nan")], "look": [0, 0]}), ["#/agentInfo"]),
        (payload(inst_seg_tags="[{"), ["#/inst_seg_tags"]),
        (payload(inst_seg_tags={}), ["#/inst_seg_tags"]),
        (payload(inst_seg_tags=[{"tags": [" "], "locs": []}, 3]), ["#/inst_seg_tags/0/tags", "#/inst_seg_tags/1/tags"]),
        (payload(inst_seg_tags=[{"tags": ["a"], "locs": [[0, 0, 0], [0, 0]]}]), ["#/inst_seg_tags/0/locs/1"]),
        (payload(inst_seg_tags=[{"tags": ["a"]}]), ["#/inst_seg_tags/0/locs"]),
        (payload(frame={"origin": [0, 0, 0]}), ["#/frame"]),
        (payload(frame={"origin": [0, 0, 0], "size": [9, 300, 9]}), ["#/frame/size"]),
        (payload(frame={"origin": [-2, -1, -3], "size": [4, 1, 6]}), ["#/blocks/0"]),
    ],
)
def test_a_malformed_payload_is_refused_with_its_place(value: Any, pointers: list[str] | None) -> None:
    assert faults_of(value) == (pointers or [f"#/blocks/{number}" for number in range(1, 5)])


def test_the_number_of_listed_faults_is_limited() -> None:
    assert len(faults_of(payload(blocks=[[0, 0, 0, 200]] * 100))) == MOST_FAULTS
    far = {"origin": [0, 0, 0], "size": [1, 1, 1]}
    assert len(faults_of(payload(blocks=[[5, n, 5, 1] for n in range(100)], frame=far))) == MOST_FAULTS


# Writing ---------------------------------------------------------------------------------------------------------


@given(scenes(), st.tuples(PLACES, PLACES, PLACES), st.data())
def test_a_scene_comes_back_as_it_was(value: Json, origin: tuple[int, int, int], data: st.DataObject) -> None:
    kept = read_scene(value)
    place = st.tuples(*(st.integers(0, side - 1) for side in kept.size)).map(list)
    masks = st.lists(place, min_size=1, max_size=9, unique_by=tuple).map(sorted)
    told = data.draw(st.lists(st.builds(TaggedPhrase, st.sampled_from(["a b", "c"]), st.none() | masks), max_size=3))
    plain = json.loads(json.dumps(payload_of(kept, origin, told)))
    found = read_payload(plain)
    assert (found.scene.digest, found.origin, found.ignored) == (kept.digest, origin, [])
    assert [(one.phrase, one.voxels) for one in found.phrases] == [(one.phrase, one.voxels) for one in told]
    assert payload_of(found.scene, found.origin, found.phrases) == plain


def test_iron_comes_back_though_droidlets_viewer_takes_it_for_a_hole() -> None:
    kept = read_scene(scene(blocks=[[1, 1, 1, 67]]))
    plain = payload_of(kept, (0, 0, 0), [])
    assert read_payload(plain).scene.digest == kept.digest
    del plain["frame"]
    assert read_payload(plain).scene.as_json()["blocks"] == []


# The published example -------------------------------------------------------------------------------------------


@pytest.mark.skipif(not SAMPLE.exists(), reason="Droidlet's example is not beside this checkout.")
def test_the_published_example_is_read_and_written_back() -> None:
    sample = json.loads(SAMPLE.read_text())
    found = read_payload({**sample["scene"], **sample["posted_example"]})
    assert len(found.scene.keys) == len(sample["scene"]["blocks"])
    assert [(one.phrase, len(one.voxels or [])) for one in found.phrases] == [("blue tower", 3)]
    assert "clickedElements" in found.ignored
    back = payload_of(*found[:3])
    assert sorted(back["blocks"]) == sorted(sample["scene"]["blocks"])
    assert back["inst_seg_tags"] == sample["posted_example"]["inst_seg_tags"]
    assert [back[name] for name in ("avatarInfo", "agentInfo")] == [
        sample["scene"][name] for name in ("avatarInfo", "agentInfo")
    ]
    for question in sample["pilot"]:
        locs = question["expect"]
        tags = "null" if locs is None else [{"tags": [question["q"]], "locs": locs}]
        told = read_payload({**sample["scene"], "inst_seg_tags": tags, "label": "pyramid"}).phrases
        assert [one.voxels is None for one in told] == [locs is None]
