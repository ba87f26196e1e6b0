"""Look up the packages of both lock files among the known vulnerabilities; exit with 1 if there is one.

Where no advisory service answers, a line says so and the exit status is 0: a build may not depend on the network. What
both services have answered holds for a day, or until a lock file changes.
"""

import argparse
import hashlib
import json
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LOCKS = (ROOT / "requirements/dev.txt", ROOT / "requirements/node.txt", ROOT / "frontend/package-lock.json")
ACCEPTED: Mapping[str, str] = {}
"""Advisories that do not concern us, by id, each with the reason."""
LIMIT_S = 30
KEEP_S = 24 * 3600
# Each gives up soon where nothing answers. `requirements/dev.txt` contains all of `base.txt`.
PYTHON = (
    f"{shlex.quote(str(Path(sys.executable).parent / 'pip-audit'))} --requirement requirements/dev.txt "
    "--requirement requirements/node.txt --require-hashes --disable-pip --vulnerability-service osv --timeout 3 "
    "--progress-spinner off --format json"
)
FRONT_END = "scripts/node npm audit --package-lock-only --json --fetch-retries=0 --fetch-timeout=5000"


class Finding(NamedTuple):
    package: str
    advisory: str


def of_python(report: Any) -> list[Finding]:
    """The findings in a report of pip-audit."""
    packages = report["dependencies"]
    return [Finding(f"{one['name']} {one['version']}", flaw["id"]) for one in packages for flaw in one.get("vulns", ())]


def of_front_end(report: Any) -> list[Finding]:
    """The findings in a report of npm; a package that only depends on a vulnerable one is not named again."""
    packages = report["vulnerabilities"].items()
    return [
        Finding(name, flaw["url"].rpartition("/")[2])
        for name, one in packages
        for flaw in one["via"]
        if isinstance(flaw, dict)
    ]


def ask(command: str, read: Callable[[Any], list[Finding]]) -> list[Finding] | None:
    """The findings that the command reports; None where no service answered."""
    try:
        done = subprocess.run(shlex.split(command), cwd=ROOT, capture_output=True, timeout=LIMIT_S)  # noqa: S603
        return read(json.loads(done.stdout))
    except (subprocess.TimeoutExpired, ValueError, KeyError, TypeError):
        return None


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=PYTHON, metavar="COMMAND", help="prints a report of pip-audit")
    parser.add_argument("--front-end", default=FRONT_END, metavar="COMMAND", help="prints a report of npm audit")
    parser.add_argument("--kept", type=Path, default=ROOT / ".venv/.vulnerabilities", help="what was asked last")
    asked = parser.parse_args(arguments)
    digest = hashlib.sha256(b"".join(lock.read_bytes() for lock in LOCKS)).hexdigest()
    if _is_fresh(asked.kept, digest):
        return 0
    with ThreadPoolExecutor() as pool:
        python = pool.submit(ask, asked.python, of_python)
        front_end = pool.submit(ask, asked.front_end, of_front_end)
    answers = {"the Python packages": python.result(), "the front end": front_end.result()}
    silent = [part for part, answer in answers.items() if answer is None]
    found = [one for answer in answers.values() for one in answer or () if one.advisory not in ACCEPTED]
    if silent:
        sys.stdout.write(f"Not looked up for known vulnerabilities, for no service answered: {', '.join(silent)}.\n")
    for package, advisory in found:
        sys.stdout.write(f"{package} has a known vulnerability: {advisory}. See docs/contributing.md.\n")
    if not silent and not found:
        asked.kept.write_text(digest)
    return 1 if found else 0


def _is_fresh(kept: Path, digest: str) -> bool:
    return kept.exists() and time.time() - kept.stat().st_mtime < KEEP_S and kept.read_text() == digest


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
