"""An immutable part of a corpus: its commands, an index of their words, and the pairs of neighbouring words.

The data lies in a few long arrays, so a million commands take tens of megabytes, and many threads may read them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lib.stoplight.alignment import CODES, Ints, Query, code_of, disjoint_distance, distances, longer_length, savings
from lib.stoplight.usage_counts import Bools, People, UsageCounts, firsts
from lib.stoplight.words import stop_words

START = 0
NUMBER = 1
"""In pairs of words: the word before the first word, and the word that replaces all numbers."""
LONGEST_TAUGHT = 24
"""The most words of a command from which pairs and speakers are counted; a longer command is rather a text."""
_FIRST_WORD = 2
_SHIFT = 32
_MASK = (1 << _SHIFT) - 1
_ONLY_WORD = 1
"""The code of the word of a command of one word."""
_NONE = np.zeros(0, np.int64)


class Vocabulary(dict[str, int]):
    """A number for each word. `[]` gives a new word its number, so only the code that adds commands may use it."""

    def __init__(self) -> None:
        self.is_content = bytearray(_FIRST_WORD)
        self.is_number = bytearray(_FIRST_WORD)

    def __missing__(self, word: str) -> int:
        number = len(self.is_content)
        self.is_content.append(word.lower() not in stop_words())
        self.is_number.append(word.isdecimal())
        self[word] = number
        return number

    @property
    def size(self) -> int:
        return len(self.is_content)


@dataclass(frozen=True)
class Texts:
    """Commands as numbers of words, one command after another, with their counts and people.

    Attributes:
        lowest, highest, is_many: As in `UsageCounts`, for each command.
        owners, speakers: Pairs of a command and a person who gave it.
    """

    words: NDArray[np.int32]
    lengths: Ints
    counts: Ints
    lowest: People
    highest: People
    is_many: Bools
    owners: Ints
    speakers: Ints

    def taught(self) -> "Texts":
        """The commands of at most `LONGEST_TAUGHT` words."""
        kept = self.lengths <= LONGEST_TAUGHT
        if kept.all():
            return self
        here = kept[self.owners]
        return Texts(
            self.words[np.repeat(kept, self.lengths)],
            self.lengths[kept],
            self.counts[kept],
            self.lowest[kept],
            self.highest[kept],
            self.is_many[kept],
            (np.cumsum(kept) - 1)[self.owners[here]],
            self.speakers[here],
        )


@dataclass(frozen=True)
class Tally:
    """Counts of keys; the keys are sorted."""

    keys: Ints
    counts: Ints

    @classmethod
    def of(cls, keys: Ints, counts: Ints) -> "Tally":
        order = np.argsort(keys, kind="stable")
        keys, counts = keys[order], counts[order]
        first = firsts(keys)
        return cls(keys[first], np.add.reduceat(counts, first) if len(first) else counts)

    def get(self, keys: Ints) -> Ints:
        """The count of each key; 0 for a key that does not occur."""
        if not len(self.keys):
            return np.zeros(len(keys), np.int64)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, self.counts[at], 0)


class Nearest(NamedTuple):
    """The number of equal commands, and the distance to the nearest other one, divided by the words of the longer."""

    equal: int
    other: float


@dataclass(frozen=True)
class Segment:
    """A part of a corpus.

    Attributes:
        tokens, starts, lengths, counts: The content words of each distinct command, and its count.
        words, where: The words of the segment, sorted; the entries of `words[i]` in `docs` and `codes` begin at
            `where[i]`.
        docs, codes: The commands that have the word, each once, and the place of the word there as a code; 0 if the
            word occurs several times.
        speakers: Pairs of a word and a person who used it, each as one number; sorted.
        by_length: Number of commands by their number of content words.
        pairs: Counts of the pairs of neighbouring words.
        befores, afters: Counts of the words as the first, and as the second, of a pair.
    """

    tokens: NDArray[np.int32]
    starts: Ints
    lengths: Ints
    counts: NDArray[np.int32]
    words: Ints
    where: Ints
    docs: NDArray[np.int32]
    codes: NDArray[np.uint16]
    speakers: Ints
    by_length: Ints
    pairs: UsageCounts
    befores: Tally
    afters: Tally

    @property
    def size(self) -> int:
        """Number of distinct commands."""
        return len(self.lengths)

    def slice_of(self, word: int) -> slice:
        at = int(np.searchsorted(self.words, word))
        if at == len(self.words) or self.words[at] != word:
            return slice(0, 0)
        return slice(int(self.where[at]), int(self.where[at + 1]))

    def speakers_of(self, word: int) -> Ints:
        """The numbers of the people who used the word. Costs: two binary searches."""
        begin, end = np.searchsorted(self.speakers, [word << _SHIFT, (word + 1) << _SHIFT])
        return self.speakers[begin:end] & _MASK

    def add_distances(self, query: Query, totals: Ints, *, vocabulary: int) -> Nearest:
        """Add the distance to each command, times its count, to `totals` at the length of the longer of the two.

        The sums are whole numbers, so their order does not matter.

        Returns:
            The nearest of the commands that are equal or share more than one word.
        """
        jokers = sum(query.jokers)
        lengths = np.flatnonzero(self.by_length)
        all_disjoint = self.by_length[lengths] * disjoint_distance(query.length, jokers, lengths)
        np.add.at(totals, np.maximum(lengths, query.length), all_disjoint)
        shared = {word: self.slice_of(word) for word in dict.fromkeys(query.words) if word >= 0}
        shared = {word: part for word, part in shared.items() if part.start < part.stop}
        if not shared:
            return Nearest(0 if query.length else int(self.by_length[:1].sum()), 1.0)
        several = self._shared_places(query, shared)
        longest, equal = longer_length(query.length), 0
        for word, part in shared.items():
            docs = self.docs[part]
            given = np.where(several[docs] == 1, self.counts[docs], 0)
            by_code = np.bincount(self.codes[part], weights=given, minlength=CODES).astype(np.int64)
            np.subtract.at(totals, longest, by_code * savings(query, query.words.index(word)))
            # Among commands that share one word, only those that consist of this word alone are equal.
            equal += int(by_code[_ONLY_WORD]) if query.length == 1 else 0
        alike = np.flatnonzero(several > 1)
        lengths = self.lengths[alike]
        exact = distances(query, self.tokens, self.starts[alike], lengths, vocabulary=vocabulary)
        saved = (disjoint_distance(query.length, jokers, lengths) - exact) * self.counts[alike]
        longest = np.maximum(lengths, query.length)
        np.subtract.at(totals, longest, saved)
        same = exact == 0
        near = (exact[~same] / longest[~same]).min(initial=1.0)
        return Nearest(equal + int(self.counts[alike[same]].sum()), float(near))

    def _shared_places(self, query: Query, shared: Mapping[int, slice]) -> NDArray[np.uint8]:
        """For each command how many places of it and of the query can match: 0, 1, or more."""
        found = np.zeros(self.size, np.uint8)
        for word, part in shared.items():
            docs = self.docs[part]
            found[docs] += 1
            found[docs[self.codes[part] == 0]] += 1
            if query.words.count(word) > 1:
                found[docs] += 1
            # The bound keeps uint8 from overflowing.
            np.minimum(found, 4, out=found)
        return found


def built(texts: Texts, vocabulary: Vocabulary, *, with_pairs: bool) -> Segment:
    """The segment of these commands; the vocabulary must have all their words."""
    words, lengths = _content_of(texts, vocabulary)
    taught = texts.taught()
    pairs = _pairs_of(taught, vocabulary) if with_pairs else UsageCounts.empty()
    return _indexed(words, lengths, texts.counts, _speakers_of(taught, vocabulary), pairs)


def built_of_pairs(texts: Texts, vocabulary: Vocabulary) -> Segment:
    """A segment with the word pairs of these commands, but without the commands."""
    return _indexed(np.zeros(0, np.int32), _NONE, _NONE, _NONE, _pairs_of(texts, vocabulary))


def merged(segments: Sequence[Segment]) -> Segment:
    """One segment with the commands of all of them."""
    return _indexed(
        np.concatenate([one.tokens for one in segments]),
        np.concatenate([one.lengths for one in segments]).astype(np.int64),
        np.concatenate([one.counts for one in segments]).astype(np.int64),
        _once(np.concatenate([one.speakers for one in segments])),
        UsageCounts.merged([one.pairs for one in segments]),
    )


def _content_of(texts: Texts, vocabulary: Vocabulary) -> tuple[NDArray[np.int32], Ints]:
    """The content words, and their number for each command."""
    kept = np.frombuffer(bytes(vocabulary.is_content), bool)[texts.words]
    owners = np.repeat(np.arange(len(texts.lengths)), texts.lengths)
    return texts.words[kept], np.bincount(owners[kept], minlength=len(texts.lengths))


def _speakers_of(texts: Texts, vocabulary: Vocabulary) -> Ints:
    """Pairs of a content word and a person who used it."""
    words, lengths = _content_of(texts, vocabulary)
    often = lengths[texts.owners]
    places = np.arange(int(often.sum())) + np.repeat(_starts(lengths)[texts.owners] - _starts(often), often)
    return _once(pair_keys(words[places], np.repeat(texts.speakers, often)))


def _pairs_of(texts: Texts, vocabulary: Vocabulary) -> UsageCounts:
    """The pairs of neighbouring words; the beginning counts as a word, and two numbers are not a pair."""
    is_number = np.frombuffer(bytes(vocabulary.is_number), bool)
    words = np.where(is_number[texts.words], NUMBER, texts.words).astype(np.int64)
    before = np.empty_like(words)
    before[1:] = words[:-1]
    before[_starts(texts.lengths)[texts.lengths > 0]] = START
    kept = (before != NUMBER) | (words != NUMBER)
    owners = np.repeat(np.arange(len(texts.lengths)), texts.lengths)[kept]
    counts = texts.counts[owners].astype(np.int32)
    keys = pair_keys(before[kept], words[kept])
    rows = UsageCounts(keys, counts, texts.lowest[owners], texts.highest[owners], texts.is_many[owners])
    return UsageCounts.grouped(rows)


def pair_keys(before: Any, words: Any) -> Ints:
    """One number for each pair of words."""
    return (np.asarray(before, np.int64) << _SHIFT) | np.asarray(words, np.int64)


def _indexed(tokens: NDArray[np.int32], lengths: Ints, counts: Ints, speakers: Ints, pairs: UsageCounts) -> Segment:
    tokens, lengths, counts = _distinct(tokens, lengths, counts)
    owners = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    order = np.argsort(tokens, kind="stable")
    words, docs = tokens[order], owners[order]
    codes = code_of(lengths[docs], order - _starts(lengths)[docs])
    # A word that occurs twice in a command is kept once, without a place.
    again = (words[1:] == words[:-1]) & (docs[1:] == docs[:-1])
    codes[1:][again] = 0
    codes[:-1][again] = 0
    first = np.concatenate([[True], ~again])[: len(words)]
    words, docs, codes = words[first], docs[first], codes[first]
    where = firsts(words)
    return Segment(
        tokens=tokens,
        starts=_starts(lengths),
        lengths=lengths,
        # int32, since they are gathered in random order.
        counts=counts.astype(np.int32),
        words=words[where].astype(np.int64),
        where=np.append(where, len(words)),
        docs=docs,
        codes=codes,
        speakers=speakers,
        by_length=np.bincount(lengths, weights=counts).astype(np.int64),
        pairs=pairs,
        befores=Tally.of(pairs.keys >> _SHIFT, pairs.counts.astype(np.int64)),
        afters=Tally.of(pairs.keys & _MASK, pairs.counts.astype(np.int64)),
    )


def _distinct(tokens: NDArray[np.int32], lengths: Ints, counts: Ints) -> tuple[NDArray[np.int32], Ints, Ints]:
    """The distinct commands with the sums of their counts, in the order of a fingerprint."""
    starts = _starts(lengths)
    prints = _prints(tokens, starts, lengths)
    order = np.argsort(prints, kind="stable")
    here, before = order[1:], order[:-1]
    alike = np.flatnonzero((prints[here] == prints[before]) & (lengths[here] == lengths[before]))
    # Equal fingerprints are not enough: commands are joined only if all their words are equal.
    for at in range(int(lengths[here[alike]].max()) if len(alike) else 0):
        long = lengths[here[alike]] > at
        a, b = starts[here[alike]] + at, starts[before[alike]] + at
        alike = alike[~long | (tokens[np.where(long, a, 0)] == tokens[np.where(long, b, 0)])]
    fresh = np.ones(len(order), bool)
    fresh[alike + 1] = False
    kept, first = order[fresh], np.flatnonzero(fresh)
    found_lengths = lengths[kept]
    places = np.arange(int(found_lengths.sum())) - np.repeat(_starts(found_lengths) - starts[kept], found_lengths)
    return tokens[places], found_lengths, np.add.reduceat(counts[order], first) if len(first) else counts


def _prints(tokens: NDArray[np.int32], starts: Ints, lengths: Ints) -> NDArray[np.uint64]:
    """A fingerprint of each command; other commands rarely have the same."""
    longest = int(lengths.max()) if len(lengths) else 0
    found = lengths.astype(np.uint64)
    for at in range(longest):
        long = np.flatnonzero(lengths > at)
        found[long] = (found[long] ^ tokens[starts[long] + at].astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        found[long] ^= found[long] >> np.uint64(29)
    return found


def _starts(lengths: Ints) -> Ints:
    """The start of each of the pieces, which follow one another."""
    return np.cumsum(lengths) - lengths


def _once(values: Ints) -> Ints:
    """Each value once, sorted."""
    values = np.sort(values)
    return values[firsts(values)]
