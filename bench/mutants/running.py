"""Running the tests against each mutant, and keeping which test caught it."""

import hashlib
import json
import queue
import subprocess
import sys
import tempfile
import threading
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from typing import Any

from bench.mutants.candidates import apply
from bench.mutants.mutant import HERE, Mutant, read_mutants, write_json
from bench.mutants.places import NotFound, Places, find, read_places
from bench.mutants.reach import KEPT_IN, PLUGIN, PLUGIN_NAME, Reached, marked, statement_at
from bench.mutants.scratch import ROOT, Copy, Ran, commit_of
from bench.mutants.subjects import Subject, read_subjects

RESULTS = HERE / "results.json"
SIDE_BY_SIDE = 2
"""Mutants that are tested at the same time."""
LEAST_LIMIT_S = 180.0
SLOW_LIMIT_S = 1200.0
QUICK_S = 15.0
"""Each mutant is first tested with tests that take this long together; few survive that."""
SLOWER = 6
"""A run may take so many times as long as the unchanged code, for the machine may be busy."""
Result = dict[str, Any]


class BaselineFailed(Exception):
    """The tests fail without any mutant, so they can catch none."""


class Results:
    """`results.json`: the result of each mutant, by revision."""

    def __init__(self, path: Path, revision: str) -> None:
        self._path, self._lock = path, threading.Lock()
        self._all: dict[str, dict[str, Result]] = json.loads(path.read_text()) if path.exists() else {}
        self._own = self._all.setdefault(revision, {})

    def of(self, mutant: str) -> Result | None:
        return self._own.get(mutant)

    def keep(self, mutant: str, result: Result) -> None:
        """Keep a result at once, so that a run that is stopped goes on from there."""
        with self._lock:
            self._own[mutant] = result
            write_json(self._path, {revision: dict(sorted(ones.items())) for revision, ones in self._all.items()})


def forget_results(mutants: Collection[str], path: Path = RESULTS) -> None:
    """Drop the results of these mutants at all revisions: others have taken their ids."""
    kept: dict[str, dict[str, Result]] = json.loads(path.read_text())
    left = {
        revision: {mutant: result for mutant, result in results.items() if mutant not in mutants}
        for revision, results in kept.items()
    }
    write_json(path, left)


def run(
    *,
    revision: str,
    subjects: Collection[str],
    only: Collection[str],
    dist: Path,
    again: bool = False,
    widely: bool = False,
    slow: bool = False,
) -> int:
    """Test the mutants that have no result at this revision yet, equivalent ones aside; how many were tested.

    Args:
        subjects: Names; empty means all.
        only: Ids of mutants, equivalent ones too; empty means all of these subjects.
        again: Test also those that were not caught before.
        widely: Test with the tests of all subjects, not only with those of the mutant's own.
        slow: Test those that survived before, with the slow tests of their subject.

    Raises:
        BaselineFailed
    """
    revision = commit_of(revision)
    results, places, known = Results(RESULTS, revision), read_places(), read_subjects()
    equal = equivalents()
    waiting = [
        mutant
        for mutant in read_mutants().mutants
        if (mutant.id in only or (not only and mutant.id not in equal))
        and (not subjects or mutant.subject in subjects)
        and _is_open(results.of(mutant.id), again=again, slow=slow)
    ]
    if not waiting:
        return 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies = [Copy(Path(folder) / str(number), revision, dist=dist) for number in range(SIDE_BY_SIDE)]
        copies[0].make_database()
        for other in copies[1:]:
            other.share_database(copies[0])
        theirs = known if widely else {mutant.subject: known[mutant.subject] for mutant in waiting}
        reached = None if slow else _reached(revision, theirs, copies, places)
        if slow:
            _check_slow(revision, {mutant.subject for mutant in waiting}, known, copies[0])
        free: queue.SimpleQueue[Copy] = queue.SimpleQueue()
        for copy in copies:
            free.put(copy)

        def test(mutant: Mutant, *, is_quick: bool) -> tuple[Mutant, Result]:
            own = known[mutant.subject]
            files = own.slow if slow else [test for one in (known.values() if widely else [own]) for test in one.tests]
            copy = free.get()
            try:
                return mutant, _test_one(mutant, files, copy, places, reached, is_quick=is_quick)
            finally:
                free.put(copy)

        left = waiting
        for is_quick in (False,) if slow else (True, False):
            tested, left = left, []
            for mutant, result in _side_by_side(partial(test, is_quick=is_quick), tested):
                if slow and result["status"] == "survived":
                    result = {**(results.of(mutant.id) or {}), "slow": result["tests"]}
                results.keep(mutant.id, result)
                if result["status"] == "survived" and result["tests"] < result["of"]:
                    left.append(mutant)
                say(f"{mutant.id} {_in_words(result)}")
    return len(waiting)


def _in_words(result: Result) -> str:
    match result["status"]:
        case "survived":
            return f"survived {result['tests']} of {result['of']} tests"
        case "caught":
            return f"caught by {result['by']}: {result.get('how', '')}"
        case status:
            return f"{status}: {result['why']}"


def equivalents() -> dict[str, str]:
    """Mutants that no test on the embedded database can tell from the code, each with the reason."""
    kept: dict[str, str] = tomllib.loads((HERE / "equivalents.toml").read_text())
    return kept


def _is_open(result: Result | None, *, again: bool, slow: bool) -> bool:
    if slow:
        # Once is enough: they start processes, and take minutes.
        return result is not None and result["status"] == "survived" and "slow" not in result
    if result is None or (result["status"] == "survived" and result["tests"] < result["of"]):
        return True
    return again and result["status"] not in ("caught", "gone")


