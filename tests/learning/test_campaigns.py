"""Campaigns: the loop from sessions to a deployed model, by itself; what stops it, and what a kill leaves."""

from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Project
from jobs import outbox
from jobs.models import Job
from learning.campaigns import steps
from learning.campaigns.acts import ADVANCE
from learning.data import tranches
from learning.models import (
    Campaign,
    Deployment,
    GateVerdict,
    Iteration,
    Run,
    Serving,
    TrainedModel,
    Training,
    Tranche,
)
from routing.models import Route
from tests.support.builders import NOON, make_project
from tests.support.campaigns import plan_of
from tests.support.commands import run_jobs
from tests.support.models import DANCE, NOOP, make_model, make_tranche
from tests.support.sessions import both, judged, make_live_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("by_heart")]
Json = dict[str, Any]
NEITHER = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "STOP"}]}
"""A form that neither the agent's rules nor the trainer makes of the first test items, so that these decide nothing."""


@pytest.fixture
def project() -> Project:
    """A live project whose misunderstood commands a route sends to be parsed, and a tranche 0."""
    live, parses = make_live_project("live"), make_project("parses", tool="parse")
    Route.objects.create(slug="words", outcome="nlu_error", project=parses, created_at=NOON)
    make_tranche(0, test=60, train=3, form=NEITHER)
    return live


def call(pipe: APIClient, what: str = "", status: int = 200, **body: Any) -> Json:
    answer = pipe.post(f"/api/v1/campaigns/loop/{what}/", body) if what else pipe.get("/api/v1/campaigns/loop/")
    assert answer.status_code == status, answer.content
    found: Json = answer.json()
    return found


def put(pipe: APIClient, among: Project, status: int = 201, **changes: Any) -> Json:
    answer = pipe.put("/api/v1/campaigns/loop/", plan_of(among) | changes)
    assert answer.status_code == status, answer.content
    found: Json = answer.json()
    return found


def advance() -> None:
    """Let a minute's schedule and all background work be done, until nothing moves any more."""
    quiet = 0
    for _ in range(50):
        steps.ask_for_steps(timezone.now())
        tranches.ask_for_closing(timezone.now())
        waiting = list(Job.objects.unfinished().filter(kind__startswith="learning.").values_list("pk", flat=True))
        before = _state()
        run_jobs()
        for pk in waiting:
            outbox.run(pk)
        # A job whose runner died is given up in one minute, and made again in the next.
        quiet = quiet + 1 if _state() == before else 0
        if quiet == 3:
            return
    raise AssertionError("it never rests")


def _state() -> list[Any]:
    rows = Iteration.objects.order_by("pk").values_list("number", "step", "training", "model", "outcome")
    tranches_now = Tranche.objects.order_by("pk").values_list("status")
    return [
        *rows,
        *tranches_now,
        *Campaign.objects.values_list("status"),
        *Run.objects.order_by("pk").values_list("status"),
    ]


def command(pipe: APIClient, *, name: str = "dance", form: Json = NOOP, wanted: int = 200) -> None:
    """Past commands that the agent's rules misunderstand, with their forms."""
    given = [
        {"command": f"{name}-{number}", "project": "live", "text": f"{name} {number} rounds", "form": form}
        for number in range(wanted)
    ]
    assert pipe.post("/api/v1/commands/", {"commands": given}).status_code == 200


