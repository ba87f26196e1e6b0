"""Plays the trials on a tree of the product, in processes with a database each."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.blindness.strategies import STRATEGIES
from bench.blindness.trial import Trial, trial_from

ROOT = Path(__file__).resolve().parent.parent.parent
PROCESSES = 2


def trials_of(
    tree: Path, *, projects: int, seed: int, strategies: Sequence[str] = tuple(STRATEGIES), kept: Path | None = None
) -> list[Trial]:
    """The trials on a tree; from the file `kept` if it is there, else they are also written to it.

    Raises:
        RuntimeError: a process failed; what it said is on the standard error.
    """
    if kept and kept.exists():
        lines = kept.read_text().splitlines()
    else:
        lines = _played(tree, projects=projects, seed=seed, strategies=strategies)
        if kept:
            kept.write_text("\n".join(lines) + "\n")
    return [trial_from(json.loads(line)) for line in lines]


def _played(tree: Path, *, projects: int, seed: int, strategies: Sequence[str]) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="crosswalk-blindness-") as folder:
        files = [Path(folder) / str(number) for number in range(PROCESSES)]
        running = []
        for number, path in enumerate(files):
            words = (tree, seed, projects, number, PROCESSES, *strategies)
            command = [sys.executable, "-m", "bench.blindness.product", *map(str, words)]
            with path.open("w") as out:
                running.append(subprocess.Popen(command, cwd=ROOT, stdout=out))
        codes = [process.wait() for process in running]
        if any(codes):
            raise RuntimeError(f"the processes ended with {codes}")
        return [line for path in files for line in path.read_text().splitlines()]
