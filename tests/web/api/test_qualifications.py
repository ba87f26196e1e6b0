"""A quiz over HTTP: pipelines put it, a worker takes it, and its right answers never reach the worker."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Project
from audit.models import AuditEvent
from evaluation.models import Episode
from tests.support.builders import (
    RIGHT_ANSWERS,
    WRONG_ANSWERS,
    make_episode,
    make_project,
    make_qualification,
    make_task,
    make_worker,
    quiz_body,
    token_for,
)
from tests.support.calls import content, problem
from workforce.models import Attempt, Grant, Qualification, Worker
from workforce.qualifications import give

QUIZ = "/api/v1/work/qualification/"
TASK = {"id": "mark", "ask": "Mark it.", "kind": "task", "accept": [{"outcome": "success", "time_s": 3.0}]}
SECRET = "zanzibar-4711"
SECRET_S = 3.14159


def task_question(episode: Episode, **changes: Any) -> dict[str, Any]:
    return {**TASK, "payload": {"episode": episode.external_id}, **changes}


@pytest.fixture
def project(db: None) -> Project:
    project = make_project("p", qualification=make_qualification("marking"))
    make_task(project)
    return project


@pytest.fixture
def work(project: Project, alice: Worker, as_worker: Callable[[Project, Worker], APIClient]) -> APIClient:
    """Alice's browser."""
    return as_worker(project, alice)


@pytest.fixture
def browser(project: Project, alice: Worker) -> Client:
    """Alice's browser on the pages, let in by her link."""
    client = Client()
    client.get(f"/enter/p?token={token_for(project, alice)}")
    return client


# Pipelines -------------------------------------------------------------------------------------------------------


def test_a_quiz_is_put_read_back_and_listed_with_its_answers(pipe: APIClient) -> None:
    episode = make_episode()
    body = quiz_body()
    body["questions"].append(task_question(episode))
    made = pipe.put("/api/v1/qualifications/marking/", body)
    assert made.status_code == 201, made.content
    shown = made.json()
    assert shown["slug"] == "marking"
    assert shown["questions"][:3] == body["questions"][:3]
    assert shown["questions"][3] == {**body["questions"][3], "tool": "marker", "tolerance_s": None}
    assert (shown["draw"], shown["cool_off_s"], shown["valid_s"]) == (None, 0, None)
    assert pipe.get("/api/v1/qualifications/marking/").json() == shown
    assert pipe.get("/api/v1/qualifications/").json()["results"] == [shown]
    del shown["slug"]
    assert pipe.put("/api/v1/qualifications/marking/", shown).status_code == 200
    [event] = AuditEvent.objects.filter(subject_kind="qualification")
    assert (event.verb, event.subject) == ("qualification.created", "marking")
    assert event.actor.startswith("key:pipe")


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"pass_mark": 1.1}, "#/pass_mark"),
        ({"attempts": 0}, "#/attempts"),
        ({"draw": 0}, "#/draw"),
        ({"draw": 4}, "#/draw"),
        ({"cool_off_s": -1}, "#/cool_off_s"),
        ({"valid_s": 0}, "#/valid_s"),
        ({"questions": []}, "#/questions"),
        ({"questions": [{**TASK, "kind": "essay"}]}, "#/questions/0/kind"),
        ({"questions": [{**TASK, "hint": "x"}]}, "#/questions/0/hint"),
        ({"questions": [{**TASK, "payload": {"episode": "none"}}]}, "#/questions/0/payload/episode"),
        ({"questions": [{**TASK, "payload": {"film": "none"}}]}, "#/questions/0/payload"),
        ({"questions": [{**TASK, "payload": {"film": "e"}, "tool": "marker"}]}, "#/questions/0/payload/film"),
        ({"questions": [{**TASK, "payload": {"episode": "e"}, "tool": "loom"}]}, "#/questions/0/tool"),
        ({"questions": [{**TASK, "payload": {"episode": "raw"}}]}, "#/questions/0/payload/episode"),
        (
            {"questions": [{**TASK, "payload": {"episode": "e"}, "accept": [{"outcome": "maybe"}]}]},
            "#/questions/0/accept/0/outcome",
        ),
        (
            {"questions": [{**TASK, "payload": {"episode": "e"}, "accept": [{"outcome": "success", "frame": 999}]}]},
            "#/questions/0/accept/0/frame",
        ),
    ],
)
def test_a_quiz_that_cannot_be_asked_is_refused(changes: dict[str, Any], pointer: str, pipe: APIClient) -> None:
    make_episode(external_id="e")
    make_episode(external_id="raw", is_ready=False)
    answer = pipe.put("/api/v1/qualifications/marking/", quiz_body(**changes))
    assert answer.status_code == 422
    assert pointer in [fault["pointer"] for fault in problem(answer)["errors"]]
    assert not Qualification.objects.exists()


