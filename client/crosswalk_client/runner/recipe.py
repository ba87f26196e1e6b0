"""A recipe: how the context of a scenario is made again, step by step. It is in the scenario's metadata."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

IN_METADATA = "recipe"
_DIGITS = 16


class Unusable(Exception):
    """A recipe cannot be replayed here; the sentence says why."""


@dataclass(frozen=True)
class Recipe:
    """A scenario's context for a Gymnasium environment.

    Attributes:
        environment: The name under which Gymnasium makes it.
        imports: Modules that register it.
        arguments: Of the environment.
        wrappers: `module:Class`, the innermost first.
        packages: The version of each package that the environment depends on.
        seed, options: Of the reset.
        actions: The context, one action a step.
        hashes: The digest of the state after the reset and after each action.
        fps: How many steps a second has in the recording.
    """

    environment: str
    seed: int
    actions: Sequence[Any]
    hashes: Sequence[str]
    fps: float
    imports: Sequence[str] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)
    wrappers: Sequence[str] = ()
    packages: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if len(self.hashes) != len(self.actions) + 1:
            raise Unusable("The recipe has not one hash for the reset and for each action.")

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def recipe_of(scenario: Mapping[str, Any]) -> Recipe:
    """The recipe of a scenario, as the server gives it.

    Raises:
        Unusable: it has none, or it cannot be read.
    """
    found = (scenario.get("metadata") or {}).get(IN_METADATA)
    if not isinstance(found, dict):
        raise Unusable("The scenario has no recipe: `crosswalk record` makes scenarios with one.")
    try:
        return Recipe(**found)
    except TypeError as error:
        raise Unusable(f"The recipe cannot be read: {error}.") from None


def installed(names: Sequence[str]) -> dict[str, str]:
    """The versions of the packages; those that are not installed are left out."""
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def other_versions(recipe: Recipe) -> dict[str, str]:
    """The packages of the recipe that have another version here, with that version; "" where one is missing."""
    here = installed([*recipe.packages])
    return {name: here.get(name, "") for name, wanted in recipe.packages.items() if here.get(name, "") != wanted}


def digest(state: Any) -> str:
    """A digest of any state of numbers, texts, arrays, lists and dictionaries.

    >>> digest({"b": np.zeros(2), "a": [1, "x"]}) == digest({"a": [1, "x"], "b": np.zeros(2)})
    True
    >>> digest(np.zeros(2)) == digest(np.zeros((2, 1)))
    False
    """
    sha = hashlib.sha256()
    _feed(sha, state)
    return sha.hexdigest()[:_DIGITS]


def _feed(sha: Any, state: Any) -> None:
    if isinstance(state, Mapping):
        for name in sorted(state):
            sha.update(f"{name}:".encode())
            _feed(sha, state[name])
    elif isinstance(state, (list, tuple)):
        sha.update(f"[{len(state)}]".encode())
        for one in state:
            _feed(sha, one)
    elif isinstance(state, (np.ndarray, np.generic)):
        array = np.ascontiguousarray(state)
        sha.update(f"{array.dtype.str}{np.shape(state)}".encode())
        sha.update(array.tobytes())
    else:
        sha.update(json.dumps(state, default=str).encode() + b";")
