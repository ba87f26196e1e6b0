"""Counts of how often items (pairs of words) were used, and whether by one, two or more people, in a few arrays."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lib.stoplight.alignment import Ints

SEVERAL = 2
"""The number of people who must use an item before it counts as known: nobody makes their own nonsense known."""
Bools = NDArray[np.bool_]
People = NDArray[np.uint32]


@dataclass(frozen=True)
class UsageCounts:
    """Counts of items.

    Attributes:
        keys: The items as numbers, each once, sorted.
        counts: How often each item was used, by all people together.
        lowest, highest: The lowest and the highest number of a person who used the item; equal if only one person did.
        is_many: Whether more than two people used the item.
    """

    keys: Ints
    counts: NDArray[np.int32]
    lowest: People
    highest: People
    is_many: Bools

    @classmethod
    def empty(cls) -> "UsageCounts":
        none = np.zeros(0, np.uint32)
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int32), none, none, np.zeros(0, bool))

    @classmethod
    def grouped(cls, rows: "UsageCounts") -> "UsageCounts":
        """The counts of rows in any order, in which a key may occur several times."""
        order = np.argsort(rows.keys, kind="stable")
        keys, lowest, highest = rows.keys[order], rows.lowest[order], rows.highest[order]
        first = firsts(keys)
        if not len(first):
            return cls.empty()
        low, high = np.minimum.reduceat(lowest, first), np.maximum.reduceat(highest, first)
        run = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(keys))))
        many = (
            rows.is_many[order] | _is_between(lowest, low[run], high[run]) | _is_between(highest, low[run], high[run])
        )
        counts = np.add.reduceat(rows.counts[order], first, dtype=np.int32)
        return cls(keys[first], counts, low, high, np.logical_or.reduceat(many, first))

    @classmethod
    def merged(cls, parts: Sequence["UsageCounts"]) -> "UsageCounts":
        """The sum of several counts."""
        return cls.grouped(
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
        """Whether at least `SEVERAL` people used each item."""
        return self.lowest < self.highest

    def selected(self, keys: Ints) -> "UsageCounts":
        """The rows of these keys, without the keys that do not occur."""
        if not len(self.keys):
            return self
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        at = at[self.keys[at] == keys]
        return UsageCounts(self.keys[at], self.counts[at], self.lowest[at], self.highest[at], self.is_many[at])

    def count_by_many(self) -> int:
        """The sum of the counts of items that more than two people used."""
        return int(self.counts[self.is_many].sum())

    def lookup(self, keys: Ints) -> tuple[Ints, Bools]:
        """The count of each key, and whether several people used it; 0 and False for a key that does not occur."""
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
    """The start of each run of equal values."""
    if not len(values):
        return np.zeros(0, np.int64)
    return np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