def test_a_project_requires_a_quiz_that_is_there(pipe: APIClient) -> None:
    body = {"tool": "marker", "title": "P", "instructions": ["Mark."], "qualification": "marking", "status": "live"}
    refused = pipe.put("/api/v1/projects/q/", body)
    assert problem(refused)["errors"][0]["pointer"] == "#/qualification"
    make_qualification("marking")
    assert pipe.put("/api/v1/projects/q/", body).json()["qualification"] == "marking"


# Workers ---------------------------------------------------------------------------------------------------------


def test_what_is_missing_is_said_and_the_quiz_lets_the_worker_in(work: APIClient, project: Project) -> None:
    assert work.get("/api/v1/work/").json()["missing"] == {"qualification": "marking"}
    refusal = work.post("/api/v1/work/claim/", {})
    assert (refusal.status_code, problem(refusal)["code"]) == (403, "qualification_required")
    quiz = work.get(QUIZ).json()
    assert [sorted(question) for question in quiz["questions"]] == [
        ["ask", "id", "kind", "options"],
        ["ask", "id", "kind", "options"],
        ["ask", "id", "kind"],
    ]
    assert {key: quiz[key] for key in ("title", "pages", "attempts_left", "pass_mark", "passed")} == {
        "title": "Before you start",
        "pages": ["# Read this\n\nYou mark one moment."],
        "attempts_left": 2,
        "pass_mark": 0.66,
        "passed": False,
    }
    answer = work.post(QUIZ, {"answers": RIGHT_ANSWERS})
    assert answer.json() == {"passed": True, "score": 1.0, "attempts_left": 1, "again_at": None}
    assert work.get("/api/v1/work/").json()["missing"] is None
    assert work.post("/api/v1/work/claim/", {}).status_code == 200
    after = work.get(QUIZ).json()
    assert (after["passed"], after["questions"]) == (True, [])


def test_consent_and_quiz_may_both_be_missing(work: APIClient, project: Project, pipe: APIClient) -> None:
    body = {"tool": "marker", "title": "P", "instructions": [], "consent": "We keep *this*.", "status": "live"}
    pipe.put("/api/v1/projects/p/", {**body, "qualification": "marking"})
    missing = work.get("/api/v1/work/").json()["missing"]
    assert missing == {"consent": "We keep *this*.", "qualification": "marking"}


def test_a_project_without_a_quiz_has_none_to_take(alice: Worker, as_worker: Any) -> None:
    work = as_worker(make_project("free"), alice)
    assert work.get("/api/v1/work/").json()["missing"] is None
    assert work.get(QUIZ).status_code == 404
    assert work.post(QUIZ, {"answers": {}}).status_code == 404


def test_the_same_questions_come_again_until_they_are_answered(
    project: Project, work: APIClient, bob: Worker, as_worker: Any
) -> None:
    questions = [
        {"id": f"q{n}", "ask": "?", "kind": "single", "options": list("abcdef"), "accept": ["a"]} for n in range(8)
    ]
    make_qualification("marking", questions=questions, draw=4)
    first = work.get(QUIZ).json()
    assert len(first["questions"]) == 4
    assert work.get(QUIZ).json() == first
    assert as_worker(project, bob).get(QUIZ).json()["questions"] != first["questions"]


