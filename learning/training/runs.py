"""Training one run: a job that may be killed at any moment, and then goes on where it was.

The fitting itself starts anew. A stored model is not trained again, and a kept test is not made again.
"""

import logging
import time
from datetime import datetime
from functools import partial
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone

from common.data.values import opaque_id
from common.file_storage import new_file
from jobs.outbox import Running
from learning.models import Run, TrainedModel, Training, Tranche
from learning.models.trainings import ENDED, Kind
from learning.trainers.protocol import Progress
from learning.trainers.registry import trainer_for
from learning.training.artefacts import artefact_of
from learning.training.inputs import code_version, examples_of, inputs_digest, items_of, learnt_from
from learning.training.processes import TrainingFailed, run_child, trainer_path, write_examples
from learning.training.testing import ensure_tested
from learning.training.turns import train_next
from lib.faults import CrosswalkError, Invalid, ServerFault
from lib.files.scratch import scratch_folder

logger = logging.getLogger(__name__)
MOST_POINTS = 1000
"""Points of a curve that are kept; of a longer one every second is dropped."""
_RENEW_S = 20.0
"""How often the job's lease is renewed; it lasts two minutes."""


class Cancelled(Exception):
    """The training was cancelled while a run of it was being trained."""


def train(running: Running) -> None:
    """Job handler: train and test the model of the run that is the subject, then have the next run trained."""
    run = Run.objects.select_related("training").get(pk=int(running.subject))
    if run.status not in ENDED and run.training.status not in ENDED:
        _begin(run, at=timezone.now())
        try:
            _train(run, running)
        except Cancelled:
            logger.info("training.cancelled", extra={"run": run.pk})
        except ServerFault:
            raise
        except CrosswalkError as refused:
            # Another attempt would end in the same way.
            reasons = "; ".join(f"{fault.pointer}: {fault.detail}" for fault in refused.faults)
            end(run, Run.Status.FAILED, error=f"{refused.detail} {reasons}".strip(), at=timezone.now())
        else:
            end(run, Run.Status.DONE, at=timezone.now())
    running.free_key()
    train_next()


def abandon(subject: str) -> None:
    """Mark the run as failed when every attempt of its job has failed."""
    run = Run.objects.get(pk=int(subject))
    end(run, Run.Status.FAILED, error="Every attempt failed; the list of background work says why.", at=timezone.now())
    train_next()


def _begin(run: Run, *, at: datetime) -> None:
    Run.objects.filter(pk=run.pk).exclude(status__in=ENDED).update(
        status=Run.Status.RUNNING, started_at=at, share=0, curve=[], error=""
    )
    Training.objects.filter(pk=run.training_id, status=Training.Status.QUEUED).update(status=Training.Status.RUNNING)


def end(run: Run, status: Run.Status, *, error: str = "", at: datetime) -> None:
    """End a run, and its training with the last one. A run that has ended stays as it is."""
    with transaction.atomic():
        training = Training.objects.select_for_update().get(pk=run.training_id)
        share = {"share": 1.0} if status == Run.Status.DONE else {}
        Run.objects.filter(pk=run.pk).exclude(status__in=ENDED).update(status=status, error=error, ended_at=at, **share)
        if status == Run.Status.FAILED and run.kind == Kind.UPDATED and training.kind == Kind.REBIASED:
            # Nothing is there to continue.
            followers = training.runs.filter(kind=Kind.REBIASED, seed=run.seed).exclude(status__in=ENDED)
            followers.update(status=Run.Status.FAILED, error="The updated model that it continues failed.", ended_at=at)
        if training.status in ENDED or training.runs.exclude(status__in=ENDED).exists():
            return
        has_failed = training.runs.filter(status=Run.Status.FAILED).exists()
        training.status = Training.Status.FAILED if has_failed else Training.Status.DONE
        training.ended_at = at
        training.save(update_fields=["status", "ended_at"])


def _train(run: Run, running: Running) -> None:
    watch = _Watch(run, running)
    model = TrainedModel.objects.filter(run=run).first() or _fit(run, watch)
    tested_on = list(Tranche.objects.filter(module=model.module).closed().order_by("number"))
    ensure_tested(model=model, tranches=tested_on, at=timezone.now(), look=watch.look)
    # Baselines too: how they do on newer test items tells whether the task has become harder (Figure 5 of paper 004).
    for one in _last_baselines(training_of=model):
        try:
            ensure_tested(model=one, tranches=tested_on, at=timezone.now(), look=watch.look)
        except CrosswalkError:
            # The new model is whole without this comparison.
            logger.warning("training.baseline_not_tested", exc_info=True, extra={"run": run.pk, "model": one.pk})


