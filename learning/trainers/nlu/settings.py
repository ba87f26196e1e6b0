"""The settings of a linear parser's training that a person chooses."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from lib.canonical_json import escaped
from lib.faults import Fault, Invalid


@dataclass(frozen=True)
class LinearSettings:
    """Settings of the linear parser; the defaults are those of the measurements in docs/learning-figures.md.

    Attributes:
        strength: How much a wrong skeleton costs in training, against large weights (C of a support vector machine).
        least_seen: A skeleton is learnt if so many examples have it; a rarer one costs time and is seldom right.
        most_skeletons: The most skeletons that are learnt, the most frequent ones first.
        most_runs: The most runs of words, and of characters, that are learnt.
        rounds: How often the model of holes sees each example.
        smoothing: Against large weights of the model of holes (alpha of stochastic gradient descent).
        further_rounds: How often a continued training sees each example.
        further_step: The step of a continued training; small, so that it does not forget.
    """

    strength: float = 0.5
    least_seen: int = 2
    most_skeletons: int = 800
    most_runs: int = 20_000
    rounds: int = 8
    smoothing: float = 1e-5
    further_rounds: int = 5
    further_step: float = 0.02


_BOUNDS: Mapping[str, tuple[float, float]] = {
    "strength": (0.01, 100),
    "least_seen": (1, 100),
    "most_skeletons": (2, 1000),
    "most_runs": (100, 30_000),
    "rounds": (1, 50),
    "smoothing": (1e-8, 0.1),
    "further_rounds": (1, 50),
    "further_step": (1e-5, 1),
}


def linear_settings(given: Mapping[str, Any]) -> LinearSettings:
    """The settings that JSON describes; a name that is missing has its default.

    Raises:
        Invalid: a name is unknown, or a value is not a number in its bounds.
    """
    whole = {field.name for field in fields(LinearSettings) if field.type is int or field.type == "int"}
    faults = []
    for name, value in given.items():
        if name not in _BOUNDS:
            faults.append(Fault(f"#/{escaped(name)}", f"There is no such setting; there is {', '.join(_BOUNDS)}."))
            continue
        low, high = _BOUNDS[name]
        is_number = isinstance(value, int if name in whole else int | float) and not isinstance(value, bool)
        if not is_number or not low <= value <= high:
            kind = "A whole number" if name in whole else "A number"
            faults.append(Fault(f"#/{name}", f"{kind} from {low:g} to {high:g} stands here."))
    if faults:
        raise Invalid(faults=faults)
    return LinearSettings(**given)
