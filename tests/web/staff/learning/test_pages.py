"""The staff pages of learning: what they show, what can be done there, and what they cost."""

import pytest
from django.test import Client

from annotation.access.roles import Role
from annotation.review.adjudication import adjudicate
from jobs.models import Job
from learning.models import Campaign, GateVerdict, Iteration, Run, Serving, TrainedModel, Training, Tranche
from learning.trainers import registry
from lib import extras
from tests.support.builders import NOON, client_of, make_project, make_staff
from tests.support.by_heart import ByHeart
from tests.support.campaigns import make_campaign
from tests.support.commands import CUBE, a_scene, make_bare_route, make_route, routed, tasks_of, voxel_project
from tests.support.models import make_model, make_tranche
from tests.support.pages import assert_flat, text_of
from tests.support.sessions import make_live_project
from tests.web.staff.access_table import PLAN

pytestmark = pytest.mark.django_db
DIG_WORD = {
    "dialogue_type": "HUMAN_GIVE_COMMAND",
    "event_sequence": [
        {
            "action_type": "DIG",
            "schematic": {"filters": {"where_clause": {"AND": [{"pred_text": "has_name", "obj_text": [0, [1, 1]]}]}}},
        }
    ],
}
"""A form of `dance WORD times`, whose word names something."""


