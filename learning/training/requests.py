"""Asking for trainings, and cancelling them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NotRequired, TypedDict

from django.db import transaction

from audit.log import Subject, record
from learning.data.kinds import kind_of
from learning.data.tranches import close_tranche
from learning.models import Run, Training, Tranche
from learning.models.trainings import ENDED, Kind
from learning.trainers.registry import trainer_for
from learning.training.turns import train_next
from lib.extras import check_installed
from lib.faults import Conflict, Fault, Invalid, NotFound

EXTERNAL = "external"
"""The name of the trainer that is a program elsewhere."""
LOADS_WITH = "loads_with"
"""The setting of an external training that names the trainer whose artefacts it makes."""
SEEDS, MOST_SEEDS = 5, 20
MOST_TRANCHES = 100
Status = Training.Status


class TrainingBody(TypedDict):
    """A wish for models."""

    module: str
    trainer: NotRequired[str | None]
    tranches: Sequence[int]
    kind: str
    seeds: NotRequired[int]
    settings: NotRequired[Mapping[str, Any]]


def request_training(*, body: TrainingBody, by: str, at: datetime) -> tuple[Training, bool]:
    """Ask for models; True if the training is new. An equal one that has not ended is returned instead of a second.

    Tranche 0 is closed by its first training. A re-biased model continues an updated one, so its training makes that
    one first, for each seed.

    Raises:
        NotFound: there is no such module.
        Invalid: there is no such trainer or tranche, or R_0 is missing where the kind needs it.
        ExtraMissing: the trainer's packages are not installed.
        Conflict: a tranche is open.
    """
    kind_of(body["module"])
    given = dict(body.get("settings") or {})
    is_external = body.get("trainer") == EXTERNAL
    loads_with = given.pop(LOADS_WITH, None) if is_external else body.get("trainer")
    try:
        trainer = trainer_for(body["module"], loads_with)
    except NotFound as error:
        raise Invalid.at("#/trainer", error.detail) from None
    if not is_external:
        check_installed(trainer.extra)
    numbers = sorted(set(body["tranches"]))
    if body["kind"] != Kind.UPDATED and 0 not in numbers:
        raise Invalid.at("#/tranches", f"A {body['kind']} model learns from tranche 0: name it too.")
    with transaction.atomic():
        tranches = _closed(body["module"], numbers, by=by, at=at)
        content = {
            "module": body["module"],
            "trainer": trainer.name,
            "is_external": is_external,
            "kind": body["kind"],
            "seeds": body.get("seeds", SEEDS),
            "settings": given,
        }
        for other in Training.objects.filter(**content).exclude(status__in=ENDED):
            if {one.pk for one in other.tranches.all()} == {one.pk for one in tranches}:
                return other, False
        training = Training.objects.create(**content, by=by, created_at=at)
        training.tranches.set(tranches)
        kinds = [Kind.UPDATED, Kind.REBIASED] if body["kind"] == Kind.REBIASED else [body["kind"]]
        wanted = [(kind, seed) for kind in kinds for seed in range(training.seeds)]
        Run.objects.bulk_create(
            Run(training=training, number=number, kind=kind, seed=seed)
            for number, (kind, seed) in enumerate(wanted, start=1)
        )
        record(
            verb="training.requested",
            actor=by,
            subject=subject_of(training),
            at=at,
            module=training.module,
            kind=training.kind,
            trainer=training.trainer,
            tranches=numbers,
            seeds=training.seeds,
            settings=given,
        )
        if not is_external:
            train_next()
    return training, True


def subject_of(training: Training) -> Subject:
    return Subject("training", training.public_id)


def _closed(module: str, numbers: Sequence[int], *, by: str, at: datetime) -> list[Tranche]:
    rows = Tranche.objects.select_for_update(of=("self",)).filter(module=module, number__in=numbers)
    found = {one.number: one for one in rows.order_by("number")}
    missing = [number for number in numbers if number not in found]
    if missing:
        raise Invalid(faults=[Fault("#/tranches", f"There is no tranche {number} of {module}.") for number in missing])
    for number, tranche in found.items():
        if tranche.status == Tranche.Status.OPEN and number > 0:
            raise Conflict(f"Tranche {number} is open. Close it first: what a model learns from does not change.")
        if tranche.status == Tranche.Status.OPEN:
            found[number] = close_tranche(tranche=tranche, by=by, at=at)
    return list(found.values())


def training_named(public_id: str) -> Training:
    """The training. 1 query.

    Raises:
        NotFound: there is none.
    """
    found = Training.objects.filter(public_id=public_id).first()
    if found is None:
        raise NotFound
    return found


def cancel(*, training: Training, by: str, at: datetime) -> None:
    """Cancel what is left of a training; models that it has made stay. A training that has ended stays as it is."""
    with transaction.atomic():
        locked = Training.objects.select_for_update().get(pk=training.pk)
        if locked.status in ENDED:
            return
        locked.status, locked.ended_at = Status.CANCELLED, at
        locked.save(update_fields=["status", "ended_at"])
        left = locked.runs.exclude(status__in=ENDED)
        left.update(status=Run.Status.CANCELLED, ended_at=at)
        record(verb="training.cancelled", actor=by, subject=subject_of(locked), at=at)
