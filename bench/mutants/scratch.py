"""Scratch copies of one revision, in which mutants are written and tests run. The working tree is never changed."""

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).resolve().parents[2]
PYTEST = (
    *("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"),
    *("--reuse-db", "--basetemp=.tmp", "--hypothesis-seed=0"),
)
FAILED = 1
INTERRUPTED = 2
"""The exit status of pytest where a test failed, and where a test file could not be read."""
_MAKE_DATABASE = """
import django
django.setup()
from django.db import connection
connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
print(connection.settings_dict["NAME"])
connection.close()
"""


@dataclass(frozen=True)
class Ran:
    """One run of pytest. `failed` is the test that failed, or what stopped the application; `message` its error."""

    code: int
    seconds: float
    failed: str
    message: str
    output: str

    @property
    def is_caught(self) -> bool:
        return self.code in (FAILED, INTERRUPTED) and bool(self.failed)


def commit_of(revision: str) -> str:
    """The short hash of a revision."""
    return _git("rev-parse", "--short", f"{revision}^{{commit}}").decode().strip()


def text_at(revision: str, path: str) -> str:
    """The content of a file at a revision."""
    return _git("show", f"{revision}:{path}").decode()


def _git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True).stdout


class Copy:
    """One scratch copy of a revision, with the built front end of the working tree and a migrated test database."""

    def __init__(self, folder: Path, revision: str, *, dist: Path) -> None:
        self.root = folder
        folder.mkdir()
        archive = _git("archive", revision)
        subprocess.run(["tar", "-x"], input=archive, cwd=folder, check=True)
        if dist.exists():
            (folder / "frontend" / "dist").symlink_to(dist.resolve())
        # Compiled files are kept: otherwise each run compiles all of the code anew.
        kept = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "PYTEST_ADDOPTS")}
        self._environment = {**kept, "PYTHONDONTWRITEBYTECODE": "", "DJANGO_SETTINGS_MODULE": "config.settings"}
        self._database = folder / ".data" / "test.sqlite3"
        self._migrated = folder / "migrated.sqlite3"

    def make_database(self) -> None:
        """Migrate the test database once, and keep a copy for all runs."""
        done = subprocess.run(
            [sys.executable, "-c", _MAKE_DATABASE],
            cwd=self.root,
            env=self._environment,
            check=True,
            capture_output=True,
        )
        self._database = Path(done.stdout.decode().split("\n")[-2])
        with closing(sqlite3.connect(self._database)) as made, closing(sqlite3.connect(self._migrated)) as kept:
            made.backup(kept)

    def share_database(self, other: "Copy") -> None:
        """Take the migrated database of another copy."""
        shutil.copy(other._migrated, self._migrated)
        self._database = self.root / other._database.relative_to(other.root)

    def write(self, path: str, text: str) -> None:
        """Write a source file. Its compiled file goes: two texts of one length may be written within one second."""
        (self.root / path).write_text(text)
        Path(cache_from_source(str(self.root / path))).unlink(missing_ok=True)

    def missing(self, tests: Sequence[str]) -> list[str]:
        """Test files that this revision does not have."""
        return [path for path in tests if not (self.root / path.partition("::")[0]).exists()]

    def test(self, tests: Sequence[str], *, limit_s: float, plugin: str = "") -> Ran:
        """Run these tests in this order until one fails.

        Raises:
            subprocess.TimeoutExpired: they took longer than `limit_s`.
        """
        self._restore()
        started = monotonic()
        done = subprocess.run(
            ["nice", "-n", "10", sys.executable, *PYTEST, *(("-p", plugin) if plugin else ()), *tests],
            cwd=self.root,
            env=self._environment,
            check=False,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=limit_s,
        )
        found = re.search(r"^(?:FAILED|ERROR) (\S+?\.py\b.*?)(?: - (.*))?$", done.stdout, re.MULTILINE)
        failed = found.group(1) if found else ""
        if not failed and done.returncode == FAILED and "Traceback (most recent call last)" in done.stdout:
            failed = f"the application does not start: {done.stdout.strip().splitlines()[-1]}"
        message = (found.group(2) or "") if found else ""
        return Ran(done.returncode, round(monotonic() - started, 1), failed, message, done.stdout)

    def _restore(self) -> None:
        """Give the next run a fresh database and no examples of hypothesis from an earlier one."""
        self._database.parent.mkdir(parents=True, exist_ok=True)
        for ending in ("-wal", "-shm"):
            self._database.with_name(self._database.name + ending).unlink(missing_ok=True)
        shutil.copy(self._migrated, self._database)
        shutil.rmtree(self.root / ".hypothesis", ignore_errors=True)