def _last_baselines(*, training_of: TrainedModel) -> list[TrainedModel]:
    """The models of the newest baseline training of the same module and trainer. 2 queries."""
    known = TrainedModel.objects.filter(
        module=training_of.module, trainer=training_of.trainer, kind=Kind.BASELINE
    ).exclude(pk=training_of.pk)
    newest = known.order_by("-pk").values_list("training", flat=True).first()
    return list(known.filter(training=newest).order_by("pk"))


class _Watch:
    """Notes the progress of a run, and ends it when its training was cancelled or another runner has its job."""

    def __init__(self, run: Run, running: Running) -> None:
        self._run, self._running = run, running
        self._points: list[list[float | None]] = []
        self._share, self._is_new, self._renewed = 0.0, False, 0.0

    def told(self, progress: Progress) -> None:
        self._share, self._is_new = min(max(progress.share, 0.0), 1.0), True
        self._points.append([progress.step, progress.loss, progress.valid])
        if len(self._points) > MOST_POINTS:
            self._points = self._points[::2]

    def look(self) -> None:
        now = time.monotonic()
        if now - self._renewed >= _RENEW_S:
            self._renewed = now
            self._running.report(self._share)
        if not self._is_new and self._share:
            changed = Run.objects.filter(pk=self._run.pk, status=Run.Status.RUNNING).exists()
        else:
            changed = bool(
                Run.objects.filter(pk=self._run.pk, status=Run.Status.RUNNING).update(
                    share=self._share, curve=self._points
                )
            )
            self._is_new = False
        if not changed:
            raise Cancelled


def _fit(run: Run, watch: _Watch) -> TrainedModel:
    training = run.training
    trainer = trainer_for(training.module, training.trainer)
    all_tranches = list(training.tranches.order_by("number"))
    tranches = learnt_from(run.kind, all_tranches)
    parent = _parent_of(run) if run.kind == Kind.REBIASED else None
    # A re-biased model has learnt from all of them already, and learns from R_0 again.
    again = [one for one in tranches if one.number == 0] if parent else tranches
    with scratch_folder(settings.SCRATCH_DIR) as folder:
        learnt = write_examples(folder / "train.jsonl", examples_of(training.module, items_of(again, "train")))
        write_examples(folder / "valid.jsonl", examples_of(training.module, items_of(again, "valid")))
        if not learnt:
            raise Invalid("These tranches have no items to learn from.")
        if parent:
            (folder / "start").write_bytes(artefact_of(parent))
        task = {
            "act": "fit",
            "trainer": trainer_path(trainer),
            "seed": run.seed,
            "settings": training.settings,
            "continues": parent is not None,
        }
        run_child(folder, task, told=watch.told, look=watch.look)
        watch.look()
        artefact = folder / "artefact"
        if not artefact.exists():
            raise TrainingFailed("It made no model.")
        examples = learnt if parent is None else parent.train_examples
        return keep_model(run, artefact, tranches=tranches, parent=parent, examples=examples, at=timezone.now())


def _parent_of(run: Run) -> TrainedModel:
    found = TrainedModel.objects.filter(run__training=run.training_id, kind=Kind.UPDATED, seed=run.seed).first()
    if found is None:
        raise TrainingFailed("The updated model that it continues is not there.")
    return found


def keep_model(
    run: Run,
    artefact: Path,
    *,
    tranches: list[Tranche],
    parent: TrainedModel | None,
    examples: int,
    code: str = "",
    at: datetime,
) -> TrainedModel:
    """Store what a run made, once."""
    content = artefact.read_bytes()
    training, name = run.training, opaque_id()
    inputs = inputs_digest(training, kind=run.kind, seed=run.seed, tranches=list(training.tranches.order_by("number")))
    make = partial(
        TrainedModel.objects.create,
        public_id=name,
        module=training.module,
        trainer=training.trainer,
        training=training,
        run=run,
        parent=parent,
        kind=run.kind,
        seed=run.seed,
        train_examples=examples,
        inputs=inputs,
        sha256=sha256(content).hexdigest(),
        bytes=len(content),
        code=code or code_version(),
        created_at=at,
    )
    with new_file(f"models/{name}/artefact", ContentFile(content)) as file, transaction.atomic():
        model: TrainedModel = make(file=file)
        model.tranches.set(tranches)
    return model
