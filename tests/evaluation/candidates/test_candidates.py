"""Candidates of a suite: harvested as a weighted mix, taken in words of one's own, or refused."""

from typing import Any

import pytest
from django.test import Client

from annotation.models import Project, Task
from audit.models import AuditEvent
from commands.models import Command
from evaluation.candidates import decisions
from evaluation.models import Candidate, Scenario, Suite
from evaluation.suites import put_scenario
from tests.support.builders import make_agent, make_episode, make_project, make_scenario, make_suite
from tests.support.commands import make_command, make_report
from tests.support.crowds import say
from tests.support.pages import assert_flat, text_of, words_of

pytestmark = pytest.mark.django_db
PAGE = "/staff/suites/new/candidates/"


@pytest.fixture
def project() -> Project:
    """A project in which four continuations failed and four succeeded; and a suite without scenarios."""
    make_suite("new")
    project = make_project("p", suite=make_suite("s"))
    for number in range(8):
        tried(project, "failure" if number % 2 else "success", f"go to {number}")
    return project


def tried(project: Project, outcome: str, instruction: str) -> None:
    scenario = make_scenario(make_suite("s"), instruction.replace(" ", "-"), instruction=instruction, takeover_s=1.0)
    shown = make_episode(scenario=scenario, agent=make_agent("alfa"))
    say(Task.objects.get(project=project, key=shown.external_id), outcome)


def harvest(dora: Client, **form: Any) -> None:
    fields = {"number": 4, "share": 75, "seed": 1, "kind": ["continuation"], **form}
    assert dora.post(PAGE, fields).status_code == 302


def drawn() -> dict[str, bool]:
    return dict(Candidate.objects.values_list("source", "is_failure"))


def test_a_harvest_mixes_failures_and_successes_as_asked(dora: Client, project: Project) -> None:
    harvest(dora)
    first = drawn()
    assert sorted(first.values()) == [False, True, True, True]
    assert AuditEvent.objects.get(verb="suite.harvested").detail["failures"] == 3
    Candidate.objects.all().delete()
    harvest(dora)
    assert drawn() == first
    harvest(dora)
    assert sum(drawn().values()) == 4, "what was drawn once is not drawn again, and there is one more failure"
    words = words_of(dora, PAGE)
    assert "✕ failure Continuation of alfa" in words
    wrong: dict[str, Any]
    for wrong in ({"kind": []}, {"kind": ["rumour"]}, {"number": 0}, {"share": 101}):
        assert (
            dora.post(PAGE, {"number": 4, "share": 75, "seed": 1, "kind": ["continuation"], **wrong}).status_code == 422
        )


def test_a_continuation_that_two_projects_judged_differently_is_drawn_once(dora: Client, project: Project) -> None:
    other = make_project("q", suite=make_suite("s"))
    shown = make_episode(scenario=make_scenario(make_suite("s"), "both"), agent=make_agent("alfa"))
    for judging, outcome in ((project, "success"), (other, "failure")):
        say(Task.objects.get(project=judging, key=shown.external_id), outcome)
    harvest(dora, number=20, share=50)
    assert len(drawn()) == 9


def test_commands_and_reports_are_harvested_too(dora: Client, project: Project) -> None:
    make_command("build a tower", "ok", is_live=True)
    make_command("build a wall", "nlu_error", is_live=True)
    make_command("posted by a program", "nlu_error")
    make_report(text="dig a hole")
    harvest(dora, number=10, share=50, kind=["command", "report"])
    kinds = {(one.kind, one.is_failure) for one in Candidate.objects.all()}
    assert kinds == {("command", False), ("command", True), ("report", True)}
    words = words_of(dora, PAGE)
    assert "build a tower" in words
    assert "dig a hole" in words
    assert "posted by a program" not in words
    report = Candidate.objects.filter(kind="report").first()
    assert report is not None
    form = dora.get(f"{PAGE}{report.pk}/").content.decode()
    assert "&quot;interaction&quot;" in form
    Command.objects.filter(text="build a tower").update(text="erased", fault="erased")
    words = words_of(dora, PAGE)
    assert "erased" not in words
    assert "What this was made of is gone" in words


