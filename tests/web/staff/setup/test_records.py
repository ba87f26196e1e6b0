"""Suites, scenarios, agents, quizzes and routes: made, edited and copied on staff pages."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from agents.models import Agent
from annotation.models import Project
from evaluation.models import Scenario, Suite, Version
from evaluation.suites import freeze, frozen_content, frozen_digest
from routing.models import Route
from tests.support.builders import (
    NOON,
    claim,
    make_project,
    make_qualification,
    make_scenario,
    make_suite,
    make_task,
)
from tests.support.commands import make_bare_route
from tests.support.tool_workers import make_parse_project
from workforce.models import Qualification, Worker

SCENARIO = {"instruction": "Lift the ball", "takeover_s": "1.5", "continuation_s": "20", "tags": "easy\nball"}


def values(page: Any) -> dict[str, str]:
    """The values of a form's fields."""
    return {one.field.path: one.text for one in page.context["fields"]}


def test_a_suite_and_its_scenarios_are_made_edited_and_copied(dora: Client) -> None:
    made = dora.post("/staff/new-suite/", {"title": "In the kitchen"})
    assert made["Location"] == "/staff/suites/in-the-kitchen/"
    assert dora.post("/staff/new-suite/", {"title": "In the kitchen"}).status_code == 409
    for _ in range(2):
        assert dora.post("/staff/suites/in-the-kitchen/new-scenario/", SCENARIO).status_code == 302
    assert set(Scenario.objects.values_list("key", flat=True)) == {"lift-the-ball", "lift-the-ball-2"}
    page = "/staff/suites/in-the-kitchen/scenarios/lift-the-ball/"
    typed = values(dora.get(page))
    assert (typed["takeover_s"], typed["tags"], typed["category"]) == ("1.5", "easy\nball", "general")
    assert dora.post(page, {**typed, "criteria": "It leaves the ground."}).status_code == 302
    wording = Scenario.objects.get(key="lift-the-ball").current
    assert wording is not None
    assert (wording.criteria, wording.tags) == ("It leaves the ground.", ["easy", "ball"])
    assert dora.post("/staff/suites/in-the-kitchen/edit/", {"title": "Kitchen"}).status_code == 302
    assert dora.post("/staff/suites/in-the-kitchen/freeze/", {"version": "v1"}).status_code == 302
    assert Suite.objects.get().versions.get(slug="v1").revisions.count() == 2
    copied = dora.post("/staff/suites/in-the-kitchen/duplicate/")
    assert copied["Location"] == "/staff/suites/in-the-kitchen-2/edit/"
    copy = Suite.objects.get(slug="in-the-kitchen-2")
    assert copy.title == "Copy of Kitchen"
    assert copy.scenarios.get(key="lift-the-ball").current.criteria == "It leaves the ground."  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"takeover_s": "soon"}, "Write a number"),
        ({"continuation_s": "0"}, "greater than"),
        ({"difficulty": "{hard"}, "This is not JSON."),
        ({"key": "two words"}, "Use letters, digits"),
    ],
)
def test_a_wrong_scenario_is_refused_beside_its_field(changed: dict[str, str], said: str, dora: Client) -> None:
    make_suite("sts")
    answer = dora.post("/staff/suites/sts/new-scenario/", {**SCENARIO, **changed})
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert "Lift the ball" in answer.content.decode()
    assert not Scenario.objects.exists()


def test_the_takeover_is_found_in_a_video_of_the_scenario(dora: Client) -> None:
    project = make_project("marking", suite=make_suite("sts"))
    episode = make_task(project).shown.episode
    scenario = episode.scenario
    page = dora.get(f"/staff/suites/{scenario.suite.slug}/scenarios/{scenario.key}/").content.decode()
    assert "data-slider" in page
    assert "/video.mp4" in page


def test_an_agent_is_made_and_edited(dora: Client) -> None:
    assert dora.post("/staff/new-agent/", {"name": "Alpha 2", "metadata": '{"seed": 3}'}).status_code == 302
    page = "/staff/agents/alpha-2/edit/"
    assert dora.post(page, {**values(dora.get(page)), "description": "The second."}).status_code == 302
    agent = Agent.objects.get()
    assert (agent.name, agent.description, agent.metadata) == ("Alpha 2", "The second.", {"seed": 3})
    assert "curl -X PUT" in dora.get(page).content.decode()


