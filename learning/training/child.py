"""`python -m learning.training.child FOLDER`: the process that fits a model, or lets one predict.

It is a process of its own, so that its memory and time are bounded and a crash of a library ends nothing else. It reads
`task.json` and the files that it names, and writes each progress as a line of JSON. It ends when its parent does.
Nothing of Django is loaded here.
"""

import importlib
import json
import os
import resource
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from learning.trainers.protocol import Example, Progress, Trainer
from lib.faults import CrosswalkError

REFUSED = 3
"""The exit status after an error that the trainer raised on purpose; `error.json` says which."""
OUT_OF_MEMORY = 4


def main(folder: Path) -> int:
    """Do the task of this folder; the exit status."""
    task = json.loads((folder / "task.json").read_text())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _bound_memory(task["memory_bytes"])
    module, _, name = task["trainer"].partition(":")
    try:
        trainer: Trainer = getattr(importlib.import_module(module), name)()
        if task["act"] == "fit":
            _fit(trainer, task, folder)
        else:
            _predict(trainer, task, folder)
    except CrosswalkError as refused:
        faults = [[fault.pointer, fault.detail] for fault in refused.faults]
        (folder / "error.json").write_text(json.dumps({"detail": refused.detail, "faults": faults}))
        return REFUSED
    except MemoryError:
        return OUT_OF_MEMORY
    return 0


def _end_with_parent() -> None:
    """End when the standard input ends: the parent holds its other end open for as long as it lives."""
    # Not through `sys.stdin`, whose lock this thread would hold when the interpreter ends.
    while os.read(0, 1024):
        pass
    os._exit(1)


def _bound_memory(most: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _fit(trainer: Trainer, task: Any, folder: Path) -> None:
    start = (folder / "start").read_bytes() if task["continues"] else None
    artefact = trainer.fit(
        list(_examples(folder / "train.jsonl")),
        list(_examples(folder / "valid.jsonl")),
        seed=task["seed"],
        settings=task["settings"],
        start=start,
        told=_tell,
    )
    (folder / "artefact").write_bytes(artefact)


def _tell(progress: Progress) -> None:
    print(json.dumps(progress), flush=True)  # noqa: T201 - the parent reads it


def _predict(trainer: Trainer, task: Any, folder: Path) -> None:
    """Predict one item after another, as in use, so that each time is that of one prediction."""
    predictor = trainer.load((folder / "artefact").read_bytes())
    for name in task["tests"]:
        with (folder / f"{name}.out").open("w") as out:
            for example in _examples(folder / name):
                # The time of the processor: what else runs on the machine is no property of the model.
                began = time.thread_time()
                (found,) = predictor.predict([example.given])
                took_ms = (time.thread_time() - began) * 1000
                line = {
                    "item": example.item,
                    "prediction": found.value,
                    "correct": trainer.is_correct(found.value, example.truth),
                    "sure": found.score,
                    "score": trainer.score(found.value, example.truth),
                    "ms": took_ms,
                }
                out.write(json.dumps(line, ensure_ascii=False) + "\n")


def _examples(file: Path) -> Iterator[Example]:
    with file.open() as lines:
        for line in lines:
            yield Example(*json.loads(line))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
