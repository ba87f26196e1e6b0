"""Trainers outside of this server: each claims a run, reads its data through the API, and hands in what it made."""

import hashlib
import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from evaluation.models import Upload
from jobs.outbox import Running, enqueue
from learning.models import Run, TrainedModel, Training, Tranche
from learning.models.trainings import ENDED, Kind
from learning.trainers.registry import trainer_for
from learning.training.artefacts import MOST_BYTES
from learning.training.inputs import learnt_from
from learning.training.processes import run_child, trainer_path
from learning.training.runs import end, keep_model
from learning.training.testing import ensure_tested
from lib.faults import Conflict, Invalid, TooLarge
from lib.files.scratch import scratch_folder

HELD = timedelta(hours=6)
"""How long a claimed run is held; after it another trainer may claim it."""
TEST = "learning.test"
"""The kind of job that tests a model that was handed in; its subject is the model."""
_LOOKED_AT = 200


class Claimed(NamedTuple):
    """A run that a trainer holds, and the secret with which it hands in its model."""

    run: Run
    token: str
    learns_from: list[Tranche]
    parent: TrainedModel | None


def claim_run(*, module: str | None, by: str, at: datetime) -> Claimed | None:
    """Claim the next run that waits for a trainer outside; None: none waits. A run whose trainer stayed away is given
    to another."""
    waits = Q(status=Run.Status.WAITING) | Q(status=Run.Status.RUNNING, lease_expires_at__lte=at)
    with transaction.atomic():
        rows = Run.objects.select_for_update(of=("self",)).select_related("training").filter(waits)
        rows = rows.filter(training__is_external=True).exclude(training__status__in=ENDED)
        if module:
            rows = rows.filter(training__module=module)
        for run in rows.order_by("training__created_at", "number")[:_LOOKED_AT]:
            parent = None
            if run.kind == Kind.REBIASED:
                parent = TrainedModel.objects.filter(
                    run__training=run.training_id, kind=Kind.UPDATED, seed=run.seed
                ).first()
                if parent is None:
                    continue
            token = secrets.token_urlsafe(24)
            run.status, run.claimed_by, run.token_digest = Run.Status.RUNNING, by, _digest(token)
            run.started_at, run.lease_expires_at = at, at + HELD
            run.save(update_fields=["status", "claimed_by", "token_digest", "started_at", "lease_expires_at"])
            Training.objects.filter(pk=run.training_id, status=Training.Status.QUEUED).update(
                status=Training.Status.RUNNING
            )
            tranches = learnt_from(run.kind, list(run.training.tranches.order_by("number")))
            again = [one for one in tranches if one.number == 0] if parent else tranches
            return Claimed(run, token, again, parent)
    return None


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def hand_in(
    *, training: Training, token: str, upload: Upload, metrics: Mapping[str, Any], by: str, at: datetime
) -> TrainedModel:
    """Keep what a trainer outside made of a run; it is tested by a job. The same again returns the same model.

    Raises:
        Conflict: the token holds no run of this training, or no longer.
        TooLarge: the artefact has too many bytes.
        Invalid: the upload is not complete, or the artefact is none that the training's trainer can load.
    """
    run = training.runs.filter(token_digest=_digest(token)).select_related("training").first()
    if run is None or run.status not in (Run.Status.RUNNING, Run.Status.DONE) or training.status in ENDED[1:]:
        raise Conflict("This token holds no run of this training, or no longer. Claim one.")
    known = TrainedModel.objects.filter(run=run).first()
    if known is not None:
        return known
    if upload.state != Upload.State.COMPLETE:
        raise Invalid.at("#/upload", "Complete the upload first.")
    if upload.bytes > MOST_BYTES:
        raise TooLarge(f"An artefact has at most {MOST_BYTES} bytes.")
    trainer = trainer_for(training.module, training.trainer)
    tranches = learnt_from(run.kind, list(training.tranches.order_by("number")))
    parent = None
    if run.kind == Kind.REBIASED:
        parent = TrainedModel.objects.filter(run__training=training, kind=Kind.UPDATED, seed=run.seed).first()
    with scratch_folder(settings.SCRATCH_DIR) as folder:
        artefact = folder / "artefact"
        with default_storage.open(upload.file, "rb") as file, artefact.open("wb") as out:
            for chunk in file.chunks():
                out.write(chunk)
        _check_loads(folder, trainer_path(trainer))
        learnt = sum(one.train for one in tranches)
        with transaction.atomic():
            held = Run.objects.select_for_update().get(pk=run.pk)
            if held.token_digest != _digest(token) or held.status != Run.Status.RUNNING:
                raise Conflict("Another trainer holds this run now.")
            Run.objects.filter(pk=run.pk).update(reported=dict(metrics))
            model = keep_model(run, artefact, tranches=tranches, parent=parent, examples=learnt, code=by[:100], at=at)
            enqueue(TEST, str(model.pk), unique_key=f"{TEST}@{model.pk}")
            end(run, Run.Status.DONE, at=at)
    return model


def _check_loads(folder: Path, path: str) -> None:
    task = {"act": "predict", "trainer": path, "tests": []}
    run_child(folder, task, told=lambda _: None, look=lambda: None)


def tests_of_handed_in(running: Running) -> None:
    """Job handler: test a model that was handed in on every closed tranche."""
    model = TrainedModel.objects.get(pk=int(running.subject))
    tranches = Tranche.objects.filter(module=model.module).closed().order_by("number")

    def look() -> None:
        running.report(0.5)

    ensure_tested(model=model, tranches=list(tranches), at=timezone.now(), look=look)