def test_a_taken_candidate_is_a_scenario_that_names_its_source(dora: Client, project: Project) -> None:
    harvest(dora, number=1, share=100)
    candidate = Candidate.objects.get()
    form = text_of(dora.get(f"{PAGE}{candidate.pk}/").content.decode())
    assert "Word it so that two people judge alike" in form
    source = f'{{"interaction": "i-7", "agent": "alfa", "episode": "{candidate.source}", "split": "test"}}'
    answer = dora.post(
        f"{PAGE}{candidate.pk}/",
        {
            "instruction": "go to the red one",
            "criteria": "It stands beside it.",
            "takeover_s": "2",
            "continuation_s": "9",
            "category": "go",
            "skill": "navigation",
            "tags": "harvested",
            "source": source,
            "key": "go-red",
        },
    )
    assert answer.status_code == 302, text_of(answer.content.decode())
    scenario = Scenario.objects.select_related("current").get(suite__slug="new")
    now = scenario.current
    assert now is not None
    assert (scenario.key, now.instruction, now.takeover_s, now.tags) == (
        "go-red",
        "go to the red one",
        2.0,
        ["harvested"],
    )
    assert now.source is not None
    assert now.source["episode"] == candidate.source
    candidate.refresh_from_db()
    assert (candidate.state, candidate.scenario, candidate.decided_by) == ("taken", scenario, "staff:dora")
    assert "go-red" in words_of(dora, f"{PAGE}?state=taken")
    again = dora.post(f"{PAGE}{candidate.pk}/", {"instruction": "go", "continuation_s": "9", "key": "other"})
    assert again.status_code == 409
    assert "taken already" in text_of(again.content.decode())


def test_a_key_is_given_once(dora: Client, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    make_scenario(make_suite("new"), "go-red", instruction="as before")
    harvest(dora, number=1)
    pk = Candidate.objects.get().pk

    def put_after_another(*, suite: Suite, key: str, **rest: Any) -> Any:
        """As if another request had put the same key a moment ago."""
        if key == "go-late":
            make_scenario(suite, key, instruction="as before")
        return put_scenario(suite=suite, key=key, **rest)

    monkeypatch.setattr(decisions, "put_scenario", put_after_another)
    for key in ("go-red", "go-late"):
        answer = dora.post(f"{PAGE}{pk}/", {"instruction": "go", "continuation_s": "9", "key": key})
        assert answer.status_code == 409, key
        assert Candidate.objects.get().state == "waiting"
    assert not Scenario.objects.filter(suite__slug="new").exclude(current__instruction="as before").exists()


def test_a_candidate_is_refused_with_a_reason(dora: Client, project: Project) -> None:
    harvest(dora, number=1)
    pk = Candidate.objects.get().pk
    assert dora.post(f"{PAGE}{pk}/refuse/", {"reason": " "}).status_code == 422
    assert dora.post(f"{PAGE}{pk}/refuse/", {"reason": "too dark"}).status_code == 302
    assert "Refused by staff:dora: too dark" in words_of(dora, f"{PAGE}?state=refused")
    assert dora.post(f"{PAGE}{pk}/refuse/", {"reason": "again"}).status_code == 409


def test_a_candidate_whose_source_is_gone_can_only_be_refused(dora: Client, project: Project) -> None:
    gone = Candidate.objects.create(
        suite=make_suite("new"), kind="report", source="0" * 32, is_failure=True, created_at=project.created_at
    )
    assert "What this was made of is gone" in words_of(dora, PAGE)
    assert dora.get(f"{PAGE}{gone.pk}/").status_code == 404


def test_the_list_costs_the_same_for_2_and_6(dora: Client, project: Project) -> None:
    def one_more() -> None:
        tried(project, "failure", f"do {Candidate.objects.count()}")
        harvest(dora, number=1, share=100)

    assert_flat(dora, PAGE, one_more)