def test_a_plan_is_put_and_starts_nothing(pipe: APIClient, project: Project) -> None:
    made = put(pipe, project)
    assert (made["status"], made["iterations"], made["spent"]["amount"]) == ("draft", [], "0.00")
    assert made["gate"] == {"seeds": 1, "ask": "not_passed"}
    assert put(pipe, project, 200) == made
    assert not Tranche.objects.filter(number=1).exists()
    assert [one["slug"] for one in pipe.get("/api/v1/campaigns/").json()["results"]] == ["loop"]


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"project": "nowhere"}, "#/project"),
        ({"project": "parses"}, "#/project"),
        ({"modules": ["taste"]}, "#/modules"),
        ({"modules": ["nlu", "nlu"]}, "#/modules"),
        ({"routes": ["nowhere"]}, "#/routes"),
        ({"stop": {}}, "#/stop"),
        ({"gate": {"seeds": 0}}, "#/gate/seeds"),
        ({"budget": {"amount": "-1", "currency": "USD"}}, "#/budget/amount"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(changes: Json, pointer: str, pipe: APIClient, project: Project) -> None:
    assert pointer in [one["pointer"] for one in put(pipe, project, 422, **changes)["errors"]]
    assert not Campaign.objects.exists()


# By itself ---------------------------------------------------------------------------------------------------------


def test_it_goes_from_sessions_to_a_deployed_model_and_ends_by_its_rule(pipe: APIClient, project: Project) -> None:
    put(pipe, project, close_after=100, stop={"iterations": 1})
    begun = call(pipe, "start")
    assert (begun["status"], begun["started_at"] is not None) == ("running", True)
    advance()
    assert "sessions, 0 of 4 have ended" in call(pipe)["waiting_for"]
    assert Project.objects.get(pk=project.pk).settings["sessions"] == 4
    command(pipe)
    advance()
    found = call(pipe)
    (turn,) = found["iterations"]

    assert (found["status"], found["ended_because"]) == ("done", "It has gone through 1 iterations, as planned.")
    assert (turn["tranche"], turn["outcome"], turn["deployed"], turn["gate"]["passed"]) == (1, "deployed", True, True)
    assert Serving.objects.get(module="nlu").model == TrainedModel.objects.get(public_id=turn["model"])
    assert Tranche.objects.get(module="nlu", number=1).status == "closed"
    assert Project.objects.get(pk=project.pk).status == "paused", "no session began, so none is wanted"


def test_a_session_that_begins_before_the_first_step_is_one_of_those_wanted(pipe: APIClient, project: Project) -> None:
    put(pipe, project, sessions=2)
    call(pipe, "start")
    both(Project.objects.get(pk=project.pk))
    advance()
    assert Project.objects.get(pk=project.pk).settings["sessions"] == Iteration.objects.get().sessions_until == 2


def test_where_nothing_more_comes_the_tranche_closes_with_what_there_is(pipe: APIClient, project: Project) -> None:
    put(pipe, project, sessions=1, close_after=1000, stop={"no_gain": 1})
    call(pipe, "start")
    advance()
    command(pipe)
    worker, agent = both(Project.objects.get(pk=project.pk))
    advance()
    assert call(pipe)["iterations"][0]["step"] == "collecting", "a session runs"
    judged(worker, agent)
    worker.hand_in()
    advance()
    first, second = call(pipe)["iterations"]
    assert (first["outcome"], second["step"]) == ("deployed", "collecting")
    assert Project.objects.get(pk=project.pk).settings["sessions"] == 2
    other, agent = both(Project.objects.get(pk=project.pk))
    judged(other, agent)
    other.hand_in()
    advance()
    found = call(pipe)
    assert [one["outcome"] for one in found["iterations"]] == ["deployed", "no_data"]
    assert (found["status"], found["ended_because"]) == ("done", "1 iterations in a row deployed nothing.")
    assert Project.objects.get(pk=project.pk).settings["sessions"] == 2, "no further session begins"


def test_the_budget_ends_the_sessions_and_the_campaign_after_what_it_collected(
    pipe: APIClient, project: Project
) -> None:
    put(pipe, project, sessions=5, close_after=1000, budget={"amount": "3.00", "currency": "USD"})
    call(pipe, "start")
    advance()
    command(pipe)
    both(Project.objects.get(pk=project.pk))
    advance()
    assert call(pipe)["iterations"][0]["step"] == "collecting"
    Project.objects.filter(slug="parses").update(spent=Decimal("3.50"))
    advance()
    found = call(pipe)
    assert (found["spent"]["amount"], found["iterations"][0]["spent"]["amount"]) == ("3.50", "3.50")
    assert found["iterations"][0]["outcome"] == "deployed"
    assert found["status"] == "done"
    assert Project.objects.get(pk=project.pk).settings["sessions"] == 1


# Where a person decides --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decision", "outcome", "acts"), [("deploy", "deployed", True), ("keep", "kept", False), ("again", None, False)]
)
def test_a_model_that_did_not_pass_waits_for_a_person(
    decision: str, outcome: str | None, acts: bool, pipe: APIClient, project: Project
) -> None:
    put(pipe, project, close_after=50)
    call(pipe, "start")
    command(pipe, form=DANCE)
    advance()
    found = call(pipe)
    assert found["status"] == "waiting"
    assert "a person decides" in found["waiting_for"]
    assert found["iterations"][0]["gate"]["passed"] is False
    first = found["iterations"][0]["training"]
    assert call(pipe, "decide", 422, decision=decision, reason=" ")["errors"][0]["pointer"] == "#/reason"
    call(pipe, "decide", decision=decision, reason="we looked at it")
    advance()
    found = call(pipe)
    (turn,) = found["iterations"]
    assert turn["outcome"] == outcome
    assert (Serving.objects.filter(model__isnull=False).exists()) == acts
    assert (turn["training"] != first) == (decision == "again")
    assert found["status"] == ("waiting" if decision == "again" else "done")
    if decision != "again":
        assert "nothing to decide" in call(pipe, "decide", 409, decision="keep", reason="x")["detail"]


