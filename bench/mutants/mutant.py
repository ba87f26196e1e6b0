"""A mutant: one small fault at one place, named so that it can be found again after the code has moved."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
MUTANTS = HERE / "mutants.json"


@dataclass(frozen=True)
class Mutant:
    """One replacement in one function.

    Attributes:
        file: Path in the repository at the revision in which the mutant was generated.
        function: Qualified name, as `Writer.append`.
        original: Expression or statement that is replaced, as `ast.unparse` writes it.
        occurrence: Number of this replacement among the equal ones of the function, from 0, in the order of the text.
        occurrences: How many equal ones the function has.
        replacement: Text that stands there instead.
    """

    id: str
    subject: str
    operator: str
    file: str
    function: str
    original: str
    occurrence: int
    occurrences: int
    replacement: str


@dataclass(frozen=True)
class Generated:
    """All mutants, with the seed that they were drawn with."""

    seed: int
    mutants: tuple[Mutant, ...]


def read_mutants(path: Path = MUTANTS) -> Generated:
    """The mutants that were generated last."""
    kept = json.loads(path.read_text())
    return Generated(kept["seed"], tuple(Mutant(**one) for one in kept["mutants"]))


def write_mutants(seed: int, mutants: Sequence[Mutant], path: Path = MUTANTS) -> None:
    """Keep these mutants instead of the earlier ones."""
    write_json(path, {"seed": seed, "mutants": [asdict(one) for one in mutants]})


def write_json(path: Path, content: Any) -> None:
    """Replace the file as a whole: a run that is stopped leaves the old or the new content."""
    half = path.with_suffix(".half")
    half.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    half.replace(path)
