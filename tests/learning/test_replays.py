"""Replays: an ended campaign again, its answers bought under other policies."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client, override_settings
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.access.roles import Role
from annotation.models import Annotation, Project
from annotation.pay.budget import BASE
from jobs import outbox
from jobs.models import Job
from learning.campaigns import replays
from learning.campaigns.bought import costs_of, marked_among
from learning.models import Campaign, Item, Iteration, Replay, Tranche
from lib import extras
from routing.models import Route
from tests.support.builders import NOON, client_of, make_project, make_staff
from tests.support.by_heart import ByHeart
from tests.support.campaigns import make_campaign
from tests.support.commands import run_jobs
from tests.support.models import DANCE, NOOP, make_tranche, texts_in
from tests.support.pages import text_of
from tests.support.sessions import make_live_project
from tests.support.tool_workers import Enter, worked
from workforce.models import LedgerEntry

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("by_heart")]
Json = dict[str, Any]
TEXTS = texts_in("train", 13)[1:]
MARKED = TEXTS[6:9]


@pytest.fixture
def campaign(pipe: APIClient, as_worker: Enter) -> Campaign:
    """An ended campaign of one iteration, in which a worker was paid for annotating twelve commands. A model that
    learns by heart is as good as the share of them that it has learnt."""
    live, parses = make_live_project("live"), make_project("parses", tool="parse", redundancy=1, base_pay="0.03")
    Route.objects.create(slug="all", outcome="*", project=parses, created_at=NOON)
    first = make_tranche(0, train=1)
    first.items.update(given={"text": "sit down"})
    given = [
        {"command": f"c-{n}", "project": live.slug, "text": text, "outcome": "nlu_error" if text in MARKED else "ok"}
        for n, text in enumerate(TEXTS)
    ]
    assert pipe.post("/api/v1/commands/", {"commands": given}).status_code == 200
    run_jobs()
    worked(parses, as_worker, dict.fromkeys(TEXTS, DANCE))
    for path in ("tranches/nlu/1/", "tranches/nlu/1/close/"):
        answer = pipe.post(f"/api/v1/{path}", {}) if "close" in path else pipe.put(f"/api/v1/{path}", of(live))
        assert answer.status_code in (200, 201), answer.content
    tranche = Tranche.objects.get(number=1)
    Item.objects.bulk_create(
        Item(tranche=first, item=one.item, split="test", given=one.given, truth=one.truth, origin=one.origin)
        for one in tranche.items.all()
    )
    made = make_campaign("loop", project=live, status="done")
    Campaign.objects.update(ended_at=timezone.now() + timedelta(hours=1))
    return made


def of(project: Project) -> Json:
    return {"project": project.slug, "opens_at": None, "closes_at": None, "close_after": None}


def ask(pipe: APIClient, status: int = 202, **body: Any) -> Json:
    answer = pipe.post("/api/v1/campaigns/loop/replays/", {"module": "nlu", **body})
    assert answer.status_code == status, answer.content
    found: Json = answer.json()
    return found


def play_all() -> None:
    """Play one replay after the other, as the schedule has them played."""
    replays.keep_playing(NOON)
    while (job := Job.objects.unfinished().filter(kind=replays.REPLAY).first()) is not None:
        assert outbox.run(job.pk)


def test_answers_cost_what_was_paid_and_marks_are_those_of_the_commands(campaign: Campaign) -> None:
    tranche = Tranche.objects.get(number=1)
    costs, paid = costs_of(tranche), [entry.amount for entry in LedgerEntry.objects.all()]
    assert len(costs) == len(TEXTS)
    assert sum(costs.values()) == sum(paid) > 0
    assert len(marked_among("nlu", [tranche])) == len(MARKED)
    assert marked_among("vision", [tranche]) == set()


def test_a_corrected_answer_costs_what_its_first_version_was_paid_and_a_rejected_one_nothing(
    campaign: Campaign,
) -> None:
    tranche = Tranche.objects.get(number=1)
    before = costs_of(tranche)
    corrected, rejected = Annotation.objects.filter(items__tranche=tranche).order_by("pk")[:2]
    Annotation.objects.filter(pk=corrected.pk).update(first_id=corrected.public_id, public_id="the-correction")
    assert costs_of(tranche) == before
    entry = LedgerEntry.objects.filter(reason=f"{BASE}{rejected.public_id}")
    entry.update(state="rejected", state_at=NOON, note="It is empty.")
    assert sum(costs_of(tranche).values()) == sum(before.values()) - entry.get().amount


def test_each_policy_buys_its_share_of_the_answers(campaign: Campaign, pipe: APIClient) -> None:
    asked = ask(pipe, share=0.25)
    assert {one["status"] for one in asked["replays"]} == {"queued"}
    play_all()
    found = pipe.get("/api/v1/campaigns/loop/replays/").json()
    assert found["currency"] == "USD"
    cost = float(sum(entry.amount for entry in LedgerEntry.objects.all()))
    ends = {one["policy"]: one["steps"][-1] for one in found["replays"]}
    assert set(ends) == {"in_order", "errors", "random", "unsure"}
    for policy, end in ends.items():
        assert (end["items"], end["value"]) == (3, 0.25), policy
        assert end["spent"] == pytest.approx(cost / 4)
    assert (ends["errors"]["left"], ends["random"]["left"]) == (0, 9)
    assert {one["steps"][0]["value"] for one in found["replays"]} == {0.0}


def test_replays_that_were_asked_for_are_not_made_twice(campaign: Campaign, pipe: APIClient) -> None:
    ask(pipe, seeds=2)
    ask(pipe, seeds=2)
    assert (Replay.objects.count(), Job.objects.filter(kind=replays.REPLAY).count()) == (8, 1)


def test_a_replay_that_failed_is_played_anew_if_it_is_asked_for_again(campaign: Campaign, pipe: APIClient) -> None:
    ask(pipe)
    with override_settings(TRAINING_MAX_S=-1):
        play_all()
    assert set(Replay.objects.values_list("status", flat=True)) == {"failed"}
    assert {one["status"] for one in ask(pipe)["replays"]} == {"queued"}
    play_all()
    assert set(Replay.objects.values_list("status", "error")) == {("done", "")}


def test_an_item_that_returned_is_learnt_once_with_the_truth_that_stands(campaign: Campaign, pipe: APIClient) -> None:
    """One item of tranche 0 returns in the campaign, and one of the campaign in its next iteration."""
    first, tranche = Tranche.objects.order_by("number")
    old, corrected = Item.objects.filter(tranche=tranche).order_by("pk")[:2]
    first.items.filter(item=old.item).update(split="train", truth=NOOP)
    later = make_tranche(2, train=0)
    later.items.create(item=corrected.item, split="train", given=corrected.given, truth=NOOP, origin="annotated")
    Tranche.objects.filter(pk=later.pk).update(train=1, project=campaign.project)
    Iteration.objects.create(
        campaign=campaign, number=2, module="nlu", step="ended", outcome="kept", tranche=later, sessions_until=8,
        spent_before=1, spent=1, started_at=NOON, ended_at=NOON,
    )  # fmt: skip
    first.items.filter(item=corrected.item).update(truth=NOOP)
    ask(pipe, share=1)
    play_all()
    found = Replay.objects.exclude(policy="errors")
    assert {one.error for one in found} == {""}
    # All but the item that tranche 0 does not test any more are right, also the corrected one.
    assert {(one.steps[-1][2], one.steps[-1][4]) for one in found} == {(len(TEXTS), 1.0)}


@pytest.mark.long
def test_a_replay_whose_process_died_is_played_anew(
    campaign: Campaign, pipe: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(pipe, share=1)
    with monkeypatch.context() as patch:
        patch.setattr(replays, "_end", killed)
        with pytest.raises(KeyboardInterrupt):
            outbox.run(Job.objects.get(kind=replays.REPLAY).pk)
    assert Replay.objects.filter(status="running").count() == 1
    Job.objects.filter(kind=replays.REPLAY).update(due_at=NOON)
    play_all()
    assert {one.steps[-1][4] for one in Replay.objects.exclude(policy="errors")} == {1.0}


def killed(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (lambda: Campaign.objects.update(status="running", ended_at=None), 409),
        (lambda: Campaign.objects.update(modules=["vision"]), 422),
        (lambda: Tranche.objects.filter(number=1).update(train=0), 409),
    ],
)
def test_what_cannot_be_replayed_is_refused(
    change: Callable[[], Any], status: int, campaign: Campaign, pipe: APIClient
) -> None:
    change()
    ask(pipe, status)
    assert not Replay.objects.exists()


def test_a_replay_needs_the_packages_of_its_trainer(
    campaign: Campaign, pipe: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ByHeart, "extra", "nlu")
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    ask(pipe, 501)


def test_the_page_of_a_campaign_replays_it_and_shows_the_policies_side_by_side(campaign: Campaign) -> None:
    chief: Client = client_of(make_staff("clara", Role.ADMIN))
    form = {"act": "replay", "module": "nlu", "share": "25", "seeds": "1"}
    assert chief.post("/staff/learning/campaigns/loop/act/", form).status_code == 302
    play_all()
    shown = text_of(chief.get("/staff/learning/campaigns/loop/").content.decode())
    assert "Replayed under other policies: nlu" in shown
    assert "least certain first" in shown
    Replay.objects.create(
        campaign=campaign, module="nlu", policy="in_order", share=0.5, seed=0, status="done", by="x",
        steps=[[1, 9.0, 9, 0, 1.0]], created_at=NOON, ended_at=NOON,
    )  # fmt: skip
    rows = chief.get("/staff/learning/campaigns/loop/?plot=replays_nlu_25&as=csv").content.decode().splitlines()[1:]
    assert [row.split(",")[0] for row in rows[::2]] == ["in_order", "errors", "random", "unsure"]
    assert rows[1].endswith(",1,0.25,")
    marks = chief.get("/staff/learning/campaigns/loop/?plot=marks&as=csv").content.decode()
    assert "marked_nlu_errors,Marked as misunderstood,3" in marks