@pytest.fixture
def chief(monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setattr(registry, "trainers", lambda: (ByHeart(),))
    return client_of(make_staff("clara", Role.ADMIN))


def page(client: Client, path: str = "") -> str:
    answer = client.get(f"/staff/learning/{path}")
    assert answer.status_code == 200
    return text_of(answer.content.decode())


def act(client: Client, model: TrainedModel, what: str, status: int = 200, **more: str) -> str:
    answer = client.post(f"/staff/learning/models/{model.public_id}/act/", {"act": what, **more}, follow=True)
    assert answer.status_code == status, answer.content
    return text_of(answer.content.decode())


def test_an_empty_page_says_how_to_begin(chief: Client) -> None:
    shown = page(chief)
    assert "No tranche yet." in shown
    assert "no model is deployed" in shown
    assert "vision" in shown


def test_the_page_says_which_packages_are_missing(chief: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ByHeart, "extra", "nlu")
    assert "CROSSWALK_EXTRAS" not in page(chief)
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    assert "CROSSWALK_EXTRAS=nlu make serve" in page(chief)


def test_a_training_is_asked_for_and_followed(chief: Client) -> None:
    make_tranche(0, test=2)
    answer = chief.post(
        "/staff/learning/train/", {"module": "nlu", "kind": "updated", "tranche": ["0"], "seeds": "2"}, follow=True
    )
    training = Training.objects.get()
    assert (training.seeds, training.by, Job.objects.filter(kind="learning.train").count()) == (2, "staff:clara", 1)
    assert "Status: Queued" in text_of(answer.content.decode())
    Run.objects.filter(number=1).update(status="running", share=0.5, curve=[[1, 0.5, 0.25], [2, 0.25, 0.75]])
    live = chief.get(f"/staff/learning/trainings/{training.public_id}/live/")
    assert "Share of right answers on validation items" in text_of(live.content.decode())
    stream = chief.get(f"/staff/learning/trainings/{training.public_id}/live/", headers={"accept": "text/event-stream"})
    assert stream["Content-Type"].startswith("text/event-stream")
    table = chief.get(f"/staff/learning/trainings/{training.public_id}/?plot=curve&as=csv")
    assert table.content.decode().splitlines()[1:] == ["1,0.5,0.25", "2,0.25,0.75"]
    chief.post(f"/staff/learning/trainings/{training.public_id}/cancel/")
    assert Training.objects.get().status == "cancelled"


def test_a_tranche_is_closed_by_hand(chief: Client) -> None:
    tranche = make_tranche(0)
    Tranche.objects.update(status="open", closed_at=None, sha256="")
    chief.post("/staff/learning/tranches/nlu/0/close/")
    tranche.refresh_from_db()
    assert tranche.status == "closed"


def test_a_model_is_judged_deployed_and_rolled_back(chief: Client) -> None:
    tranche = make_tranche(0, test=100)
    old, new = make_model(tranche, right=50), make_model(tranche, right=80)
    assert "has not passed" in act(chief, old, "deploy", status=409)
    act(chief, old, "deploy", reason="the first one")
    shown = act(chief, new, "gate")
    assert "✓ Passed" in shown
    assert "30 gained, 0 lost of 100" in shown
    assert "mcnemar: Only the new model is right on 30 test items" in shown
    errors = chief.get(f"/staff/learning/models/{new.public_id}/?plot=gate_errors&as=csv").content.decode()
    shares = dict(line.rsplit(",", 1) for line in errors.splitlines()[1:])
    assert float(shares["5 points worse: passed"]) < 0.05 < float(shares["5 points better: passed"])
    act(chief, new, "share", share="20")
    assert "tried in 20.0 % of sessions" in page(chief, f"models/{new.public_id}/")
    act(chief, new, "deploy")
    assert Serving.objects.get().model == new
    act(chief, new, "rollback")
    assert Serving.objects.get().model == old
    assert "without a passed gate: the first one" in page(chief, f"models/{old.public_id}/")


def test_a_campaign_is_planned_started_followed_and_decided(chief: Client) -> None:
    live = make_live_project("lives")
    make_bare_route(make_project("parses", tool="parse"), "words")
    refused = chief.post("/staff/learning/campaigns/", {**PLAN, "budget": "much", "slug": "a b"})
    assert (refused.status_code, "Campaigns" in text_of(refused.content.decode())) == (422, True)
    assert 'value="much"' in refused.content.decode(), "what was typed stays"
    planned = text_of(chief.post("/staff/learning/campaigns/", {**PLAN, "slug": "loop"}, follow=True).content.decode())
    assert "It waits to be started." in planned
    assert "once 20.00 USD are spent" in planned
    chief.post("/staff/learning/campaigns/loop/act/", {"act": "start"})
    assert "Running." in page(chief, "campaigns/loop/")
    assert "loop" in page(chief, "campaigns/")
    Campaign.objects.all().delete()
    make_campaign("asks", project=live, status="waiting")
    shown = page(chief, "campaigns/asks/")
    assert "a person decides. The gate was not passed." in shown
    stream = chief.get("/staff/learning/campaigns/asks/live/", headers={"accept": "text/event-stream"})
    assert stream["Content-Type"].startswith("text/event-stream")
    chief.post("/staff/learning/campaigns/asks/act/", {"act": "keep", "reason": "too few items"})
    assert Iteration.objects.get().reason == "too few items"
    chief.post("/staff/learning/campaigns/asks/act/", {"act": "stop"})
    assert "It was stopped by hand." in page(chief, "campaigns/asks/")


def test_the_plots_of_a_campaign_show_what_each_iteration_brought_and_cost(chief: Client) -> None:
    tranche = make_tranche(0, test=100)
    old, new = make_model(tranche, right=50), make_model(tranche, right=80)
    act(chief, old, "deploy", reason="the first one")
    act(chief, new, "gate")
    campaign = make_campaign("loop", project=make_live_project("lives"), status="waiting")
    campaign.iterations.update(
        model=new, verdict=GateVerdict.objects.get(), step="ended", outcome="kept", spent="4.50", ended_at=NOON
    )
    scores = chief.get("/staff/learning/campaigns/loop/?plot=scores&as=csv").content.decode().splitlines()
    assert scores[1].startswith("1,nlu,0,100,0.5,0.8,")
    costs = chief.get("/staff/learning/campaigns/loop/?plot=costs&as=csv").content.decode().splitlines()
    assert costs[1:] == ["1,4.5,USD"]
    assert "30 gained, 0 lost of 100" in page(chief, "campaigns/loop/")
    # In scenes nothing but a model marks anything: where none acted, the IoU was 0, however many scenes gained.
    verdict = GateVerdict.objects.get()
    GateVerdict.objects.update(against=None, content={**verdict.content, "gained": 100, "lost": 0})
    campaign.iterations.update(module="vision")
    scores = chief.get("/staff/learning/campaigns/loop/?plot=scores&as=csv").content.decode().splitlines()
    assert scores[1].startswith("1,vision,0,100,0.0,0.8,")


@pytest.mark.parametrize(("what", "more"), [("share", {"share": "100"}), ("dance", {}), ("refuse", {"reason": " "})])
def test_what_cannot_be_done_is_refused(what: str, more: dict[str, str], chief: Client) -> None:
    act(chief, make_model(make_tranche(0)), what, status=422, **more)


def test_the_plots_show_ones_own_data(chief: Client) -> None:
    first, second = make_tranche(0, test=10), make_tranche(1, test=10)
    make_model(first, right=4, kind="baseline")
    make_model(first, second, right=7)
    assert table(chief, "over_examples") == ['updated,"0, 1",1.0,1,0.7,'], "the baseline was not tested on T1"
    assert table(chief, "by_tranche") == ["0,baseline,1,0.4,", "0,updated,1,0.4,", "1,updated,1,0.7,"]
    assert table(chief, "on_first") == [*table(chief, "by_tranche")[:2], "1,baseline,1,0.4,", "1,updated,1,0.7,"]
    assert page(chief).count("re-biased") >= 1


def test_a_test_item_that_returned_with_another_truth_counts_once_with_the_newest(chief: Client) -> None:
    """Five of the ten first items return. The model has the first four right before and after."""
    first, second = make_tranche(0, test=10), make_tranche(1, test=5)
    make_model(first, right=4, kind="baseline")
    model = make_model(first, second, right=4)
    assert table(chief, "over_examples") == ['updated,"0, 1",1.0,1,0.4,']
    assert table(chief, "by_tranche")[-1] == "1,updated,1,0.4,"
    assert table(chief, "on_first")[-1] == "1,updated,1,0.4,"
    assert table(chief, "errors_by_action") == ["DANCE,6,10"]
    campaign = make_campaign("loop", project=make_live_project("lives"), status="waiting")
    act(chief, model, "gate")
    verdict = GateVerdict.objects.get()
    campaign.iterations.update(model=model, verdict=verdict, step="ended", outcome="kept", ended_at=NOON)
    assert verdict.content["n"] == 10
    scores = chief.get("/staff/learning/campaigns/loop/?plot=scores&as=csv").content.decode().splitlines()
    assert scores[1].startswith("1,nlu,1,10,0.0,0.4,")


def test_errors_are_counted_by_what_commands_name(chief: Client) -> None:
    tranche = make_tranche(0, test=10, form=DIG_WORD)
    make_model(tranche, right=4)
    assert sum(int(row.split(",")[2]) for row in table(chief, "errors_by_noun")) == 10
    assert sum(int(row.split(",")[1]) for row in table(chief, "errors_by_noun")) == 6


def test_the_vision_funnel_counts_marked_commands_and_annotated_ones(chief: Client) -> None:
    to = voxel_project()
    make_route(to, "vision_error")
    for height, outcome in ((1, "vision_error"), (2, "vision_error"), (3, "ok")):
        found = [{"phrase": "the cube", "voxels": CUBE}]
        routed("get the cube", outcome, objects_found=found, scene=a_scene(height))
    adjudicate(task=tasks_of(to)[0], answer={"voxels": CUBE}, reason="it is", by=make_staff("judge"), at=NOON)
    rows = table(chief, "vision_funnel", "?module=vision&")
    assert [row.rsplit(",", 2)[1:] for row in rows] == [["2", "695"], ["1", ""], ["1", "469"]]
    assert "(paper: 469)" in page(chief, "?module=vision")
    assert "paper: 469" not in page(chief)


def table(client: Client, plot: str, path: str = "") -> list[str]:
    answer = client.get(f"/staff/learning/{path or '?'}plot={plot}&as=csv")
    assert answer.status_code == 200
    return answer.content.decode().splitlines()[1:]


def test_the_page_costs_the_same_for_many_models(chief: Client) -> None:
    tranche = make_tranche(0, test=2)
    assert_flat(chief, "/staff/learning/", lambda: make_model(tranche, right=1))