def _side_by_side(test: Any, ones: Sequence[Any]) -> Iterable[Any]:
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        for done in as_completed([pool.submit(test, one) for one in ones]):
            yield done.result()


def _reached(revision: str, subjects: Mapping[str, Subject], copies: Sequence[Copy], places: Places) -> Reached:
    """The tests that reach each statement, from a run of all tests without a mutant; kept in `.data` for the next run.

    Raises:
        BaselineFailed
    """
    tests = list(dict.fromkeys(test for subject in subjects.values() for test in subject.tests))
    if missing := copies[0].missing(tests):
        raise BaselineFailed(f"there is no {', no '.join(missing)}: correct subjects.toml")
    old = [file for subject in subjects.values() for file in subject.files]
    paths = sorted({path for file in old for path in (file, *places.files.get(file, []))})
    key = hashlib.sha256(json.dumps([revision, paths]).encode()).hexdigest()[:16]
    kept = ROOT / ".data" / "mutants" / f"reached-{key}.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    known: dict[str, dict[str, Any]] = json.loads(kept.read_text()) if kept.exists() else {}
    new = [test for test in tests if test not in known]
    if new:
        say(f"{len(new)} test files without a mutant")

        def look(number: int) -> dict[str, Any]:
            part = new[number :: len(copies)]
            return _run_marked(copies[number], part, paths) if part else {}

        for found in _side_by_side(look, range(len(copies))):
            for test, ran in found.items():
                known.setdefault(test.partition("::")[0], {})[test] = ran
        write_json(kept, known)
    return Reached(
        {test: (seconds, frozenset(ran)) for ones in known.values() for test, (seconds, ran) in ones.items()}
    )


def _check_slow(revision: str, names: Collection[str], subjects: Mapping[str, Subject], copy: Copy) -> None:
    """Run the slow tests of these subjects without a mutant, once a revision.

    Raises:
        BaselineFailed
    """
    kept = ROOT / ".data" / "mutants" / f"slow-{revision}.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    passed: list[str] = json.loads(kept.read_text()) if kept.exists() else []
    tests = sorted({test for name in names for test in subjects[name].slow} - set(passed))
    if missing := copy.missing(tests):
        raise BaselineFailed(f"there is no {', no '.join(missing)}: correct subjects.toml")
    if not tests:
        return
    ran = copy.test(tests, limit_s=3600)
    if ran.code != 0:
        raise BaselineFailed(f"{ran.failed or ran.code}\n{ran.output[-3000:]}")
    say(f"{len(tests)} slow test files pass in {ran.seconds:.0f} s")
    write_json(kept, [*passed, *tests])


def _run_marked(copy: Copy, tests: Sequence[str], paths: Sequence[str]) -> dict[str, Any]:
    before = {path: (copy.root / path).read_text() for path in paths if (copy.root / path).exists()}
    (copy.root / f"{PLUGIN_NAME}.py").write_text(PLUGIN)
    for path, text in before.items():
        copy.write(path, marked(text, path))
    try:
        ran = copy.test(tests, limit_s=3600, plugin=PLUGIN_NAME)
    finally:
        for path, text in before.items():
            copy.write(path, text)
    if ran.code != 0:
        raise BaselineFailed(f"{ran.failed or ran.code}\n{ran.output[-3000:]}")
    say(f"{len(tests)} test files pass in {ran.seconds:.0f} s")
    found: dict[str, Any] = json.loads((copy.root / KEPT_IN).read_text())
    return found


def _test_one(
    mutant: Mutant, files: Sequence[str], copy: Copy, places: Places, reached: Reached | None, *, is_quick: bool
) -> Result:
    """Test one mutant with the tests in these files that reach it; with some of them where `is_quick`."""
    if reason := places.gone.get(mutant.id):
        return {"status": "gone", "why": reason}
    try:
        found = find(mutant, copy.root, places)
    except NotFound as error:
        return {"status": "not found", "why": str(error)}
    limit_s, tests, of = SLOW_LIMIT_S, list(files), len(files)
    if reached is not None:
        tests = reached.tests_of(statement_at(found.tree, found.path, found.candidate.line), files)
        of = len(tests)
        some = reached.quickest(tests, within_s=QUICK_S)
        if is_quick:
            tests = some
        elif len(some) < of:
            # The others have passed before.
            tests = [test for test in tests if test not in some]
        limit_s = max(LEAST_LIMIT_S, SLOWER * reached.seconds_of(tests))
    count = {"tests": len(tests) if is_quick else of, "of": of}
    if not tests:
        return {"status": "survived", "seconds": 0.0, **count}
    before = (copy.root / found.path).read_text()
    copy.write(found.path, apply(found.tree, found.candidate))
    try:
        return {**_result(copy.test(tests, limit_s=limit_s)), **count}
    except subprocess.TimeoutExpired:
        return {"status": "caught", "by": f"no end within {limit_s:.0f} s", "seconds": limit_s, **count}
    finally:
        copy.write(found.path, before)


def _result(ran: Ran) -> Result:
    if ran.is_caught:
        return {"status": "caught", "by": ran.failed, "how": ran.message, "seconds": ran.seconds}
    if ran.code == 0:
        return {"status": "survived", "seconds": ran.seconds}
    return {"status": "error", "why": f"pytest ended with {ran.code}: {ran.output[-500:]}", "seconds": ran.seconds}


def say(text: str) -> None:
    """One line for the person who waits."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