QUIZ = {
    "title": "Before you begin",
    "pass_mark": "80",
    "attempts": "2",
    "pages/0": "# Read this",
    "questions/0/kind": "single",
    "questions/0/ask": "How many?",
    "questions/0/options": "one\ntwo",
    "questions/0/accept": "two",
    "questions/1/kind": "multiple",
    "questions/1/ask": "Which?",
    "questions/1/options": "a\nb\nc",
    "questions/1/accept": "a\nb",
}


def test_a_quiz_is_made_of_questions_and_of_references(dora: Client) -> None:
    project = make_project("marking", suite=make_suite("sts"))
    reference = make_task(project, truth="success")
    of_reference = {
        "questions/2/kind": "task",
        "questions/2/ask": "Mark it",
        "questions/2/reference": "marking/no-such",
    }
    refused = dora.post("/staff/new-qualification/", {**QUIZ, **of_reference})
    assert "There is no such reference." in refused.content.decode()
    of_reference["questions/2/reference"] = f"marking/{reference.key}"
    made = dora.post("/staff/new-qualification/", {**QUIZ, **of_reference})
    assert made.status_code == 302, made.context["errors"]
    quiz = Qualification.objects.get()
    assert (quiz.slug, quiz.pass_mark, quiz.pages) == ("before-you-begin", 0.8, ["# Read this"])
    assert [question["id"] for question in quiz.questions] == ["how-many", "which", "mark-it"]
    assert quiz.questions[2]["accept"] == [{"outcome": "success"}]
    page = "/staff/qualifications/before-you-begin/edit/"
    before = quiz.questions
    assert dora.post(page, values(dora.get(page))).status_code == 302
    quiz.refresh_from_db()
    assert quiz.questions == before
    wrong = dora.post(page, {**values(dora.get(page)), "questions/0/accept": "three"})
    assert wrong.status_code == 422
    assert "three" in wrong.content.decode()


def test_a_project_a_quiz_and_a_route_are_copied(dora: Client) -> None:
    quiz = make_qualification("quiz")
    project = make_project("marking", suite=make_suite("sts"), title="Mark", qualification=quiz, redundancy=3)
    make_task(project)
    assert dora.post("/staff/projects/marking/duplicate/")["Location"] == "/staff/projects/marking-2/settings/"
    copy = Project.objects.get(slug="marking-2")
    assert (copy.title, copy.status, copy.redundancy, copy.qualification) == ("Copy of Mark", "draft", 3, quiz)
    dora.post("/staff/qualifications/quiz/duplicate/")
    assert Qualification.objects.get(slug="quiz-2").questions == quiz.questions
    make_bare_route(make_parse_project("parsing"), "every-command")
    dora.post("/staff/routes/every-command/duplicate/")
    assert Route.objects.get(slug="every-command-2").rate == 0


def test_a_change_of_a_running_project_says_what_follows_before_it_is_made(dora: Client, alice: Worker) -> None:
    project = make_project("marking", suite=make_suite("sts"), title="Mark", base_pay="0.30")
    make_task(project)
    claim(project, alice)
    page = "/staff/projects/marking/settings/"
    shown = dora.get(page)
    typed = {one.field.path: one.text for drawn in shown.context["sections"] for one in drawn.fields}
    asked = dora.post(page, {**typed, "pay/base/amount": "0.10"})
    assert "Nothing is saved yet." in asked.content.decode()
    assert 'value="0.10"' in asked.content.decode()
    project.refresh_from_db()
    assert str(project.base_pay) == "0.3000"
    assert dora.post(page, {**typed, "pay/base/amount": "0.10", "confirmed": "yes"}).status_code == 302
    project.refresh_from_db()
    assert str(project.base_pay) == "0.1000"


def test_a_suite_is_downloaded_and_made_from_its_file(dora: Client) -> None:
    make_scenario(make_suite("lids"), "lid")
    freeze(suite=make_suite("lids"), slug="v1", by="system", at=NOON)
    file = dora.get("/staff/suites/lids/file.zip").getvalue()
    posted = dora.post("/staff/suite-from-file/", {"file": SimpleUploadedFile("lids.zip", file), "slug": "pots"})
    assert (posted.status_code, posted["Location"]) == (302, "/staff/suites/pots/")
    digests = {frozen_digest(frozen_content(one)) for one in Version.objects.all()}
    assert (Version.objects.count(), len(digests)) == (2, 1)
    refused = dora.post("/staff/suite-from-file/", {"file": SimpleUploadedFile("a.zip", b"no zip"), "slug": "pots"})
    assert (refused.status_code, "no zip file" in refused.content.decode()) == (422, True)
