"""What was said, how often, and by how many different people: one, two or more; kept in a few long arrays."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from interaction.stoplight.alignment import Ints

SEVERAL = 2
"""So many people must have said a thing for it to be usual; nobody makes their own nonsense usual."""
Bools = NDArray[np.bool_]
People = NDArray[np.uint32]


@dataclass(frozen=True)
class Said:
    """Attributes:
    keys: What was said, as a number; each once, sorted.
    counts: How often, whoever said it.
    lowest, highest: The lowest and the highest number of a person who said it: the same if only one did.
    is_many: Whether more than two people did.
    """

    keys: Ints
    counts: NDArray[np.int32]
    lowest: People
    highest: People
    is_many: Bools

    @classmethod
    def nothing(cls) -> "Said":
        none = np.zeros(0, np.uint32)
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int32), none, none, np.zeros(0, bool))

    @classmethod
    def of(cls, rows: "Said") -> "Said":
        """Of rows in any order, in which keys may come several times."""
        order = np.argsort(rows.keys, kind="stable")
        keys, lowest, highest = rows.keys[order], rows.lowest[order], rows.highest[order]
        first = firsts(keys)
        if not len(first):
            return cls.nothing()
        low, high = np.minimum.reduceat(lowest, first), np.maximum.reduceat(highest, first)
        run = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(keys))))
        many = (
            rows.is_many[order] | _is_between(lowest, low[run], high[run]) | _is_between(highest, low[run], high[run])
        )
        counts = np.add.reduceat(rows.counts[order], first, dtype=np.int32)
        return cls(keys[first], counts, low, high, np.logical_or.reduceat(many, first))

    @classmethod
    def together(cls, parts: Sequence["Said"]) -> "Said":
        return cls.of(
            cls(
                np.concatenate([one.keys for one in parts]),
                np.concatenate([one.counts for one in parts]),
                np.concatenate([one.lowest for one in parts]),
                np.concatenate([one.highest for one in parts]),
                np.concatenate([one.is_many for one in parts]),
            )
        )

    @property
    def is_several(self) -> Bools:
        """Whether at least `SEVERAL` people said it."""
        return self.lowest < self.highest

    def among(self, keys: Ints) -> "Said":
        """The rows of those of the keys that are here."""
        if not len(self.keys):
            return self
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        at = at[self.keys[at] == keys]
        return Said(self.keys[at], self.counts[at], self.lowest[at], self.highest[at], self.is_many[at])

    def times_by_many(self) -> int:
        """How often things were said that more than two people say."""
        return int(self.counts[self.is_many].sum())

    def shown(self, keys: Ints) -> tuple[Ints, Bools]:
        """How often each of these, and whether several people said it; 0 and no for one that is not there."""
        counts, several = np.zeros(len(keys), np.int64), np.zeros(len(keys), bool)
        if len(self.keys):
            at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
            here = self.keys[at] == keys
            counts[here], several[here] = self.counts[at[here]], self.is_several[at[here]]
        return counts, several


def _is_between(people: People, lowest: People, highest: People) -> Bools:
    found: Bools = (people != lowest) & (people != highest)
    return found


def firsts(values: Ints) -> Ints:
    """Where each run of equal values begins."""
    if not len(values):
        return np.zeros(0, np.int64)
    return np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
