"""The voxel annotator: what may be posted and answered, what is shown, scored and come to."""

import gzip
import itertools
import json
from collections.abc import Sequence
from datetime import datetime
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from annotation.consensus import signals
from annotation.models import Annotation, Consensus, KeptScene, Project, SceneTask, Task
from annotation.scene_store import keep
from annotation.tool_registry import tool_named
from annotation.work.posting import post_tasks
from lib.faults import Conflict, Invalid
from lib.voxels.scene import read_scene
from tests.support.builders import NOON
from tests.support.tool_workers import (
    GROUND,
    TOWER,
    claim,
    client_for,
    hand_in,
    make_voxels_project,
    marks,
    post,
    post_phrases,
    scene,
    work,
)

pytestmark = pytest.mark.django_db
tool = tool_named("voxels")
COST_OF_POSTING = 13
"""Queries, however many tasks are posted."""


def post_one(project: Project, payload: dict[str, Any], **rest: Any) -> None:
    bodies: list[Any] = [{"key": "one", "payload": payload, **rest}]
    post_tasks(project=project, bodies=bodies, at=NOON)


# What is posted --------------------------------------------------------------------------------------------------


def test_a_scene_is_kept_once_however_many_tasks_show_it() -> None:
    project = make_voxels_project()
    tasks = post_phrases(project, {"a": "the red tower", "b": "the blue thing"})
    shuffled = scene(blocks=list(reversed(scene()["blocks"])))
    tasks += post(project, {"c": {"scene": shuffled, "phrase": "the ground"}})
    assert KeptScene.objects.count() == 1
    assert {task.payload["scene"] for task in tasks} == {read_scene(scene()).digest}
    phrases = SceneTask.objects.order_by("task").values_list("phrase", flat=True)
    assert list(phrases) == ["the red tower", "the blue thing", "the ground"]


def test_a_scene_that_is_kept_may_be_named_by_its_digest() -> None:
    project = make_voxels_project()
    [task] = post_phrases(project, {"a": "the red tower"})
    post_one(project, {"scene": task.payload["scene"], "phrase": "the ground"})
    served = [tool.present(one, hold="x")["scene"] for one in Task.objects.all()]
    assert served[0] == served[1] == scene()
    with pytest.raises(Invalid) as error:
        post(project, {"b": {"scene": "0" * 64, "phrase": "the ground"}})
    assert error.value.faults[0].pointer == "#/tasks/0/payload/scene"


