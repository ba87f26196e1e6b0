"""The gate and the switch: what may be deployed, what each session gets, and how one goes back."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from agents.models import Agent
from audit.models import AuditEvent
from builder.parser.sentence import parse
from events.models import Event
from learning.models import GateVerdict, Item, TrainedModel, Tranche
from learning.serving import gate
from learning.serving.sessions import models_of_session, place_of
from learning.serving.smoke import SMOKE
from lib.logical_form.spans import tokenise
from tests.support.models import NOOP, make_model, make_tranche
from tests.support.sessions import both, come_in, make_live_project, process_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("by_heart")]
Json = dict[str, Any]
BROKEN = {"dialogue_type": "SING"}


def act(pipe: APIClient, model: TrainedModel, what: str, status: int = 200, **body: Any) -> Json:
    answer = pipe.post(f"/api/v1/models/{model.public_id}/{what}/", body)
    assert answer.status_code == status, answer.content
    found: Json = answer.json()
    return found


def status_of(model: TrainedModel) -> str:
    return TrainedModel.objects.get(pk=model.pk).status


@pytest.fixture
def test_set(db: None) -> Tranche:
    return make_tranche(0, test=100)


# The gate ----------------------------------------------------------------------------------------------------------


def test_a_better_model_passes_and_the_reasons_say_why(pipe: APIClient, test_set: Tranche) -> None:
    old, new = make_model(test_set, right=50), make_model(test_set, right=80)
    act(pipe, old, "deploy", force_reason="the first one")
    verdict = act(pipe, new, "gate")
    assert (verdict["passed"], verdict["against"], verdict["n"]) == (True, old.public_id, 100)
    assert (verdict["gained"], verdict["lost"], verdict["look"]) == (30, 0, 1)
    assert [reason["rule"] for reason in verdict["reasons"]] == [
        "mcnemar",
        "t0",
        "actions",
        "smoke",
        "valid",
        "latency",
    ]
    smoke = verdict["reasons"][3]
    assert (smoke["value"], smoke["bound"]) == (len(SMOKE), len(SMOKE))
    assert all(reason["sentence"] for reason in verdict["reasons"])


def test_models_are_compared_on_the_items_of_all_tranches_and_on_each_once(pipe: APIClient, test_set: Tranche) -> None:
    newer = make_tranche(1, test=30, form=NOOP)
    old, new = make_model(test_set, newer, right=50, wrong={}), make_model(test_set, newer, right=80, wrong={})
    new.tests.filter(tranche=newer).update(latency_ms=3.0)
    act(pipe, old, "deploy", force_reason="the first one")
    verdict = act(pipe, new, "gate")
    assert (verdict["tested_on"], verdict["n"], verdict["gained"], verdict["lost"]) == (1, 100, 30, 0)
    assert {reason["rule"]: reason["value"] for reason in verdict["reasons"]}["latency"] == 3.0


def test_the_same_comparison_is_one_look_and_another_is_the_next(pipe: APIClient, test_set: Tranche) -> None:
    old, new, other = (make_model(test_set, right=right) for right in (50, 80, 75))
    act(pipe, old, "deploy", force_reason="the first one")
    first = act(pipe, new, "gate")
    assert act(pipe, new, "gate") == first
    second = act(pipe, other, "gate")
    assert (first["look"], second["look"], GateVerdict.objects.count()) == (1, 2, 2)
    assert second["alpha"] == pytest.approx(first["alpha"] / 4)


@pytest.mark.parametrize(
    ("right", "wrong", "status", "failed"),
    [
        (51, NOOP, "waits", {"mcnemar"}),
        (20, NOOP, "refused", {"mcnemar", "t0", "actions"}),
        (80, BROKEN, "refused", {"valid"}),
    ],
)
def test_a_model_that_does_not_pass_stays_a_candidate(
    right: int, wrong: Json, status: str, failed: set[str], pipe: APIClient, test_set: Tranche
) -> None:
    old, new = make_model(test_set, right=50), make_model(test_set, right=right, wrong=wrong)
    act(pipe, old, "deploy", force_reason="the first one")
    verdict = act(pipe, new, "gate")
    assert (verdict["passed"], verdict["status"]) == (False, status)
    assert {reason["rule"] for reason in verdict["reasons"] if not reason["passed"]} == failed
    assert status_of(new) == "candidate"
    assert act(pipe, new, "deploy", status=409)["code"] == "gate_not_passed"


@pytest.mark.parametrize(("margin", "passed"), [(0.05, False), (0.2, True)])
def test_how_much_may_be_forgotten_is_a_setting(
    margin: float, passed: bool, pipe: APIClient, test_set: Tranche, settings: Any
) -> None:
    settings.GATE_MARGIN = margin
    old, new = make_model(test_set, right=60), make_model(test_set, right=50)
    act(pipe, old, "deploy", force_reason="the first one")
    reasons = {reason["rule"]: reason for reason in act(pipe, new, "gate")["reasons"]}
    assert (reasons["t0"]["bound"], reasons["t0"]["passed"]) == (-margin, passed)


def test_where_no_model_acts_the_agents_own_rules_are_compared(pipe: APIClient, test_set: Tranche) -> None:
    for item in test_set.items.all():
        Item.objects.filter(pk=item.pk).update(truth=parse(tokenise((item.given or {})["text"])))
    verdict = act(pipe, make_model(test_set, right=40), "gate")
    assert (verdict["against"], verdict["gained"], verdict["lost"], verdict["passed"]) == (None, 0, 60, False)


def test_without_test_items_there_is_no_verdict(pipe: APIClient) -> None:
    assert "test items" in act(pipe, make_model(make_tranche(0)), "gate", status=409)["detail"]


@pytest.mark.parametrize(
    ("truth", "group"),
    [
        ({"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "BUILD"}]}, "BUILD"),
        (NOOP, "NOOP"),
    ],
)
def test_the_table_of_actions_goes_by_the_true_form(truth: Json, group: str) -> None:
    assert gate.group_of("nlu", truth) == group


# The switch ----------------------------------------------------------------------------------------------------------


def test_a_passed_gate_deploys_and_a_rollback_goes_back(pipe: APIClient, test_set: Tranche) -> None:
    old, new = make_model(test_set, right=50), make_model(test_set, right=80)
    assert act(pipe, old, "deploy", force_reason="the first one")["model"] == old.public_id
    act(pipe, new, "gate")
    serving = act(pipe, new, "deploy")
    assert (serving["model"], status_of(new), status_of(old)) == (new.public_id, "deployed", "retired")
    assert act(pipe, new, "deploy") == serving
    assert Event.objects.filter(type="model.deployed").count() == 2
    assert act(pipe, new, "rollback")["model"] == old.public_id
    assert (status_of(new), status_of(old)) == ("retired", "deployed")
    assert act(pipe, old, "rollback")["model"] is None
    assert "not in use" in act(pipe, old, "rollback", status=409)["detail"]
    verbs = AuditEvent.objects.filter(subject_kind="model", verb__startswith="model.").order_by("pk")
    assert list(verbs.values_list("verb", "reason")) == [
        ("model.deployed", "the first one"),
        ("model.judged", ""),
        ("model.deployed", ""),
        ("model.rolled_back", ""),
        ("model.rolled_back", ""),
    ]


def test_a_gate_against_what_acts_no_more_deploys_nothing(pipe: APIClient, test_set: Tranche) -> None:
    old, new, between = (make_model(test_set, right=right) for right in (50, 80, 60))
    act(pipe, old, "deploy", force_reason="the first one")
    act(pipe, new, "gate")
    act(pipe, between, "deploy", force_reason="it is needed today")
    assert act(pipe, new, "deploy", status=409)["code"] == "gate_not_passed"


@pytest.mark.parametrize("body", [{"share": 0}, {"share": 1.5}, {"shadow": True, "share": 0.5}])
def test_a_share_that_is_none_is_refused(body: Json, pipe: APIClient, test_set: Tranche) -> None:
    act(pipe, make_model(test_set), "deploy", status=422, force_reason="x", **body)


# The models of a session --------------------------------------------------------------------------------------------


def test_a_session_keeps_the_models_that_it_began_with(pipe: APIClient, test_set: Tranche) -> None:
    old, new = make_model(test_set, right=50), make_model(test_set, right=60)
    act(pipe, old, "deploy", force_reason="the first one")
    act(pipe, new, "deploy", force_reason="look at it", shadow=True)
    assert status_of(new) == "candidate"
    worker, _ = both()
    session = worker.session
    wanted = {"model": old.public_id, "sha256": old.sha256, "path": f"/api/v1/models/{old.public_id}/artefact/"}
    beside = {"model": new.public_id, "sha256": new.sha256, "path": f"/api/v1/models/{new.public_id}/artefact/"}
    assert models_of_session(session.pk, session.public_id) == {"nlu": {**wanted, "shadow": beside}}
    act(pipe, new, "deploy", force_reason="now")
    assert models_of_session(session.pk, session.public_id)["nlu"]["model"] == old.public_id
    assert set(new.sessions.all()) == set(old.sessions.all())


def test_a_model_that_is_tried_gets_its_share_of_the_sessions(pipe: APIClient, test_set: Tranche) -> None:
    old, new = make_model(test_set, right=50), make_model(test_set, right=60)
    act(pipe, old, "deploy", force_reason="the first one")
    act(pipe, new, "deploy", force_reason="a few", share=0.4)
    project = make_live_project()
    process_of(Agent.objects.get(slug=project.settings["agent"]))
    drawn = set()
    for _ in range(12):
        session = come_in(project).session
        found = models_of_session(session.pk, session.public_id)["nlu"]["model"]
        assert found == (new if place_of("nlu", session.public_id) < 0.4 else old).public_id
        drawn.add(found)
    assert act(pipe, new, "rollback")["tried"] is None


def test_places_of_sessions_are_even() -> None:
    places = [place_of("nlu", str(number)) for number in range(2000)]
    assert sum(place < 0.25 for place in places) / 2000 == pytest.approx(0.25, abs=0.03)


def test_a_parse_names_its_model_and_the_shadow_is_kept_from_the_worker(pipe: APIClient) -> None:
    worker, agent = both()
    worker.send("command", id="c1", text="dance")
    agent.send(worker, "status", command="c1", state="received")
    shadow = {"model": "m-2", "parse": {"dialogue_type": "GET_MEMORY"}}
    agent.send(worker, "parse", command="c1", form=NOOP, version="m-1", shadow=shadow)
    (told,) = worker.said("parse")
    assert told == {"command": "c1", "form": NOOP, "version": "m-1"}
    command = worker.command()
    assert (command.form_version, command.shadow_version, command.shadow_form) == ("m-1", "m-2", shadow["parse"])
    line = pipe.get("/api/v1/commands.jsonl").getvalue().decode()
    assert '"model": "m-1", "shadow": {"model": "m-2", "parse": {"dialogue_type": "GET_MEMORY"}}' in line
