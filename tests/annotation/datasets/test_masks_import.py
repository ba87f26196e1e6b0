"""Scenes in droidlet's form become tasks, references or the agent's masks; and scenes that are posted alone."""

import json
from typing import Any

import pytest
from rest_framework.test import APIClient

from annotation.datasets import masks_import
from annotation.models import KeptScene, Task
from annotation.tool_registry import tool_named
from audit.models import AuditEvent
from lib.voxels.scene import read_scene
from tests.lib.voxels.test_droidlet import payload
from tests.support.builders import make_project
from tests.support.tool_workers import make_voxels_project, marks, scene, work

pytestmark = pytest.mark.django_db
Json = dict[str, Any]
BLUE = {"tags": ["the blue thing"], "locs": [[1, -1, -3]]}
PYRAMID = {"tags": ["a pyramid"], "locs": []}


def post(pipe: APIClient, *scenes: Any, kind: str = "tasks", slug: str = "p", prefix: str = "told") -> Any:
    body = {"scenes": list(scenes), "as": kind, "key_prefix": prefix}
    return pipe.post(f"/api/v1/projects/{slug}/masks/import/", body, format="json")


def tasks() -> list[Task]:
    return list(Task.objects.order_by("pk"))


def test_each_tag_becomes_a_task(pipe: APIClient) -> None:
    make_voxels_project("p")
    answer = post(pipe, payload(inst_seg_tags=[BLUE, PYRAMID], mobs=[]))
    digest = KeptScene.objects.get().digest
    assert (answer.status_code, answer.json()) == (
        200,
        {"created": 2, "unchanged": 0, "scenes": [digest], "origins": [[-2, -1, -3]], "ignored": ["mobs"]},
    )
    assert [task.payload for task in tasks()] == [
        {"scene": digest, "phrase": phrase, "source": {"kind": "ancestor", "origin": [-2, -1, -3]}}
        for phrase in ("the blue thing", "a pyramid")
    ]
    assert all(task.key.startswith("told-") and not task.is_reference for task in tasks())


def test_the_same_again_changes_nothing_in_any_order(pipe: APIClient) -> None:
    make_voxels_project("p")
    for kind in masks_import.KINDS:
        assert post(pipe, payload(inst_seg_tags=[BLUE, PYRAMID]), kind=kind).json()["created"] == 2
        again = post(pipe, payload(inst_seg_tags=json.dumps([PYRAMID, BLUE])), kind=kind).json()
        assert (again["created"], again["unchanged"]) == (0, 2)
    assert Task.objects.count() == 6


def test_masks_may_be_known_to_be_right(pipe: APIClient) -> None:
    project = make_voxels_project("p", reference_rate=1.0)
    assert post(pipe, payload(inst_seg_tags=[BLUE, PYRAMID]), kind="references").json()["created"] == 2
    assert [task.is_reference for task in tasks()] == [True, True]
    assert [task.truth.answers for task in tasks()] == [[marks([[3, 0, 0]])], [marks(None)]]
    assert AuditEvent.objects.get(verb="reference.imported").detail == {"created": 2}
    post(pipe, payload(inst_seg_tags=[BLUE]))
    assert work(project, "ann", lambda _: marks([[3, 0, 0]]), most=2) == 2


def test_of_several_objects_of_one_name_each_is_right(pipe: APIClient) -> None:
    make_voxels_project("p")
    other = {"tags": ["the blue thing"], "locs": [[-2, 0, 2]]}
    assert post(pipe, payload(inst_seg_tags=[BLUE, other, BLUE]), kind="references").json()["created"] == 1
    assert [task.truth.answers for task in tasks()] == [[marks([[0, 1, 5]]), marks([[3, 0, 0]])]]
    clash = post(pipe, payload(inst_seg_tags=[PYRAMID, {**BLUE, "tags": ["a pyramid"]}]), kind="references")
    assert clash.status_code == 422
    assert "both there and not there" in clash.json()["errors"][0]["detail"]
    assert clash.json()["errors"][0]["pointer"] == "#/scenes/0/inst_seg_tags/0/tags/0"


def test_masks_may_be_those_of_the_agent(pipe: APIClient) -> None:
    project = make_voxels_project("p")
    other = {"tags": ["the blue thing"], "locs": [[-2, 0, 2]]}
    post(pipe, payload(inst_seg_tags=[BLUE, other, PYRAMID]), kind="agent_masks")
    assert [task.payload["agent_mask"] for task in tasks()] == [[[0, 1, 5], [3, 0, 0]], []]
    assert work(project, "ann", lambda _: marks(None)) == 2
    rows = pipe.get("/api/v1/projects/p/masks.jsonl").getvalue().decode().splitlines()
    assert [json.loads(row)["agent_mask_iou"] for row in rows] == [0.0, 1.0]