@pytest.mark.parametrize("number", [2, 6])
def test_scenes_that_are_kept_are_looked_up_together(
    number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    scenes = [read_scene(scene(blocks=[[0, 0, 0, 1 + n]])) for n in range(number)]
    keep(scenes, at=NOON)
    project = make_voxels_project()
    bodies: list[Any] = [
        {"key": f"t{n}", "payload": {"scene": one.digest, "phrase": "the block"}} for n, one in enumerate(scenes)
    ]
    with django_assert_num_queries(COST_OF_POSTING):
        post_tasks(project=project, bodies=bodies, at=NOON)


@pytest.mark.parametrize(
    ("wanted", "payload", "pointer"),
    [
        ({}, {}, "phrase"),
        ({"stage": "name"}, {"phrase": "the tower"}, "phrase"),
        ({}, {"phrase": "the tower", "agent_mask": [[9, 0, 0]]}, "agent_mask/0"),
        ({}, {"phrase": "the tower", "agent_mask": [[0, 0, 0], [0, 0, 0]]}, "agent_mask/1"),
        ({}, {"phrase": "the tower", "scene": scene(blocks=[[0, 0, 0, 200]])}, "scene/blocks/0"),
    ],
)
def test_a_wrong_payload_is_refused_with_its_place(
    wanted: dict[str, Any], payload: dict[str, Any], pointer: str
) -> None:
    project = make_voxels_project(settings=wanted)
    with pytest.raises(Invalid) as error:
        post_one(project, {"scene": scene(), **payload})
    assert [fault.pointer for fault in error.value.faults] == [f"#/tasks/0/payload/{pointer}"]
    assert not Task.objects.exists()
    assert not KeptScene.objects.exists()


def test_a_task_may_be_posted_again_but_not_changed() -> None:
    project = make_voxels_project()
    payload = {"scene": scene(), "phrase": "the red tower", "source": {"report": "7"}, "agent_mask": TOWER[:2]}
    post_one(project, payload)
    post_one(project, payload)
    with pytest.raises(Conflict):
        post_one(project, {**payload, "phrase": "the blue thing"})
    assert Task.objects.count() == 1


# What is shown and answered --------------------------------------------------------------------------------------


def test_a_worker_sees_the_scene_and_the_phrase_and_nothing_else() -> None:
    project = make_voxels_project(reference_rate=1.0)
    secret = {"source": {"kind": "secret-origin"}, "agent_mask": [[2, 0, 3]]}
    post(project, {"a": {"scene": scene(), "phrase": "the red tower", **secret}})
    reference = {"answers": [marks(TOWER)]}
    post(project, {"b": {"scene": scene(), "phrase": "the red tower", **secret}}, reference=reference)
    shown = [tool.present(task, hold="x") for task in Task.objects.order_by("pk")]
    assert shown[0] == shown[1] == {"scene": scene(), "phrase": "the red tower"}
    assert list(shown[0]) == list(shown[1]) == ["scene", "phrase"]
    held = claim(client_for(project, "ann"))
    assert held is not None
    assert "secret-origin" not in json.dumps(held)
    assert "agent_mask" not in json.dumps(held)


def test_a_claim_travels_compressed() -> None:
    project = make_voxels_project()
    blocks = [[x, y, z, GROUND] for x in range(32) for y in range(3) for z in range(32)]
    post(project, {"a": {"scene": {"size": [32, 3, 32], "blocks": blocks}, "phrase": "the ground"}})
    client = client_for(project, "ann")
    plain = client.post("/api/v1/work/claim/", {}, format="json")
    small = client.post("/api/v1/work/claim/", {}, format="json", headers={"accept-encoding": "gzip"})
    assert small["Content-Encoding"] == "gzip"
    assert gzip.decompress(small.content) == plain.content
    assert len(small.content) < len(plain.content) / 4


@pytest.mark.parametrize(
    ("answer", "pointer"),
    [
        ({"voxels": []}, "#/answer/voxels"),
        ({"voxels": [[1, 1]]}, "#/answer/voxels/0"),
        ({"voxels": [[1, 1, 1], [1, 5, 1]]}, "#/answer/voxels/1"),
        ({"voxels": [[-1, 1, 1]]}, "#/answer/voxels/0"),
        ({"voxels": [[1, 1, 1.0]]}, "#/answer/voxels/0"),
        ({"voxels": [[True, 1, 1]]}, "#/answer/voxels/0"),
        ({"voxels": [[1, 1, 10**30]]}, "#/answer/voxels/0"),
        ({"voxels": [[1, 1, 1], [1, 1, 1]]}, "#/answer/voxels/1"),
        ({"voxels": [[1, 1, 1]], "absent": True}, "#/answer"),
        ({"absent": False}, "#/answer"),
        ({"phrase": "a tower"}, "#/answer"),
        ({}, "#/answer"),
    ],
)
def test_an_answer_that_cannot_be_is_refused_and_nothing_is_lost(answer: dict[str, Any], pointer: str) -> None:
    project = make_voxels_project()
    post_phrases(project, {"a": "the red tower"})
    client = client_for(project, "ann")
    held = claim(client)
    assert held is not None
    refused = hand_in(client, held["assignment"], answer)
    assert refused.status_code == 422
    assert [fault["pointer"] for fault in refused.json()["errors"]] == [pointer]
    assert hand_in(client, held["assignment"], marks(TOWER)).status_code == 201


def test_the_same_voxels_in_another_order_are_the_same_answer() -> None:
    project = make_voxels_project()
    post_phrases(project, {"a": "the red tower"})
    client = client_for(project, "ann")
    held = claim(client)
    assert held is not None
    first = hand_in(client, held["assignment"], marks(TOWER))
    again = hand_in(client, held["assignment"], marks(TOWER[::-1]))
    other = hand_in(client, held["assignment"], marks(TOWER[:2]))
    assert (again.status_code, again.json()) == (201, first.json())
    assert (other.status_code, other.json()["code"]) == (409, "already_submitted")
    assert Annotation.objects.get().answer == marks(TOWER)


# What it comes to ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("truth", "answer", "score"),
    [
        (marks(TOWER), marks(TOWER), 1.0),
        (marks(TOWER), marks(TOWER[:2]), 2 / 3),
        (marks(TOWER), marks([*TOWER, [3, 3, 3]]), 3 / 4),  # air may be marked
        (marks(TOWER), marks([[0, 0, 0]]), 0.0),
        (marks(TOWER), marks(None), 0.0),
        (marks(None), marks(None), 1.0),
        (marks(None), marks(TOWER), 0.0),
    ],
)
def test_an_answer_to_a_reference_scores_its_iou(truth: dict[str, Any], answer: dict[str, Any], score: float) -> None:
    project = make_voxels_project(reference_rate=1.0)
    post_phrases(project, {"a": "the tower"}, reference={"answers": [truth]})
    post_phrases(project, {"b": "the tower"})
    work(project, "ann", lambda _: answer)
    scored = Annotation.objects.filter(task__is_reference=True).values_list("score", flat=True)
    assert list(scored) == [pytest.approx(score)]


