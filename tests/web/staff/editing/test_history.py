"""The history of changes shows who changed what from which value to which, and puts a change back."""

from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from agents.models import Agent
from annotation.models import Project
from audit.models import AuditEvent
from evaluation.suites import scenario_for, suite_named
from routing.models import Route
from tests.support.builders import annotate, claim, make_suite, make_task, make_worker, quiz_body
from tests.support.pages import text_of, words_of
from tests.support.tool_workers import make_parse_project
from workforce.qualifications import qualification_named

pytestmark = pytest.mark.django_db

PAGES = [f"# Page {number}\n\n{'Watch, then mark. ' * 60}" for number in range(4)]
PROJECT: dict[str, Any] = {
    "tool": "marker",
    "title": "Lids",
    "instructions": PAGES,
    "redundancy": 2,
    "pay": {"base": {"amount": "0.30", "currency": "EUR"}},
    "budget": {"amount": "12.50", "currency": "EUR"},
    "consent": f"We keep nothing. {'Really. ' * 400}",
    "gates": [{"action": "pause", "below": 0.6, "minimum_n": 5}],
    "status": "live",
}


def _last(kind: str) -> AuditEvent:
    return AuditEvent.objects.filter(subject_kind=kind, verb=f"{kind}.changed").latest("pk")


def test_a_change_of_a_project_is_put_back_and_later_changes_stay(pipe: APIClient, dora: Client) -> None:
    url = "/api/v1/projects/p/"
    before = pipe.put(url, PROJECT).json()
    dropped = {"pay": None, "budget": None, "consent": None, "gates": None, "instructions": ["Mark it."]}
    pipe.patch(url, dropped)
    event = _last("project")
    pipe.patch(url, {"title": "Pots", "redundancy": 3})
    history = words_of(dora, "/staff/projects/p/history/")
    assert "Project changed by key:pipe" in history
    assert "title before: Lids → now: Pots" in history
    change = f"/staff/projects/p/history/{event.pk}/"
    assert "All that was changed besides stays." in words_of(dora, change)
    assert "put back" in text_of(dora.post(change, follow=True).content.decode())
    after = pipe.get(url).json()
    assert after == {**before, "title": "Pots", "redundancy": 3}
    put_back = _last("project")
    assert (put_back.actor, set(put_back.detail["after"])) == ("staff:dora", {*dropped})
    assert "There is nothing to put back" in words_of(dora, change)


def test_what_follows_is_said_before_a_change_is_put_back(pipe: APIClient, dora: Client) -> None:
    pipe.put("/api/v1/projects/p/", PROJECT | {"consent": None, "gates": []})
    pipe.patch("/api/v1/projects/p/", {"pay": {"base": {"amount": "0.40"}}})
    project = Project.objects.get()
    make_task(project)
    claim(project, make_worker("bob"))
    said = words_of(dora, f"/staff/projects/p/history/{_last('project').pk}/")
    assert "1 person holds work that was taken at 0.40 EUR a task: what is handed in from now on is paid 0.30" in said


def test_a_status_and_the_episodes_of_a_project_are_put_back(pipe: APIClient, dora: Client) -> None:
    make_suite("s")
    url = "/api/v1/projects/p/"
    pipe.put(url, PROJECT | {"suite": "s"})
    pipe.patch(url, {"suite": None})
    dora.post("/staff/projects/p/status/", {"status": "paused"})
    for verb in ("project.status", "project.episodes"):
        event = AuditEvent.objects.filter(verb=verb).latest("pk")
        assert dora.post(f"/staff/projects/p/history/{event.pk}/").status_code == 302
    shown = pipe.get(url).json()
    assert (shown["status"], shown["suite"]) == ("live", "s")


def test_a_refusal_to_put_back_says_why_and_changes_nothing(pipe: APIClient, dora: Client) -> None:
    pipe.put("/api/v1/projects/p/", PROJECT | {"consent": None})
    pipe.patch("/api/v1/projects/p/", {"pay": {"base": {"currency": "USD"}}, "budget": {"currency": "USD"}})
    event, project = _last("project"), Project.objects.get()
    make_task(project, redundancy=1)
    annotate(claim(project, make_worker("bob")))
    refused = dora.post(f"/staff/projects/p/history/{event.pk}/")
    assert refused.status_code == 409
    assert "Work here is paid in USD" in text_of(refused.content.decode())
    assert Project.objects.get().currency == "USD"


def test_changes_of_a_quiz_a_suite_and_a_scenario_are_put_back(pipe: APIClient, dora: Client) -> None:
    questions = [{**quiz_body()["questions"][0], "id": f"q{n}", "ask": f"How many? {'x' * 400}"} for n in range(20)]
    pipe.put("/api/v1/qualifications/quiz/", quiz_body(questions=questions))
    pipe.patch("/api/v1/qualifications/quiz/", {"questions": quiz_body()["questions"], "attempts": 9})
    dora.post(f"/staff/qualifications/quiz/history/{_last('qualification').pk}/")
    quiz = qualification_named("quiz")
    assert ([one["id"] for one in quiz.questions], quiz.attempts) == ([f"q{n}" for n in range(20)], 2)
    pipe.put("/api/v1/suites/s/", {"title": "Rooms"})
    pipe.patch("/api/v1/suites/s/", {"title": "Halls"})
    dora.post(f"/staff/suites/s/history/{_last('suite').pk}/")
    suite = suite_named("s")
    assert suite.title == "Rooms"
    scenario = {"instruction": "go", "category": "c", "skill": "k", "takeover_s": 1, "continuation_s": 5}
    pipe.put("/api/v1/suites/s/scenarios/a/", scenario)
    pipe.patch("/api/v1/suites/s/scenarios/a/", {"instruction": "stop"})
    event = AuditEvent.objects.get(verb="scenario.changed")
    dora.post(f"/staff/suites/s/history/{event.pk}/")
    current = scenario_for(suite, "a").current
    assert current is not None
    assert current.instruction == "go"


def test_changes_of_an_agent_and_a_route_are_put_back(pipe: APIClient, dora: Client) -> None:
    pipe.put("/api/v1/agents/robot/", {"name": "Robot", "metadata": {"size": 1}})
    pipe.patch("/api/v1/agents/robot/", {"name": "Robot 2", "metadata": {"size": 2}})
    assert "Agent changed" in words_of(dora, "/staff/agents/robot/history/")
    dora.post(f"/staff/agents/robot/history/{_last('agent').pk}/")
    agent = Agent.objects.get(slug="robot")
    assert (agent.name, agent.metadata) == ("Robot", {"size": 1})
    make_parse_project("parsing")
    pipe.put("/api/v1/routes/every/", {"outcome": "*", "project": "parsing", "rate": 1.0, "agents": ["robot"]})
    pipe.patch("/api/v1/routes/every/", {"rate": 0.25, "agents": []})
    change = f"/staff/routes/every/history/{_last('route').pk}/"
    assert "Tasks that were made stay" in words_of(dora, change)
    dora.post(change)
    route = Route.objects.get()
    assert (route.rate, [one.slug for one in route.agents.all()]) == (1.0, ["robot"])


def test_what_is_no_change_of_this_thing_is_404(pipe: APIClient, dora: Client) -> None:
    for slug in ("p", "q"):
        pipe.put(f"/api/v1/projects/{slug}/", PROJECT)
    pipe.patch("/api/v1/projects/p/", {"title": "Pots"})
    created = AuditEvent.objects.get(verb="project.created", subject="p")
    for slug, event in (("p", created), ("q", _last("project"))):
        assert dora.get(f"/staff/projects/{slug}/history/{event.pk}/").status_code == 404
