"""Running `child.py` from a job: its progress, its bounds, and its end."""

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from django.conf import settings

from learning.trainers.protocol import Example, Progress, Trainer
from learning.training.child import OUT_OF_MEMORY, REFUSED
from lib.faults import CrosswalkError, Fault, Invalid

_WITH = ("env", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "PYTHONHASHSEED=0")
"""One core: what is shared out over threads waits for the requests on the others."""
LOOK_S = 1.0
"""How often the parent looks up, at least, while the child says nothing."""


class TrainingFailed(CrosswalkError):
    """The process ended without a model: it was out of memory or time, or crashed."""

    status, code, title = 422, "training_failed", "The training failed"
    sentence = "The training ended without a model."


def trainer_path(trainer: Trainer) -> str:
    """The name under which the child finds the trainer."""
    kind = type(trainer)
    return f"{kind.__module__}:{kind.__qualname__}"


def write_examples(file: Path, examples: Iterable[Example]) -> int:
    """Write examples for the child; returns how many."""
    number = 0
    with file.open("w") as out:
        for example in examples:
            out.write(json.dumps(example, ensure_ascii=False) + "\n")
            number += 1
    return number


def run_child(
    folder: Path, task: Mapping[str, Any], *, told: Callable[[Progress], None], look: Callable[[], None]
) -> None:
    """Let the child do the task, whose files are in the folder.

    Args:
        told: Gets each progress.
        look: Called about once a second; an error that it raises ends the child.

    Raises:
        Invalid: the trainer refused the settings or the examples.
        TrainingFailed: the child was out of memory or time, or crashed.
    """
    memory = settings.TRAINING_MEMORY_BYTES
    (folder / "task.json").write_text(json.dumps({**task, "memory_bytes": memory}))
    deadline = time.monotonic() + settings.TRAINING_MAX_S
    with (folder / "errors.txt").open("wb") as errors:
        child = subprocess.Popen(  # noqa: S603 - our own module, and a folder that we made
            [*_WITH, sys.executable, "-m", "learning.training.child", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=settings.BASE_DIR,
        )
        try:
            _follow(child, deadline=deadline, told=told, look=look)
        finally:
            child.kill()
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            child.wait()
    _raise_for(child.returncode, folder)


def _follow(
    child: "subprocess.Popen[bytes]",
    *,
    deadline: float,
    told: Callable[[Progress], None],
    look: Callable[[], None],
) -> None:
    assert child.stdout is not None  # noqa: S101 - a pipe was asked for
    lines: queue.Queue[bytes | None] = queue.Queue()
    threading.Thread(target=_read, args=(child.stdout, lines), daemon=True).start()
    looked = 0.0
    while True:
        with suppress(queue.Empty):
            line = lines.get(timeout=LOOK_S)
            if line is None:
                child.wait()
                return
            told(Progress(*json.loads(line)))
        now = time.monotonic()
        if now - looked >= LOOK_S:
            looked = now
            look()
        if now > deadline:
            raise TrainingFailed(f"It took longer than {settings.TRAINING_MAX_S / 60:g} minutes, so it was ended.")


def _read(out: IO[bytes], lines: "queue.Queue[bytes | None]") -> None:
    with suppress(ValueError):  # the pipe is closed when the child is ended
        for line in out:
            lines.put(line)
    lines.put(None)


def _raise_for(status: int, folder: Path) -> None:
    if status == 0:
        return
    if status == REFUSED:
        said = json.loads((folder / "error.json").read_text())
        raise Invalid(said["detail"], faults=[Fault(*fault) for fault in said["faults"]])
    if status == OUT_OF_MEMORY:
        most = settings.TRAINING_MEMORY_BYTES // 2**20
        raise TrainingFailed(f"It needed more than {most} MB of memory (CROSSWALK_TRAINING_MEMORY_MB).")
    said = (folder / "errors.txt").read_text(errors="replace").strip().rpartition("\n")[2][-500:]
    raise TrainingFailed(f"Its process ended with the status {status}. {said}".strip())