def test_what_is_missing_or_was_not_asked_uses_nothing_up(work: APIClient) -> None:
    answer = work.post(QUIZ, {"answers": {"one": "one", "keys": ["S", "Z"], "hint": "x"}})
    assert answer.status_code == 422
    assert [fault["pointer"] for fault in problem(answer)["errors"]] == [
        "#/answers/hint",
        "#/answers/keys",
        "#/answers/word",
    ]
    assert work.post(QUIZ, {"answers": ["one"]}).status_code == 422
    assert work.get(QUIZ).json()["attempts_left"] == 2


def test_a_worker_may_answer_without_asking_for_the_questions_first(work: APIClient) -> None:
    assert work.post(QUIZ, {"answers": RIGHT_ANSWERS}).json()["passed"] is True


def test_failing_costs_an_attempt_and_the_same_post_again_costs_none(work: APIClient) -> None:
    failed = {"passed": False, "score": pytest.approx(1 / 3), "attempts_left": 1, "again_at": None}
    for _ in range(3):
        assert work.post(QUIZ, {"answers": WRONG_ANSWERS}).json() == failed
    work.get(QUIZ)
    assert work.post(QUIZ, {"answers": WRONG_ANSWERS}).json()["attempts_left"] == 0
    for refusal in (work.get(QUIZ), work.post(QUIZ, {"answers": RIGHT_ANSWERS})):
        assert refusal.status_code == 403
        assert problem(refusal)["code"] == "attempts_used"


def test_cooling_off_says_when_and_ends(project: Project, work: APIClient, alice: Worker) -> None:
    make_qualification("marking", cool_off_s=600)
    failed = work.post(QUIZ, {"answers": WRONG_ANSWERS}).json()
    assert failed["again_at"] is not None
    refusal = work.get(QUIZ)
    assert (refusal.status_code, problem(refusal)["code"]) == (403, "cool_off")
    assert 590 <= int(refusal["Retry-After"]) <= 600
    Attempt.objects.update(finished_at=timezone.now() - timedelta(seconds=600))
    assert work.get(QUIZ).status_code == 200
    assert work.post(QUIZ, {"answers": RIGHT_ANSWERS}).json()["passed"] is True
    refusal = work.post(QUIZ, {"answers": WRONG_ANSWERS})
    assert (refusal.status_code, problem(refusal)["code"]) == (409, "already_passed")


@pytest.mark.parametrize("column", ["expires_at", "revoked_at"])
def test_a_grant_that_has_ended_lets_nobody_in(column: str, work: APIClient, alice: Worker, project: Project) -> None:
    assert project.qualification is not None
    give(worker=alice, qualification=project.qualification, by="staff:dora", at=timezone.now())
    assert work.post("/api/v1/work/claim/", {}).status_code == 200
    Grant.objects.update(**{column: timezone.now() - timedelta(seconds=1)})
    assert problem(work.post("/api/v1/work/claim/", {}))["code"] == "qualification_required"
    assert work.get("/api/v1/work/").json()["missing"] == {"qualification": "marking"}


def test_a_grant_of_another_quiz_lets_nobody_in(work: APIClient, alice: Worker) -> None:
    give(worker=alice, qualification=make_qualification("other"), by="staff:dora", at=timezone.now())
    assert problem(work.post("/api/v1/work/claim/", {}))["code"] == "qualification_required"


# A real task as a question ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "tolerance_s", "passed"),
    [
        ({"outcome": "success", "frame": 30}, None, True),
        ({"outcome": "success", "frame": 40}, None, True),
        ({"outcome": "success", "frame": 41}, None, False),
        ({"outcome": "success", "frame": 33}, 0.2, False),
        ({"outcome": "failure", "frame": 30}, None, False),
    ],
)
def test_a_task_is_graded_by_its_tool(
    answer: dict[str, Any], tolerance_s: float | None, passed: bool, work: APIClient
) -> None:
    question = task_question(make_episode(), tolerance_s=tolerance_s)
    make_qualification("marking", questions=[question], pass_mark=1)
    assert work.post(QUIZ, {"answers": {"mark": answer}}).json()["passed"] is passed