@pytest.mark.parametrize(
    ("answers", "come_to"),
    [
        ([marks(TOWER), marks(TOWER), marks(TOWER[:2])], marks(TOWER)),
        ([marks(TOWER[:2]), marks(TOWER[1:]), marks(TOWER)], marks(TOWER)),
        ([marks(TOWER), marks(None), marks(None)], marks(None)),
        ([marks(TOWER), marks(TOWER), marks(None)], marks(TOWER)),
        ([marks(TOWER), marks(None)], {"voxels": None}),
    ],
)
def test_a_consensus_is_voted_voxel_by_voxel(answers: list[dict[str, Any]], come_to: dict[str, Any]) -> None:
    project = make_voxels_project(redundancy=len(answers))
    post_phrases(project, {"a": "the tower"})
    for number, answer in enumerate(answers):
        work(project, f"worker-{number}", lambda _, answer=answer: answer)  # type: ignore[misc]
    found = Consensus.objects.get()
    assert found.answer == come_to
    assert found.settled_at is not None
    assert found.needs_review == (come_to == {"voxels": None} or found.confidence < 2 / 3)


def test_the_order_of_answers_changes_nothing() -> None:
    answers = [marks(TOWER), marks(TOWER[:1]), marks(None), marks([*TOWER, [2, 1, 1]])]
    found = {json.dumps(tool.merge(list(order)).answer) for order in itertools.permutations(answers)}
    assert len(found) == 1


def test_followers_get_a_settled_task_once(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, Any]] = []

    def note(changes: Sequence[signals.Changed], *, at: datetime) -> None:
        told.extend((task.key, consensus.answer) for task, consensus in changes if consensus)

    follower = SimpleNamespace(tasks_changed=note)
    monkeypatch.setattr(signals, "followers", lambda: [follower])
    project = make_voxels_project(redundancy=2)
    post_phrases(project, {"a": "the tower"})
    work(project, "ann", lambda _: marks(TOWER))
    assert told == []
    work(project, "bob", lambda _: marks(TOWER))
    assert told == [("a", marks(TOWER))]
