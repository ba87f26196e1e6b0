"""Word edit distances from one command to many, computed for all of them at the same time.

A word is a number here. The distance is Levenshtein's: one for each inserted, deleted or exchanged word; but a *joker*,
a word that nobody knows, is exchanged for any word at no cost. The distance of two commands without a common word
follows from their lengths (`disjoint_distance`), and so does that of two commands with one common word (`savings`). For
all other commands `distances` keeps a column of the distance table as bits (Hyyrö 2003).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
LONGEST_CODED = 63
"""In words. A place in a longer command has no code."""
CODES = 1 + LONGEST_CODED * (LONGEST_CODED + 1) // 2
"""Number of codes. Code 0 means that the whole command must be compared; each other code is a place in a command of
one length."""
_BITS: tuple[tuple[int, Any], ...] = ((8, np.uint8), (16, np.uint16), (32, np.uint32), (64, np.uint64))
_AT_ONCE = 4096


@dataclass(frozen=True)
class Query:
    """The numbers of the words of one command; -1 for a word that the corpus lacks.

    Attributes:
        jokers: For each word whether it is a joker.
    """

    words: tuple[int, ...]
    jokers: tuple[bool, ...]

    @property
    def length(self) -> int:
        return len(self.words)


def code_of(lengths: Ints, places: Ints) -> NDArray[np.uint16]:
    """The code of each place (from 0) in a command of that length; 0 where the command is too long."""
    codes = 1 + lengths * (lengths - 1) // 2 + places
    return np.where(lengths <= LONGEST_CODED, codes, 0).astype(np.uint16)


@cache
def _decoded() -> tuple[Ints, Ints]:
    """Length and place of each code; those of code 0 (length 1, place 0) have no meaning."""
    lengths = np.repeat(np.arange(1, LONGEST_CODED + 1), np.arange(1, LONGEST_CODED + 1))
    places = np.concatenate([np.arange(one) for one in range(1, LONGEST_CODED + 1)])
    return np.concatenate([[1], lengths]), np.concatenate([[0], places])


def disjoint_distance(length: int, jokers: int, lengths: Ints) -> Ints:
    """The distance from `length` words, with `jokers` jokers, to commands of these lengths without a common word.

    >>> disjoint_distance(4, 1, np.array([0, 3, 6])).tolist()
    [4, 3, 5]
    """
    return np.maximum(length, lengths) - np.minimum(lengths, jokers)


def savings(query: Query, at: int) -> Ints:
    """By how much a common word shortens the distance to a command that shares only the word `at`, by code.

    The code is the place of the word in the other command. The match shortens the distance only if the words before it
    and after it do not cost more than the match saves.
    """
    lengths, places = _decoded()
    before, after = sum(query.jokers[:at]), sum(query.jokers[at + 1 :])
    matched = disjoint_distance(at, before, places) + disjoint_distance(
        query.length - 1 - at, after, lengths - 1 - places
    )
    return np.maximum(disjoint_distance(query.length, sum(query.jokers), lengths) - matched, 0)


def longer_length(length: int) -> Ints:
    """For each code the greater one of `length` and the length of the code's command."""
    return np.maximum(_decoded()[0], length)


def distances(query: Query, tokens: NDArray[np.int32], starts: Ints, lengths: Ints, *, vocabulary: int) -> Ints:
    """The distance to each of the commands, shape (n,).

    Args:
        tokens: The words of all commands, one command after another.
        starts, lengths: Start and length of each command in `tokens`, shape (n,).
        vocabulary: Number of words; word numbers are less than this.
    """
    order = np.argsort(-lengths, kind="stable")
    starts, lengths = starts[order], lengths[order]
    classes, equal = _matches(query, vocabulary)
    found = np.empty(len(order), np.int64)
    if query.length <= _BITS[-1][0]:
        found[order] = _by_bits(query.length, equal, classes, tokens, starts, lengths)
    else:
        for begin in range(0, len(order), _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            found[order[part]] = _by_rows(query.length, equal, classes, tokens, starts[part], lengths[part])
    return found


def _matches(query: Query, vocabulary: int) -> tuple[NDArray[np.uint16], NDArray[np.bool_]]:
    """A class for each word of the vocabulary, and for each class whether it matches each place of the query."""
    own = sorted({word for word in query.words if word >= 0})
    classes = np.zeros(vocabulary, np.uint16)
    classes[own] = np.arange(1, len(own) + 1)
    equal = np.tile(np.array(query.jokers, dtype=bool), (len(own) + 1, 1))
    for number, word in enumerate(own, start=1):
        equal[number] |= np.array(query.words) == word
    return classes, equal


def _columns(lengths: Ints) -> Sequence[int]:
    """How many commands have a word at place 0, 1, …; `lengths` must be in descending order."""
    longest = int(lengths[0]) if len(lengths) else 0
    return [int(one) for one in np.searchsorted(-lengths, -np.arange(longest), side="left")]


def _by_bits(
    height: int, equal: NDArray[np.bool_], classes: NDArray[np.uint16], tokens: Any, starts: Ints, lengths: Ints
) -> Ints:
    kind = next(kind for bits, kind in _BITS if height <= bits)
    if not height:
        return lengths
    table = np.zeros(len(equal), kind)
    for place in range(height):
        table |= equal[:, place].astype(kind) << kind(place)
    one, last = kind(1), kind(height - 1)
    up, down = np.full(len(starts), ~kind(0)), np.zeros(len(starts), kind)
    found = np.full(len(starts), height, np.int64)
    for place, live in enumerate(_columns(lengths)):
        same = table[classes[tokens[starts[:live] + place]]]
        rise, fall = up[:live], down[:live]
        zero = (((same & rise) + rise) ^ rise) | same | fall
        higher, lower = fall | ~(zero | rise), zero & rise
        found[:live] += ((higher >> last) & one).astype(np.int64)
        found[:live] -= ((lower >> last) & one).astype(np.int64)
        higher = (higher << one) | one
        up[:live] = (lower << one) | ~(zero | higher)
        down[:live] = zero & higher
    return found


def _by_rows(
    height: int, equal: NDArray[np.bool_], classes: NDArray[np.uint16], tokens: Any, starts: Ints, lengths: Ints
) -> Ints:
    """The distances of a query with more words than the largest integer has bits; slower, with the same results."""
    steps = np.arange(height + 1)
    table = np.tile(steps, (len(starts), 1))
    for place, live in enumerate(_columns(lengths)):
        before = table[:live]
        cost = ~equal[classes[tokens[starts[:live] + place]]]
        now = np.empty_like(before)
        now[:, 0] = place + 1
        now[:, 1:] = np.minimum(before[:, 1:] + 1, before[:, :-1] + cost)
        # A deleted word costs one more than the place above.
        table[:live] = np.minimum.accumulate(now - steps, axis=1) + steps
    return table[:, height].astype(np.int64)
