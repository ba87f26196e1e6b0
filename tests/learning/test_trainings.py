"""Trainings: what is learnt from, what survives a kill, what is bounded, and what is kept of each model."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone
from rest_framework.test import APIClient

from agents.keys import create_key
from jobs import outbox
from jobs.models import Job
from learning.models import Item, Run, TrainedModel, Tranche
from learning.training import runs, turns
from learning.training.artefacts import Altered, artefact_of
from lib import extras
from lib.splits import split_of
from tests.conftest import api_client
from tests.support.by_heart import NOOP, ByHeart
from tests.support.tool_workers import make_parse_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("by_heart")]
Json = dict[str, Any]
DANCE = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "DANCE"}]}
SPLITS = ("train", "valid", "test")


def fill(pipe: APIClient, *, of_each: int = 2, form: Json = DANCE) -> list[Json]:
    """So many items of each split in tranche 0."""
    texts = [f"dance {number} times" for number in range(400)]
    wanted = [text for split in SPLITS for text in [one for one in texts if split_of("nlu", one) == split][:of_each]]
    items = [{"text": text, "form": form} for text in wanted]
    answer = pipe.post("/api/v1/tranches/nlu/0/items/", {"items": items})
    assert answer.status_code == 200, answer.content
    return items


def ask(pipe: APIClient, *, status: int = 202, **body: Any) -> Json:
    wanted = {"module": "nlu", "tranches": [0], "kind": "baseline", "seeds": 1, **body}
    answer = pipe.post("/api/v1/trainings/", wanted)
    assert answer.status_code == status, answer.content
    found: Json = answer.json()
    return found


def run_all() -> int:
    """Run the jobs of trainings until none is left; how many ran."""
    ran = 0
    while pk := Job.objects.unfinished().filter(kind=turns.TRAIN).values_list("pk", flat=True).first():
        assert outbox.run(pk)
        ran += 1
        assert ran < 50
    return ran


def shown(pipe: APIClient, training: Json) -> Json:
    found: Json = pipe.get(f"/api/v1/trainings/{training['training']}/").json()
    return found


def test_a_training_makes_and_tests_a_model_for_each_seed(pipe: APIClient) -> None:
    items = fill(pipe)
    asked = ask(pipe, seeds=2)
    assert asked["status"] == "queued"
    assert ask(pipe, seeds=2) == asked
    assert run_all() == 2
    training = shown(pipe, asked)
    assert (training["status"], training["progress"]) == ("done", 1.0)
    assert [(run["kind"], run["seed"], run["status"]) for run in training["runs"]] == [
        ("baseline", 0, "done"),
        ("baseline", 1, "done"),
    ]
    assert training["runs"][0]["curve"] == [
        {"step": 1, "loss": 0.25, "valid": 0.5},
        {"step": 2, "loss": 0.125, "valid": 1.0},
    ]
    # It knows by heart what it has learnt from, and nothing else: so no test item was among them.
    assert training["metrics"] == [
        {"kind": "baseline", "trained_on": [0], "tested_on": 0, "seed": seed, "n": 2, "value": 0.0} for seed in (0, 1)
    ]
    model = pipe.get(f"/api/v1/models/{training['models'][0]}/").json()
    assert (model["status"], model["train_examples"], model["trained_on"]) == ("candidate", 2, [0])
    tranche = pipe.get("/api/v1/tranches/nlu/0/").json()
    assert tranche["status"] == "closed"
    assert model["lineage"] == {
        "tranches": [{"n": 0, "sha256": tranche["sha256"]}],
        "annotations": [],
        "workers": [],
        "code": model["lineage"]["code"],
    }
    answer = pipe.get(f"/api/v1/models/{model['model']}/predictions/0/test.jsonl")
    lines = [json.loads(line) for line in answer.getvalue().decode().splitlines()]
    assert [(line["truth"], line["prediction"], line["correct"]) for line in lines] == [(DANCE, NOOP, False)] * 2
    artefact = pipe.get(f"/api/v1/models/{model['model']}/artefact/")
    assert sorted(json.loads(artefact.content)["forms"]) == sorted(item["text"] for item in items[:2])
    (listed, _) = pipe.get("/api/v1/models/").json()["results"]
    assert listed["lineage"] | {"annotations": [], "workers": []} == model["lineage"]


def test_a_rebiased_model_continues_an_updated_one(pipe: APIClient) -> None:
    fill(pipe)
    asked = ask(pipe, kind="rebiased", settings={"forget": []})
    assert run_all() == 2
    updated, rebiased = TrainedModel.objects.order_by("pk")
    assert (updated.kind, rebiased.kind, rebiased.parent) == ("updated", "rebiased", updated)
    assert {row["kind"] for row in shown(pipe, asked)["metrics"]} == {"updated", "rebiased"}


def test_the_newest_truth_of_an_item_is_learnt(pipe: APIClient) -> None:
    (text,) = [item["text"] for item in fill(pipe, of_each=1)][:1]
    now = timezone.now()
    columns = {"status": "closed", "sha256": "x", "created_at": now, "closed_at": now}
    later = Tranche.objects.create(module="nlu", number=1, project=make_parse_project(), **columns)
    item = Item.objects.get(given__text=text)
    Item.objects.create(tranche=later, item=item.item, split="train", given=item.given, truth=NOOP, origin="annotated")
    ask(pipe, kind="updated", tranches=[0, 1])
    ask(pipe, kind="baseline", tranches=[0, 1])
    run_all()
    learnt = [json.loads(artefact_of(model))["forms"][text] for model in TrainedModel.objects.order_by("pk")]
    assert learnt == [NOOP, DANCE]


@pytest.mark.parametrize(
    ("body", "status", "pointer"),
    [
        ({"module": "smell"}, 404, None),
        ({"trainer": "nobody"}, 422, "#/trainer"),
        ({"tranches": [0, 7]}, 422, "#/tranches"),
        ({"tranches": [1]}, 422, "#/tranches"),
        ({"seeds": 0}, 422, "#/seeds"),
        ({"kind": "best"}, 422, "#/kind"),
    ],
)
def test_a_training_that_cannot_be_is_refused(body: Json, status: int, pointer: str | None, pipe: APIClient) -> None:
    fill(pipe)
    problem = ask(pipe, status=status, **body)
    assert [error["pointer"] for error in problem["errors"]] == ([pointer] if pointer else [])


def test_a_trainer_whose_packages_are_missing_answers_501(pipe: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:

    fill(pipe)
    monkeypatch.setattr(ByHeart, "extra", "nlu")
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    assert "CROSSWALK_EXTRAS=nlu" in ask(pipe, status=501)["detail"]


@pytest.mark.parametrize(
    ("how", "said"), [("refuse", "#/fail: It was asked to."), ("crash", "it crashed"), ("memory", "more than 512 MB")]
)
def test_a_run_that_fails_says_why_and_is_not_tried_again(how: str, said: str, pipe: APIClient, settings: Any) -> None:
    settings.TRAINING_MEMORY_BYTES = 512 * 2**20
    fill(pipe)
    asked = ask(pipe, settings={"fail": how})
    assert run_all() == 1
    training = shown(pipe, asked)
    assert (training["status"], training["models"]) == ("failed", [])
    assert said in training["runs"][0]["problem"]


def test_a_run_that_takes_too_long_is_ended(pipe: APIClient, settings: Any) -> None:
    settings.TRAINING_MAX_S = 1
    fill(pipe)
    asked = ask(pipe, settings={"sleep_s": 60})
    run_all()
    assert "longer than" in shown(pipe, asked)["runs"][0]["problem"]


def test_a_cancelled_training_ends_its_process_and_makes_no_model(
    pipe: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(pipe)
    asked = ask(pipe, seeds=2, settings={"sleep_s": 60})
    told = runs._Watch.told

    def cancel_then(self: Any, progress: Any) -> None:
        told(self, progress)
        assert pipe.delete(f"/api/v1/trainings/{asked['training']}/").status_code == 204

    monkeypatch.setattr(runs._Watch, "told", cancel_then)
    run_all()
    training = shown(pipe, asked)
    assert (training["status"], {run["status"] for run in training["runs"]}) == ("cancelled", {"cancelled"})
    assert not TrainedModel.objects.exists()
    assert pipe.delete(f"/api/v1/trainings/{asked['training']}/").status_code == 204


@pytest.mark.parametrize("killed_at", ["fitting", "testing"])
def test_a_killed_run_goes_on_and_trains_no_finished_seed_again(
    killed_at: str, pipe: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(pipe)
    asked = ask(pipe, seeds=2)
    (first,) = Job.objects.filter(kind=turns.TRAIN)
    outbox.run(first.pk)
    (second,) = Job.objects.unfinished().filter(kind=turns.TRAIN)

    class Killed(BaseException):
        pass

    def die(*_: Any, **__: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(runs, "run_child" if killed_at == "fitting" else "ensure_tested", die)
        with pytest.raises(Killed):
            outbox.run(second.pk)
    Job.objects.filter(pk=second.pk).update(due_at=timezone.now())
    made = TrainedModel.objects.count()
    assert made == (1 if killed_at == "fitting" else 2)
    run_all()
    assert (shown(pipe, asked)["status"], TrainedModel.objects.count()) == ("done", 2)
    assert list(Run.objects.values_list("model__seed", flat=True)) == [0, 1]
    assert [len(model.tests.all()) for model in TrainedModel.objects.all()] == [1, 1]


def test_an_artefact_that_was_altered_by_one_byte_is_refused(pipe: APIClient) -> None:
    fill(pipe)
    ask(pipe)
    run_all()
    model = TrainedModel.objects.get()
    content = bytearray(artefact_of(model))
    content[-1] ^= 1
    default_storage.delete(model.file)
    default_storage.save(model.file, ContentFile(bytes(content)))
    with pytest.raises(Altered):
        artefact_of(model)
    answer = pipe.get(f"/api/v1/models/{model.public_id}/artefact/")
    assert (answer.status_code, answer.json()["code"]) == (409, "artefact_altered")


@pytest.mark.parametrize("how", ["lost", "altered"])
def test_a_training_is_done_though_the_file_of_an_earlier_baseline_is_no_more(how: str, pipe: APIClient) -> None:
    fill(pipe)
    ask(pipe)
    run_all()
    baseline = TrainedModel.objects.get()
    baseline.tests.all().delete()
    default_storage.delete(baseline.file)
    if how == "altered":
        default_storage.save(baseline.file, ContentFile(b"altered"))
    asked = ask(pipe, kind="updated")
    run_all()
    assert shown(pipe, asked)["status"] == "done"


def test_the_key_of_an_agent_reads_the_artefact_and_nothing_else(pipe: APIClient) -> None:
    fill(pipe)
    ask(pipe)
    run_all()
    name = TrainedModel.objects.get().public_id
    agent = api_client(create_key(name="agent", scopes=["agents"], at=timezone.now()))
    paths = [f"models/{name}/artefact/", f"models/{name}/", f"models/{name}/predictions/0/test.jsonl", "models/"]
    assert [agent.get(f"/api/v1/{path}").status_code for path in paths] == [200, 403, 403, 403]


@pytest.mark.parametrize("models", [2, 6])
def test_a_list_of_models_costs_two_queries_a_model(
    models: int, pipe: APIClient, django_assert_max_num_queries: Any
) -> None:
    fill(pipe)
    ask(pipe, seeds=models)
    run_all()
    with django_assert_max_num_queries(6 + 2 * models):
        assert len(pipe.get("/api/v1/models/").json()["results"]) == models


def test_the_process_that_trains_loads_no_django() -> None:
    code = "import learning.training.child, sys; sys.exit('django' in sys.modules)"
    here = Path(django_settings.BASE_DIR)
    assert subprocess.run([sys.executable, "-c", code], cwd=here, check=False).returncode == 0
