"""The demo's scenes: its quiz of four is judged on the server, and its projects have something at every stage."""

from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Annotation, Consensus, Project, SceneTask, Task
from demo import load_scenes, scene_quiz
from demo.load_scenes import NAMES, PROJECT, QUIZ
from tests.support.builders import make_worker
from tests.support.tool_workers import make_voxels_project, work
from workforce.models import Attempt, Qualification

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/work/qualification/"
ASKED = scene_quiz.questions()
RIGHT = {one["id"]: one["accept"] for one in ASKED}


@pytest.fixture
def at_the_quiz(as_worker: Any, db: None) -> APIClient:
    """A worker's browser in a project that wants the quiz."""
    load_scenes.put_quiz(at=timezone.now())
    project = make_voxels_project("wanting", qualification=Qualification.objects.get(slug=QUIZ))
    client: APIClient = as_worker(project, make_worker())
    client.get(ADDRESS)
    return client


def test_a_worker_who_marks_all_four_exactly_has_passed(at_the_quiz: APIClient) -> None:
    assert len(ASKED) == 4
    shuffled = {name: {**answer} for name, answer in RIGHT.items()}
    shuffled["tower"]["voxels"] = RIGHT["tower"]["voxels"][::-1]
    answer = at_the_quiz.post(ADDRESS, {"answers": shuffled}, format="json").json()
    assert (answer["passed"], answer["score"]) == (True, 1.0)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("tower", {"voxels": RIGHT["tower"]["voxels"][:-1]}),
        ("tower", {"absent": True}),
        ("nearer", {"voxels": RIGHT["tower"]["voxels"]}),
        ("absent", {"voxels": [[5, 2, 3]]}),
        ("doorway", {"voxels": [[3, 2, 6]]}),
    ],
)
def test_one_that_is_not_exact_fails(at_the_quiz: APIClient, name: str, wrong: dict[str, Any]) -> None:
    answer = at_the_quiz.post(ADDRESS, {"answers": {**RIGHT, name: wrong}}, format="json").json()
    assert answer["passed"] is False
    assert {one for one, is_right in (Attempt.objects.get().right or {}).items() if not is_right} == {name}


def test_a_mask_outside_of_its_scene_is_refused_and_the_attempt_stays(at_the_quiz: APIClient) -> None:
    outside = {**RIGHT, "tower": {"voxels": [[99, 0, 0]]}}
    refused = at_the_quiz.post(ADDRESS, {"answers": outside}, format="json")
    assert refused.status_code == 422
    assert "scene has x from 0 to 12" in refused.content.decode()
    assert at_the_quiz.post(ADDRESS, {"answers": RIGHT}, format="json").json()["passed"] is True


def test_no_answer_of_the_quiz_reaches_the_browser(at_the_quiz: APIClient) -> None:
    seen = at_the_quiz.get(ADDRESS).json()
    assert [question["payload"]["phrase"] for question in seen["questions"]] == [one["phrase"] for one in ASKED]
    assert all(set(question["payload"]) == {"scene", "phrase"} for question in seen["questions"])
    assert "accept" not in str(seen)


def test_the_demo_shows_scenes_at_every_stage() -> None:
    assert load_scenes.load(at=timezone.now()) > 30
    project = Project.objects.get(slug=PROJECT)
    tasks = Task.objects.filter(project=project)
    assert tasks.references().count() == load_scenes.REFERENCES
    assert tasks.ordinary().filter(status="done").count() == load_scenes.DONE
    assert tasks.ordinary().filter(open=True).count() > 5
    answers = [row.answer for row in Consensus.objects.settled().filter(project=project)]
    assert any(answer.get("absent") for answer in answers)
    assert any(answer.get("voxels") for answer in answers)
    # Which references each of the crowd meets is drawn, so how well they are met is not sure; that they differ is.
    come_to = {row.task_id: row.answer for row in Consensus.objects.settled().filter(project=project)}
    said = Annotation.objects.filter(project=project, task__in=come_to).values_list("task", "answer")
    assert any(answer != come_to[task] for task, answer in said)
    assert Annotation.objects.filter(project=project, score__isnull=False).exists()
    work(Project.objects.get(slug=NAMES), "ann", lambda _: {"phrase": "the thing in the middle"}, most=1)
    assert SceneTask.objects.get(phrase="the thing in the middle").task.project == project
