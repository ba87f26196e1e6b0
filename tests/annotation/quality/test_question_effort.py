"""The work on each question: its time, its answers that were taken back, and its wrong answers."""

from itertools import count
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from annotation.models import Annotation, Project
from annotation.work.posting import TaskBody, post_tasks
from tests.support.builders import NOON, make_project, make_worker
from tests.support.pages import words_of
from tests.support.sessions import NO, YES, both, judged, make_live_project
from tests.support.tool_workers import (
    TOWER_FORM,
    Answer,
    form_of,
    make_parse_project,
    perfect,
    post_commands,
    take_step,
    work_through,
)

pytestmark = pytest.mark.django_db
TEXT = "build a red tower"
KNOWS = perfect({TEXT: TOWER_FORM})
KEY = "/event_sequence/0/schematic/filters#parts"
FILTERS = KEY.replace("0", "*")
SEES_NO_COLOUR = perfect({TEXT: form_of(has_name=2)})


def _questions(pipe: APIClient, slug: str) -> dict[str, dict[str, Any]]:
    found = pipe.get(f"/api/v1/projects/{slug}/effort/questions/")
    assert found.status_code == 200, found.content
    return {one["question"]: one for one in found.json()}


def _back(payload: dict[str, Any]) -> dict[str, Any]:
    return {"answers": {}, "back": payload["back"][-1]["key"]}


def _no_at_first() -> Answer:
    """A worker who knows the form, and says at the first look at the whole that its last part is wrong."""
    looks = count()

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        if payload["questions"][0]["id"] == "right" and next(looks) == 0:
            wrong = [part["part"] for part in payload["parts"] if part["part"].startswith(KEY)][-1]
            return {"answers": {"right": False, "wrong": wrong}}
        return KNOWS(payload)

    return answer


def test_the_steps_of_commands_have_their_times_and_the_answers_that_were_taken_back(
    pipe: APIClient, as_worker: Any, django_assert_max_num_queries: Any
) -> None:
    project = make_parse_project("p", redundancy=2)
    post_commands(project, {"c1": TEXT})
    client = as_worker(project, make_worker())
    first = take_step(client, KNOWS)["node"]["step"]
    take_step(client, _back)
    work_through(client, KNOWS)
    work_through(as_worker(project, make_worker()), _no_at_first())
    Annotation.objects.update(active_s=10)
    Annotation.objects.filter(task__step__key=first).update(active_s=4)
    with django_assert_max_num_queries(8):
        found = _questions(pipe, "p")
    asked = found[first]
    assert (asked["answers"], asked["usual_s"], asked["undone"]) == (3, 4.0, 1)
    # Who says at the end that a part is wrong takes back what they had answered there.
    assert (found[FILTERS]["answers"], found[FILTERS]["undone"]) == (3, 1)
    assert found["#confirm"]["ask"] == "the whole command: is this what it asks for"
    assert all((one["references"], one["wrong"]) == (0, 0) for one in found.values())
    assert sum(one["answers"] for one in found.values()) == Annotation.objects.count()


def test_wrong_answers_to_references_are_counted_by_question(pipe: APIClient, dora: Client, as_worker: Any) -> None:
    project = make_parse_project("p", redundancy=9)
    post_commands(project, {"c1": TEXT})
    truth: Any = {"answers": [{"form": TOWER_FORM}]}
    post_tasks(project=project, bodies=[TaskBody(key="r1", payload={"text": TEXT}, reference=truth)], at=NOON)
    Project.objects.filter(pk=project.pk).update(reference_rate=1.0)
    for answer in (KNOWS, SEES_NO_COLOUR):
        client = as_worker(project, make_worker())
        for _ in range(3):
            take_step(client, answer)
    found = _questions(pipe, "p")
    assert {name: (one["references"], one["wrong"]) for name, one in found.items()} == {
        "#": (2, 0),
        "/event_sequence/*#parts": (2, 0),
        FILTERS: (2, 1),
    }
    page = words_of(dora, "/staff/projects/p/effort/")
    assert "Wrong on references" in page
    table = dora.get("/staff/projects/p/effort/?plot=wrong&as=csv").content.decode().splitlines()
    assert table[1].startswith(f"{FILTERS},")
    assert ",1,2,0.5," in table[1]


def test_the_questions_of_live_sessions_are_timed_from_their_asking(pipe: APIClient, dora: Client) -> None:
    worker, agent = both(make_live_project("live"))
    judged(worker, agent, marks=())
    worker.wait(4)
    worker.send("mark", command="c1", node="done", choice=NO)
    worker.wait(3)
    worker.send("back", command="c1")
    worker.wait(8)
    worker.send("mark", command="c1", node="done", choice=YES)
    found = _questions(pipe, "live")
    asked = found["default/done"]
    assert (asked["ask"], asked["answers"], asked["usual_s"], asked["undone"]) == (
        "Did the assistant do what you asked?",
        2,
        6.0,
        1,
    )
    assert "Did the assistant do what you asked? 2 6.0 s" in words_of(dora, "/staff/projects/live/effort/")


def test_a_tool_without_questions_has_no_rows(pipe: APIClient, dora: Client) -> None:
    make_project("p")
    assert _questions(pipe, "p") == {}
    assert "shows its whole task at once" in words_of(dora, "/staff/projects/p/effort/")
    assert pipe.get("/api/v1/projects/q/effort/questions/").status_code == 404
