"""Testing models on the frozen test sets of tranches; the predictions are kept as files of lines."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction

from common.file_storage import new_file
from learning.models import Tested, TrainedModel, Tranche
from learning.trainers.registry import trainer_for
from learning.training.artefacts import artefact_of
from learning.training.inputs import examples_of, items_of
from learning.training.processes import run_child, trainer_path, write_examples
from lib.faults import FilesUnavailable, NotFound
from lib.files.scratch import scratch_folder

VISION = "vision"


def _nothing() -> None:
    """Look at nothing while a model is tested."""


def ensure_tested(
    *, model: TrainedModel, tranches: Sequence[Tranche], at: datetime, look: Callable[[], None] = _nothing
) -> None:
    """Test the model on the test items of those of these closed tranches on which it was not tested.

    Costs: a process of its own, and the time of its predictions, one after another.

    Raises:
        Altered, Invalid, TrainingFailed: as `artefact_of` and `run_child`.
    """
    known = set(model.tests.values_list("tranche", flat=True))
    missing = [one for one in tranches if one.pk not in known and one.status == Tranche.Status.CLOSED]
    if not missing:
        return
    trainer = trainer_for(model.module, model.trainer)
    with scratch_folder(settings.SCRATCH_DIR) as folder:
        (folder / "artefact").write_bytes(artefact_of(model))
        for tranche in missing:
            examples = examples_of(model.module, items_of([tranche], "test"))
            write_examples(folder / _name(tranche), examples)
        task = {"act": "predict", "trainer": trainer_path(trainer), "tests": [_name(one) for one in missing]}
        run_child(folder, task, told=lambda _: None, look=look)
        for tranche in missing:
            _keep(model, tranche, folder / _name(tranche), at=at)


def _name(tranche: Tranche) -> str:
    return f"test-{tranche.number}"


def _keep(model: TrainedModel, tranche: Tranche, file: Path, *, at: datetime) -> None:
    lines, correct, scores, times = [], 0, 0.0, []
    truths = file.open()
    with truths, file.with_name(f"{file.name}.out").open() as found:
        for given, line in zip(truths, found, strict=True):
            item, _, truth = json.loads(given)
            said = json.loads(line)
            row = {"item": item, "truth": truth, "prediction": said["prediction"], "correct": said["correct"]}
            lines.append(row | ({"iou": said["score"]} if model.module == VISION else {}))
            correct += said["correct"]
            scores += said["score"]
            times.append(said["ms"])
    content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in lines).encode()
    times.sort()
    n = len(lines)
    with new_file(f"models/{model.public_id}/{file.name}.jsonl", ContentFile(content)) as name, transaction.atomic():
        Tested.objects.get_or_create(
            model=model,
            tranche=tranche,
            defaults={
                "n": n,
                "correct": correct,
                "mean_score": scores / n if n else None,
                "latency_ms": times[min(int(0.95 * n), n - 1)] if n else None,
                "file": name,
                "sha256": sha256(content).hexdigest(),
                "at": at,
            },
        )


def said_of(file: Path) -> Iterator[dict[str, Any]]:
    """The predictions of a child process for the examples of this file, in their order."""
    with file.with_name(f"{file.name}.out").open() as lines:
        yield from map(json.loads, lines)


def prediction_lines(tested: Tested) -> Iterator[bytes]:
    """The lines of the kept predictions.

    Raises:
        FilesUnavailable: the file is not there.
    """
    try:
        with default_storage.open(tested.file, "rb") as file:
            yield from file
    except FileNotFoundError as error:
        raise FilesUnavailable from error


def tested_on(model: TrainedModel, tranche: Tranche) -> Tested:
    """The test of the model on the tranche.

    Raises:
        NotFound: there was none.
    """
    found = model.tests.filter(tranche=tranche).first()
    if found is None:
        raise NotFound(f"This model was not tested on tranche {tranche.number}.")
    return found


def predictions_of(model: TrainedModel, tranche: Tranche) -> list[dict[str, Any]]:
    """The predictions for the test items of a tranche, in the order of its items.

    Raises:
        NotFound: the model was not tested on it.
    """
    return [json.loads(line) for line in prediction_lines(tested_on(model, tranche))]