@pytest.mark.parametrize(
    ("answer", "pointer"),
    [
        ({"outcome": "success", "frame": 5}, "#/answers/mark/frame"),
        ({"outcome": "success"}, "#/answers/mark/frame"),
        ({"outcome": "success", "frame": 30, "note": "x"}, "#/answers/mark/note"),
        ("success", "#/answers/mark"),
        ({}, "#/answers/mark"),
    ],
)
def test_what_the_tool_refuses_is_refused_beside_the_question(answer: Any, pointer: str, work: APIClient) -> None:
    make_qualification("marking", questions=[task_question(make_episode())])
    refusal = work.post(QUIZ, {"answers": {"mark": answer}})
    assert refusal.status_code == 422
    assert [fault["pointer"] for fault in problem(refusal)["errors"]] == [pointer]


def test_a_task_is_shown_as_its_tool_shows_it_with_an_address_that_works(work: APIClient, stranger: APIClient) -> None:
    episode = make_episode(external_id="told-to-nobody")
    make_qualification("marking", questions=[task_question(episode)])
    [question] = work.get(QUIZ).json()["questions"]
    assert question["tool"] == "marker"
    assert question["payload"]["instruction"] == episode.instruction
    url = question["payload"]["video"]["url"]
    assert "told-to-nobody" not in json.dumps(question)
    whole = stranger.get(url)
    assert (whole.status_code, whole["Content-Type"]) == (200, "video/mp4")
    part = stranger.get(url, headers={"Range": "bytes=0-3"})
    assert part.status_code == 206
    assert stranger.get(url.replace("quiz", "quix")).status_code == 404


def test_no_answer_to_a_worker_holds_a_right_answer(
    work: APIClient, browser: Client, alice: Worker, project: Project
) -> None:
    """Every page and call of a quiz, before and after a failure and a pass."""
    questions = [
        *quiz_body()["questions"][:2],
        {"id": "word", "ask": "The word?", "kind": "text", "accept": [SECRET, "takeover"]},
        task_question(make_episode(), accept=[{"outcome": "success", "time_s": SECRET_S}], tolerance_s=0.123456),
    ]
    make_qualification("marking", questions=questions, pass_mark=1, attempts=3)
    wrong = {**WRONG_ANSWERS, "mark": {"outcome": "failure", "frame": 60}}
    right = {**RIGHT_ANSWERS, "mark": {"outcome": "success", "frame": 31}}
    page = "/work/p/qualification/"
    seen: list[bytes] = []

    def look() -> None:
        answers = [work.get("/api/v1/work/"), work.get(QUIZ), work.post("/api/v1/work/claim/", {})]
        pages = [page, *(f"{page}?at={at}" for at in ("page-1", "questions", "task-mark", "result"))]
        seen.extend(content(answer) for answer in (*answers, *(browser.get(one) for one in pages)))

    look()
    seen.append(content(browser.post(page, {"step": "questions", "q-one": "0"})))
    seen.append(content(work.post(QUIZ, {"answers": {"nonsense": 1}})))
    seen.append(content(work.post(QUIZ, {"answers": wrong})))
    look()
    passed = work.post(QUIZ, {"answers": right})
    assert passed.json()["passed"] is True
    seen.append(content(passed))
    look()
    assert len(seen) == 28
    everything = b"\n".join(seen).lower()
    assert everything.count(b"data-quiz-payload") >= 2
    assert everything.count(b"choose all that fit") >= 2
    for secret in (SECRET, "takeover", str(SECRET_S), "0.123456", "accept", "tolerance"):
        found = everything.replace(b"takeover_s", b"")
        assert secret.encode() not in found, secret


def test_options_come_in_an_order_that_tells_nothing(project: Project, as_worker: Any) -> None:
    """Wherever the author put the right one, it is served first about as often as any other."""
    firsts = [as_worker(project, make_worker()).get(QUIZ).json()["questions"][0]["options"][0] for _ in range(60)]
    assert set(firsts) == {"none", "one", "many"}
    assert max(map(firsts.count, set(firsts))) < 40
