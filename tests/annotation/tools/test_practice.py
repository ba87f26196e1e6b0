"""The practice task: what a project may set, what a worker is served, and that nothing is kept of it."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Annotation, Assignment, Enrolment, Project, Task
from evaluation.models import Episode
from lib.logical_form.asking.walk import record_of
from tests.support.builders import (
    make_episode,
    make_film,
    make_project,
    make_qualification,
    make_task,
    token_for,
)
from tests.support.calls import problem
from workforce.consent import page_for
from workforce.models import LedgerEntry, Worker
from workforce.qualifications import start_attempt

PRACTICE = "/api/v1/work/practice/"
RIGHT_FORM = {
    "dialogue_type": "HUMAN_GIVE_COMMAND",
    "event_sequence": [
        {
            "action_type": "DESTROY",
            "reference_object": {
                "filters": {
                    "where_clause": {
                        "AND": [
                            {"pred_text": "has_name", "obj_text": [0, [3, 3]]},
                            {"pred_text": "has_colour", "obj_text": [0, [2, 2]]},
                        ]
                    }
                }
            },
        }
    ],
}


def _marker(*, first: bool = False) -> dict[str, Any]:
    episode = make_episode()
    make_film(episode)
    return {
        "payload": {"episode": episode.external_id},
        "accept": [{"outcome": "success", "time_s": 3.0}],
        "tolerance_s": 0.5,
        "why": "Look at the ball.",
        "first": first,
    }


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"outcome": "success", "frame": 30}, (200, True, None)),
        ({"outcome": "success", "frame": 38}, (200, False, "Look at the ball.")),
        ({"outcome": "failure", "frame": 30}, (200, False, "Look at the ball.")),
    ],
)
def test_an_answer_is_compared_and_nothing_is_kept(
    db: None, alice: Worker, as_worker: Any, answer: dict[str, Any], expected: tuple[int, bool, str | None]
) -> None:
    project = make_project("p", settings={"practice": _marker()})
    make_task(project)
    work: APIClient = as_worker(project, alice)
    shown = work.get(PRACTICE).json()
    assert (shown["first"], shown["payload"]["video"]["frames"]) == (False, 100)
    assert "3.0" not in work.get(PRACTICE).content.decode().replace(shown["payload"]["video"]["url"], "")
    tried = work.post(PRACTICE, {"answer": answer})
    assert (tried.status_code, tried.json()["right"], tried.json()["why"]) == expected
    assert not Assignment.objects.exists()
    assert not Annotation.objects.exists()
    assert not LedgerEntry.objects.exists()


def test_an_answer_that_the_tool_refuses_is_refused(db: None, alice: Worker, as_worker: Any) -> None:
    work = as_worker(make_project("p", settings={"practice": _marker()}), alice)
    refused = work.post(PRACTICE, {"answer": {"outcome": "success", "frame": 5000}})
    assert (refused.status_code, problem(refused)["code"]) == (422, "invalid")


@pytest.mark.parametrize(
    ("tool", "own", "right", "wrong"),
    [
        ("parse", {}, {"record": record_of(RIGHT_FORM)}, {"record": record_of({"dialogue_type": "NOOP"})}),
        ("voxels", {}, {"voxels": [[3, y, 5] for y in range(2, 6)]}, {"voxels": [[3, 2, 5]]}),
        ("voxels", {"stage": "name"}, {"phrase": "A blue  tower"}, {"phrase": "a dog"}),
    ],
)
def test_tools_bring_a_practice_of_their_own_unless_it_is_switched_off(
    db: None,
    alice: Worker,
    as_worker: Any,
    tool: str,
    own: dict[str, Any],
    right: dict[str, Any],
    wrong: dict[str, Any],
) -> None:
    project = make_project("p", tool=tool, settings=own)
    work = as_worker(project, alice)
    assert work.get(PRACTICE).json()["first"] is False
    assert [work.post(PRACTICE, {"answer": answer}).json()["right"] for answer in (right, wrong)] == [True, False]
    Project.objects.update(settings={**own, "practice": False})
    assert work.get(PRACTICE).status_code == 204
    assert work.post(PRACTICE, {"answer": right}).status_code == 404


@pytest.mark.parametrize(
    ("practice", "pointer"),
    [
        ("yes", "#/settings/practice"),
        ({"payload": {"text": "go home"}}, "#/settings/practice/accept"),
        ({"payload": {"text": "go home"}, "accept": [{"form": {}}]}, "#/settings/practice/accept/0/form"),
        ({"payload": {}, "accept": [{"form": RIGHT_FORM}]}, "#/settings/practice/payload/text"),
        ({"payload": {"text": "go"}, "accept": [{"form": RIGHT_FORM}], "free": True}, "#/settings/practice/free"),
    ],
)
def test_a_practice_that_cannot_be_done_is_refused(pipe: APIClient, practice: Any, pointer: str) -> None:
    body = {"tool": "parse", "title": "P", "instructions": [], "status": "draft", "settings": {"practice": practice}}
    refused = pipe.put("/api/v1/projects/p/", body)
    assert refused.status_code == 422, refused.content
    assert problem(refused)["errors"][0]["pointer"].startswith(pointer)


def test_a_practice_and_a_reference_are_never_about_the_same(pipe: APIClient) -> None:
    practice = _marker()
    shown, accept = practice["payload"], practice["accept"]
    reference = {"key": "r1", "payload": shown, "reference": {"answers": accept}}
    body = {"tool": "marker", "title": "P", "instructions": [], "status": "draft"}
    with_practice = {**body, "settings": {"practice": practice}}
    assert pipe.put("/api/v1/projects/p/", with_practice).status_code == 201
    refused = pipe.post("/api/v1/projects/p/tasks/", {"tasks": [reference]})
    assert refused.status_code == 422
    assert problem(refused)["errors"][0]["pointer"] == "#/tasks/0/payload/episode"
    # As an ordinary task it reveals nothing.
    assert pipe.post("/api/v1/projects/p/tasks/", {"tasks": [{"key": "t1", "payload": shown}]}).status_code == 200

    assert pipe.put("/api/v1/projects/q/", {**body, "settings": {}}).status_code == 201
    assert pipe.post("/api/v1/projects/q/tasks/", {"tasks": [reference]}).status_code == 200
    refused = pipe.put("/api/v1/projects/q/", with_practice)
    assert refused.status_code == 422
    assert problem(refused)["errors"][0]["pointer"] == "#/settings/practice/payload/episode"
    # A reference that was retired counts for nothing.
    Task.objects.filter(is_reference=True).update(retired_at=timezone.now(), open=False)
    assert pipe.put("/api/v1/projects/q/", with_practice).status_code == 200


def test_the_page_comes_after_the_information_and_before_the_quiz(db: None, alice: Worker) -> None:
    quiz = make_qualification("marking")
    project = make_project("p", qualification=quiz, settings={"practice": _marker(first=True)})
    Project.objects.update(consent_page=page_for("We keep *this*.", at=timezone.now()))
    browser = Client()
    browser.get(f"/enter/p?token={token_for(project, alice)}")
    assert browser.get("/work/p/practice/")["Location"] == "/work/p/"
    browser.post("/work/p/consent/", {"answer": "agree"})
    assert browser.get("/work/p/")["Location"] == "/work/p/practice/"
    page = browser.get("/work/p/practice/").content.decode()
    assert "data-practice-first" in page
    assert "Look at the ball" not in page
    assert browser.get("/work/p/?practised")["Location"] == "/work/p/qualification/"
    start_attempt(worker=alice, qualification=quiz, at=timezone.now())
    assert browser.get("/work/p/")["Location"] == "/work/p/qualification/"


def test_the_video_of_the_practice_is_served_as_long_as_the_project_has_it(
    db: None, alice: Worker, as_worker: Any
) -> None:
    work = as_worker(make_project("p", settings={"practice": _marker()}), alice)
    address = work.get(PRACTICE).json()["payload"]["video"]["url"]
    assert Client().get(address).status_code != 404
    Project.objects.update(settings={})
    assert Client().get(address).status_code == 404


@pytest.mark.parametrize("submitted", [0, 1])
def test_only_a_new_worker_is_led_to_the_practice(db: None, alice: Worker, submitted: int) -> None:
    project = make_project("p", settings={"practice": _marker(first=True)})
    browser = Client()
    browser.get(f"/enter/p?token={token_for(project, alice)}")
    Enrolment.objects.update(submitted=submitted)
    assert ("data-practice-first" in browser.get("/work/p/").content.decode()) == (submitted == 0)


def test_each_worker_may_play_the_video_of_the_practice_as_often(
    db: None, alice: Worker, bob: Worker, as_worker: Any, settings: Any
) -> None:
    settings.CLIP_REQUESTS_A_MINUTE = 1
    project = make_project("p", settings={"practice": _marker()})
    played = []
    for worker in (alice, bob):
        address = as_worker(project, worker).get(PRACTICE).json()["payload"]["video"]["url"]
        played.append([Client().get(address).status_code == 429 for _ in range(2)])
    assert played == [[False, True], [False, True]]


def test_a_practice_whose_episode_was_archived_keeps_nobody_from_the_work(
    db: None, alice: Worker, as_worker: Any
) -> None:
    quiz = make_qualification("marking")
    project = make_project("p", qualification=quiz, settings={"practice": _marker(first=True)})
    Episode.objects.update(archived_at=timezone.now())
    browser = Client()
    browser.get(f"/enter/p?token={token_for(project, alice)}")
    assert browser.get("/work/p/")["Location"] == "/work/p/qualification/"
    assert browser.get("/work/p/practice/")["Location"] == "/work/p/"
    assert as_worker(project, alice).get(PRACTICE).status_code == 204