def test_a_campaign_that_asks_nobody_keeps_what_did_not_pass_and_goes_on(pipe: APIClient, project: Project) -> None:
    put(pipe, project, close_after=50, gate={"seeds": 2, "ask": "never"}, stop={"iterations": 2, "no_gain": 1})
    call(pipe, "start")
    command(pipe, form=DANCE)
    advance()
    found = call(pipe)
    assert [one["outcome"] for one in found["iterations"]] == ["kept"]
    assert (found["status"], Run.objects.count()) == ("done", 2)


def test_where_tranche_0_was_forgotten_a_re_biased_model_is_tried(pipe: APIClient, project: Project) -> None:
    first = Tranche.objects.get(number=0)
    first.items.update(truth=DANCE)
    old = make_model(first, right=60)
    Serving.objects.create(module="nlu", model=old, changed_at=NOON)
    put(pipe, project, close_after=50)
    call(pipe, "start")
    command(pipe, form=DANCE)
    advance()
    assert list(Training.objects.exclude(pk=old.training_id).order_by("pk").values_list("kind", flat=True)) == [
        "updated",
        "rebiased",
    ]
    assert call(pipe)["status"] == "waiting"


# By hand -----------------------------------------------------------------------------------------------------------


def test_it_is_started_once_and_stopped_by_hand(pipe: APIClient, project: Project) -> None:
    put(pipe, project)
    assert call(pipe, "stop", 409)["detail"] == "This campaign was never started."
    assert call(pipe, "start")["status"] == call(pipe, "start")["status"] == "running"
    pipe.put("/api/v1/campaigns/second/", plan_of(project))
    assert "under way" in pipe.post("/api/v1/campaigns/second/start/", {}).json()["detail"]
    advance()
    stopped = call(pipe, "stop")
    assert (stopped["status"], stopped["iterations"][0]["outcome"]) == ("stopped", "stopped")
    assert call(pipe, "stop") == stopped
    assert "has ended" in call(pipe, "start", 409)["detail"]
    assert put(pipe, project, 200) == stopped
    assert put(pipe, project, 409, sessions=9)["code"] == "conflict"
    assert pipe.post("/api/v1/campaigns/second/start/", {}).status_code == 200


def test_quality_is_set_where_the_routes_lead(pipe: APIClient, project: Project) -> None:
    put(pipe, project, redundancy=3, threshold=0.9)
    call(pipe, "start")
    parses = Project.objects.get(slug="parses")
    assert (parses.redundancy, parses.confidence_wanted) == (3, 0.9)
    assert put(pipe, project, 409, modules=["vision"])["errors"][0]["pointer"] == "#/modules"
    assert put(pipe, project, 200, redundancy=3, threshold=0.9, sessions=7)["sessions"] == 7


# A kill ------------------------------------------------------------------------------------------------------------


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("at", range(1, 41, 3))
def test_a_process_that_dies_at_any_write_loses_and_doubles_nothing(
    at: int, pipe: APIClient, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The statement number `at` of the campaign's own work is the last one; the next process goes on."""
    put(pipe, project, close_after=100)
    call(pipe, "start")
    command(pipe)
    written, campaign = 0, Campaign.objects.get()

    def execute(run: Any, statement: str, *rest: Any) -> Any:
        nonlocal written
        if statement.startswith(("INSERT", "UPDATE", "DELETE")):
            written += 1
            if written == at:
                raise Killed
        return run(statement, *rest)

    with suppress(Killed), connection.execute_wrapper(execute):
        for _ in range(10):
            steps.step(campaign.pk, at=timezone.now())
            tranches.ask_for_closing(timezone.now())
            for pk in Job.objects.unfinished().exclude(kind=ADVANCE).values_list("pk", flat=True):
                outbox.run(pk)
    assert written >= at, "it was killed"
    Job.objects.filter(state="running").update(due_at=timezone.now())
    advance()
    (turn,) = call(pipe)["iterations"]
    assert (turn["outcome"], call(pipe)["status"]) == ("deployed", "done")
    counts = (Training.objects.count(), TrainedModel.objects.count(), Tranche.objects.count())
    assert counts == (1, 1, 2)
    assert Serving.objects.get().model is not None
    assert Deployment.objects.count() == GateVerdict.objects.count() == 1