def test_an_imported_scene_is_exported_unchanged(pipe: APIClient) -> None:
    project = make_voxels_project("p")
    given = payload(inst_seg_tags=[BLUE])
    post(pipe, given)
    work(project, "ann", lambda _: marks([[3, 0, 0]]))
    (back,) = json.loads(pipe.get("/api/v1/projects/p/scene_list.json").getvalue())
    assert back.pop("frame") == {"origin": [-2, -1, -3], "size": [4, 2, 6]}
    for name in ("avatarInfo", "agentInfo"):
        assert back[name].pop("look") == pytest.approx(given[name].pop("look"), abs=2e-8)
    assert back == given


@pytest.mark.parametrize(
    ("scenes", "pointer"),
    [
        ([payload(), payload(blocks=[[0, 0, 0, 300]])], "#/scenes/1/blocks/0"),
        ([payload()], "#/scenes"),
        ([payload(inst_seg_tags=[BLUE, {**BLUE, "tags": ["x" * 201]}])], "#/scenes/0/inst_seg_tags/1/tags/0"),
        ([payload(inst_seg_tags="null", label="x" * 201)], "#/scenes/0/label"),
    ],
)
def test_a_wrong_scene_or_tag_is_refused_with_its_place(scenes: list[Json], pointer: str, pipe: APIClient) -> None:
    make_voxels_project("p")
    answer = post(pipe, *scenes)
    assert answer.status_code == 422
    assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer]
    assert not Task.objects.exists()
    assert not KeptScene.objects.exists()


def test_a_reference_that_is_there_with_another_mask_is_a_conflict(pipe: APIClient) -> None:
    make_voxels_project("p")
    post(pipe, payload(inst_seg_tags=[BLUE]), kind="references")
    other = payload(inst_seg_tags=[PYRAMID, {**BLUE, "locs": [[-2, 0, 2]]}])
    answer = post(pipe, other, kind="references")
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (409, "#/scenes/0/inst_seg_tags/1/tags/0")
    assert Task.objects.count() == 1


@pytest.mark.parametrize(
    "change",
    [
        *({"scenes": scenes} for scenes in ([], [payload()] * 201)),
        {"as": "masks"},
        *({"key_prefix": prefix} for prefix in ("a b", "a" * 65, None)),
    ],
)
def test_a_malformed_body_is_refused(change: Json, pipe: APIClient) -> None:
    make_voxels_project("p")
    body = {"scenes": [payload(inst_seg_tags=[BLUE])], "as": "tasks", "key_prefix": "a"}
    assert pipe.post("/api/v1/projects/p/masks/import/", body | change, format="json").status_code == 422
    assert pipe.post("/api/v1/projects/p/masks/import/", body, format="json").status_code == 200


def test_only_a_project_that_marks_takes_them(pipe: APIClient) -> None:
    make_project("marker")
    make_voxels_project("names", settings={"stage": "name"})
    for slug in ("marker", "names"):
        assert post(pipe, payload(inst_seg_tags=[BLUE]), slug=slug).status_code == 422


def test_many_are_posted_in_pieces_and_all_or_none(pipe: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    make_voxels_project("p")
    monkeypatch.setattr(masks_import, "MOST_AT_ONCE", 2)
    post(pipe, payload(inst_seg_tags=[BLUE]), kind="references")
    many = [{**BLUE, "tags": [f"thing {number}"]} for number in range(5)]
    clash = post(pipe, payload(inst_seg_tags=[*many, {**BLUE, "locs": []}]), kind="references")
    assert clash.status_code == 409
    assert Task.objects.count() == 1
    assert post(pipe, payload(inst_seg_tags=many), kind="references").json()["created"] == 5


# Scenes alone ----------------------------------------------------------------------------------------------------


def test_scenes_are_kept_and_given_back(pipe: APIClient) -> None:
    first, second = scene(), scene(agent=None)
    answer = pipe.post("/api/v1/scenes/", {"scenes": [first, second, first]}, format="json")
    assert answer.status_code == 200
    one, two, again = answer.json()["scenes"]
    assert (one, again) == (read_scene(first).digest, one)
    assert KeptScene.objects.count() == 2
    assert pipe.get(f"/api/v1/scenes/{two}/").json() == second
    assert pipe.get(f"/api/v1/scenes/{'0' * 64}/").status_code == 404
    make_voxels_project("p")
    task = {"key": "a", "payload": {"scene": one, "phrase": "the red tower"}}
    assert pipe.post("/api/v1/projects/p/tasks/", {"tasks": [task]}, format="json").json()["created"] == 1
    assert tool_named("voxels").present(Task.objects.get(), hold="x")["scene"] == first


def test_scenes_with_a_fault_are_not_kept(pipe: APIClient) -> None:
    wrong = scene(blocks=[[0, 0, 0, 200]])
    answer = pipe.post("/api/v1/scenes/", {"scenes": [scene(), wrong]}, format="json")
    assert [fault["pointer"] for fault in answer.json()["errors"]] == ["#/scenes/1/blocks/0"]
    assert not KeptScene.objects.exists()
    assert pipe.post("/api/v1/scenes/", {"scenes": [scene()] * 101}, format="json").status_code == 422
