"""Word edit distances from one command to many, by whole columns at once.

A word is a number here. Distance is Levenshtein's: one for each word put in, left out or exchanged; but a *joker*, a
word that nobody knows, may be exchanged for any word at no cost. Two commands that share no word have a distance that
follows from their lengths, and so have two that share one word only: `apart` and `savings` say which. The rest is for
`distances`, which keeps a column of the table of distances as bits (Hyyrö 2003), for all commands at the same time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
LONGEST_CODED = 63
"""Words. A place in a longer command has no code."""
CODES = 1 + LONGEST_CODED * (LONGEST_CODED + 1) // 2
"""Code 0 says: look at the whole command. The others stand for a place in a command of some length."""
_BITS: tuple[tuple[int, Any], ...] = ((8, np.uint8), (16, np.uint16), (32, np.uint32), (64, np.uint64))
_AT_ONCE = 4096


@dataclass(frozen=True)
class Query:
    """The words of one command, by number; -1 for one that the corpus does not have.

    Attributes:
        jokers: Whether the word is one; as many as there are words.
    """

    words: tuple[int, ...]
    jokers: tuple[bool, ...]

    @property
    def length(self) -> int:
        return len(self.words)


def code_of(lengths: Ints, places: Ints) -> NDArray[np.uint16]:
    """The code of each place (from 0) in a command of that length; 0 where it is too long."""
    codes = 1 + lengths * (lengths - 1) // 2 + places
    return np.where(lengths <= LONGEST_CODED, codes, 0).astype(np.uint16)


@cache
def _decoded() -> tuple[Ints, Ints]:
    """Length and place for each code; code 0 has length 1, place 0, and no meaning."""
    lengths = np.repeat(np.arange(1, LONGEST_CODED + 1), np.arange(1, LONGEST_CODED + 1))
    places = np.concatenate([np.arange(one) for one in range(1, LONGEST_CODED + 1)])
    return np.concatenate([[1], lengths]), np.concatenate([[0], places])


def apart(length: int, jokers: int, lengths: Ints) -> Ints:
    """The distance from `length` words, so many of them jokers, to commands of these lengths that share no word.

    >>> apart(4, 1, np.array([0, 3, 6])).tolist()
    [4, 3, 5]
    """
    return np.maximum(length, lengths) - np.minimum(lengths, jokers)


def savings(query: Query, at: int) -> Ints:
    """How much nearer a command is that shares the word `at` and no other, by the code of its place there.

    The word is worth its match only if what stands before it and after it does not cost more than that.
    """
    lengths, places = _decoded()
    before, after = sum(query.jokers[:at]), sum(query.jokers[at + 1 :])
    matched = apart(at, before, places) + apart(query.length - 1 - at, after, lengths - 1 - places)
    return np.maximum(apart(query.length, sum(query.jokers), lengths) - matched, 0)


def longer(length: int) -> Ints:
    """For each code the longer one of that length and its command's."""
    return np.maximum(_decoded()[0], length)


def distances(query: Query, tokens: NDArray[np.int32], starts: Ints, lengths: Ints, *, vocabulary: int) -> Ints:
    """The distance to each of the commands.

    Args:
        tokens: The words of all commands, one behind the other.
        starts, lengths: Where each command lies in `tokens`, shape (n,).
        vocabulary: Words have numbers below this.
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
    """A class for each word of the vocabulary, and which places of the query match a word of that class."""
    own = sorted({word for word in query.words if word >= 0})
    classes = np.zeros(vocabulary, np.uint16)
    classes[own] = np.arange(1, len(own) + 1)
    equal = np.tile(np.array(query.jokers, dtype=bool), (len(own) + 1, 1))
    for number, word in enumerate(own, start=1):
        equal[number] |= np.array(query.words) == word
    return classes, equal


def _columns(lengths: Ints) -> Sequence[int]:
    """How many commands have a word at place 0, 1, …; lengths fall."""
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
    """The same for a query with more words than a machine word has bits: slower, and as exact."""
    steps = np.arange(height + 1)
    table = np.tile(steps, (len(starts), 1))
    for place, live in enumerate(_columns(lengths)):
        before = table[:live]
        cost = ~equal[classes[tokens[starts[:live] + place]]]
        now = np.empty_like(before)
        now[:, 0] = place + 1
        now[:, 1:] = np.minimum(before[:, 1:] + 1, before[:, :-1] + cost)
        # A word left out costs one more than the place above.
        table[:live] = np.minimum.accumulate(now - steps, axis=1) + steps
    return table[:, height].astype(np.int64)
