"""The subjects, their files and their tests, as `subjects.toml` lists them."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from bench.mutants.mutant import HERE


@dataclass(frozen=True)
class Subject:
    """One subject.

    Attributes:
        files: Paths at the revision in which the mutants were generated; `places.json` says where they are now.
        tests: Present test files; of these a mutant is tested by the tests that reach it.
        slow: Test files that are run as a whole, against mutants that survive the others.
        skip: Functions in which no mutant is generated.
    """

    name: str
    files: tuple[str, ...]
    tests: tuple[str, ...]
    slow: tuple[str, ...]
    skip: frozenset[str]


def read_subjects(path: Path = HERE / "subjects.toml") -> dict[str, Subject]:
    """All subjects by name."""
    return {
        name: Subject(
            name,
            tuple(one["files"]),
            tuple(one["tests"]),
            tuple(one.get("slow", ())),
            frozenset(one.get("skip", ())),
        )
        for name, one in tomllib.loads(path.read_text()).items()
    }
