"""Trainers outside of the server: what they claim, what they hand in, and what is refused."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone
from rest_framework.test import APIClient

from evaluation.models import Upload
from jobs import outbox
from jobs.models import Job
from learning.models import Run, TrainedModel
from learning.training.external import TEST
from tests.support.models import make_tranche

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("by_heart")]
Json = dict[str, Any]


def ask(pipe: APIClient, **body: Any) -> str:
    wanted = {"module": "nlu", "trainer": "external", "tranches": [0], "kind": "baseline", "seeds": 1, **body}
    answer = pipe.post("/api/v1/trainings/", wanted)
    assert answer.status_code == 202, answer.content
    return str(answer.json()["training"])


def claim(pipe: APIClient, status: int = 200) -> Json:
    answer = pipe.post("/api/v1/trainings/claim/", {"module": "nlu"})
    assert answer.status_code == status, answer.content
    found: Json = answer.json() if status == 200 else {}
    return found


def hand_in(pipe: APIClient, claimed: Json, content: bytes = b"", status: int = 201) -> Json:
    content = content or json.dumps({"seed": 0, "forms": {}, "always": None}).encode()
    upload = Upload.objects.create(
        filename="model",
        bytes=len(content),
        state=Upload.State.COMPLETE,
        file=default_storage.save("model", ContentFile(content)),
        created_at=timezone.now(),
    )
    body = {"upload": upload.public_id, "token": claimed["token"], "metrics": {"valid": 0.5}}
    answer = pipe.post(f"/api/v1/trainings/{claimed['training']}/artefact/", body)
    assert answer.status_code == status, answer.content
    found: Json = answer.json()
    return found


def test_a_run_is_claimed_trained_elsewhere_and_tested_here(pipe: APIClient) -> None:
    make_tranche(0, test=2)
    training = ask(pipe)
    claimed = claim(pipe)
    assert (claimed["training"], claimed["kind"], claimed["start"]) == (training, "baseline", None)
    assert pipe.get(claimed["train"][0]).status_code == 200
    claim(pipe, status=204)
    model = hand_in(pipe, claimed)["model"]
    assert hand_in(pipe, claimed)["model"] == model
    outbox.run(Job.objects.get(kind=TEST).pk)
    shown = pipe.get(f"/api/v1/trainings/{training}/").json()
    assert (shown["status"], shown["models"], shown["runs"][0]["reported"]) == ("done", [model], {"valid": 0.5})
    assert shown["metrics"][0]["n"] == 2


def test_a_rebiased_run_waits_for_the_model_that_it_continues(pipe: APIClient) -> None:
    make_tranche(0, test=1)
    ask(pipe, kind="rebiased")
    first = claim(pipe)
    assert first["kind"] == "updated"
    claim(pipe, status=204)
    model = hand_in(pipe, first)["model"]
    second = claim(pipe)
    assert (second["kind"], second["start"]) == ("rebiased", f"/api/v1/models/{model}/artefact/")


def test_a_trainer_that_stayed_away_loses_its_run(pipe: APIClient) -> None:
    make_tranche(0, test=1)
    ask(pipe)
    lost = claim(pipe)
    Run.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    held = claim(pipe)
    assert "Claim one" in hand_in(pipe, lost, status=409)["detail"]
    hand_in(pipe, held)


def test_an_artefact_that_does_not_load_is_refused(pipe: APIClient) -> None:
    make_tranche(0, test=1)
    ask(pipe)
    hand_in(pipe, claim(pipe), b"not a model", status=422)
    assert not TrainedModel.objects.exists()
