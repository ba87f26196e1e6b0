"""A part of a corpus that never changes: its commands, which of them have a word and where, and what stands together.

All of it lies in a few long arrays, so that a million commands take tens of megabytes and many threads may read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from interaction.stoplight.alignment import CODES, Ints, Query, apart, code_of, distances, longer, savings
from interaction.stoplight.said import Bools, People, Said, firsts
from interaction.stoplight.words import stop_words

START = 0
NUMBER = 1
"""What stands before the first word, and what all numbers are, in pairs of words."""
LONGEST_TAUGHT = 24
"""Words. Of a longer command, which is more a text, nobody learns what is usual."""
_FIRST_WORD = 2
_SHIFT = 32
_MASK = (1 << _SHIFT) - 1
_ONLY_WORD = 1
"""The code of the word of a command of one word."""
_NONE = np.zeros(0, np.int64)


class Vocabulary(dict[str, int]):
    """A number for each word, given as it is asked for by `[]`; only whoever adds to the corpus may do that."""

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
    """Commands as all their words by number, one behind the other, with how often each command was given, by whom.

    Attributes:
        lowest, highest, is_many: As in `Said`, for each command.
        owners, speakers: Each command with each person who gave it.
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
        """Those that are not too long, so that others may learn from them what is usual."""
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
    """Sorted keys, and how often each."""

    keys: Ints
    counts: Ints

    @classmethod
    def of(cls, keys: Ints, counts: Ints) -> "Tally":
        order = np.argsort(keys, kind="stable")
        keys, counts = keys[order], counts[order]
        first = firsts(keys)
        return cls(keys[first], np.add.reduceat(counts, first) if len(first) else counts)

    def get(self, keys: Ints) -> Ints:
        """How often each of these; 0 for one that is not there."""
        if not len(self.keys):
            return np.zeros(len(keys), np.int64)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, self.counts[at], 0)


class Nearest(NamedTuple):
    """How many commands are equal, and the distance to the nearest other one, as a part of the longer one's words."""

    equal: int
    other: float


@dataclass(frozen=True)
class Segment:
    """Attributes:
    tokens, starts, lengths, counts: The content words of each distinct command, and how often it was given.
    words, where: The words that are there, sorted; those of `words[i]` stand in `docs` and `codes` from `where[i]`.
    docs, codes: The commands that have the word, each once, and its place there as a code; 0 if it has several.
    speakers: Each word with each person who said it, as one number; sorted.
    by_length: How many commands have so many content words.
    pairs: How often two words stand side by side.
    befores, afters: How often a word is the first, and the second, of such a pair.
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
    pairs: Said
    befores: Tally
    afters: Tally

    @property
    def size(self) -> int:
        """Distinct commands."""
        return len(self.lengths)

    def slice_of(self, word: int) -> slice:
        at = int(np.searchsorted(self.words, word))
        if at == len(self.words) or self.words[at] != word:
            return slice(0, 0)
        return slice(int(self.where[at]), int(self.where[at + 1]))

    def speakers_of(self, word: int) -> Ints:
        """Who said the word, by number. Costs: two searches."""
        begin, end = np.searchsorted(self.speakers, [word << _SHIFT, (word + 1) << _SHIFT])
        return self.speakers[begin:end] & _MASK

    def add_distances(self, query: Query, totals: Ints, *, vocabulary: int) -> Nearest:
        """Add the distance to each command, as often as it was given, to `totals` at the longer length of the two.

        Whole numbers only, so that the sum is the same in whatever order it is made.

        Returns:
            Which of the commands are nearest, of those that share more than one word or are equal.
        """
        jokers = sum(query.jokers)
        lengths = np.flatnonzero(self.by_length)
        all_apart = self.by_length[lengths] * apart(query.length, jokers, lengths)
        np.add.at(totals, np.maximum(lengths, query.length), all_apart)
        shared = {word: self.slice_of(word) for word in dict.fromkeys(query.words) if word >= 0}
        shared = {word: part for word, part in shared.items() if part.start < part.stop}
        if not shared:
            return Nearest(0 if query.length else int(self.by_length[:1].sum()), 1.0)
        several = self._shared_places(query, shared)
        longest, equal = longer(query.length), 0
        for word, part in shared.items():
            docs = self.docs[part]
            given = np.where(several[docs] == 1, self.counts[docs], 0)
            by_code = np.bincount(self.codes[part], weights=given, minlength=CODES).astype(np.int64)
            np.subtract.at(totals, longest, by_code * savings(query, query.words.index(word)))
            # Of commands that share one word, a command of nothing else is equal to one of nothing else.
            equal += int(by_code[_ONLY_WORD]) if query.length == 1 else 0
        alike = np.flatnonzero(several > 1)
        lengths = self.lengths[alike]
        exact = distances(query, self.tokens, self.starts[alike], lengths, vocabulary=vocabulary)
        saved = (apart(query.length, jokers, lengths) - exact) * self.counts[alike]
        longest = np.maximum(lengths, query.length)
        np.subtract.at(totals, longest, saved)
        same = exact == 0
        near = (exact[~same] / longest[~same]).min(initial=1.0)
        return Nearest(equal + int(self.counts[alike[same]].sum()), float(near))

    def _shared_places(self, query: Query, shared: Mapping[int, slice]) -> NDArray[np.uint8]:
        """For each command 0, 1 or more: how many places of it and of the query may match."""
        found = np.zeros(self.size, np.uint8)
        for word, part in shared.items():
            docs = self.docs[part]
            found[docs] += 1
            found[docs[self.codes[part] == 0]] += 1
            if query.words.count(word) > 1:
                found[docs] += 1
            # So that no number of words overflows.
            np.minimum(found, 4, out=found)
        return found


def built(texts: Texts, vocabulary: Vocabulary, *, with_pairs: bool) -> Segment:
    """The segment of these commands, whose words the vocabulary has."""
    words, lengths = _content_of(texts, vocabulary)
    taught = texts.taught()
    pairs = _pairs_of(taught, vocabulary) if with_pairs else Said.nothing()
    return _indexed(words, lengths, texts.counts, _speakers_of(taught, vocabulary), pairs)


def built_of_pairs(texts: Texts, vocabulary: Vocabulary) -> Segment:
    """A segment with the pairs of words of these commands, and without the commands."""
    return _indexed(np.zeros(0, np.int32), _NONE, _NONE, _NONE, _pairs_of(texts, vocabulary))


def merged(segments: Sequence[Segment]) -> Segment:
    """One segment with the commands of all of them."""
    return _indexed(
        np.concatenate([one.tokens for one in segments]),
        np.concatenate([one.lengths for one in segments]).astype(np.int64),
        np.concatenate([one.counts for one in segments]).astype(np.int64),
        _once(np.concatenate([one.speakers for one in segments])),
        Said.together([one.pairs for one in segments]),
    )


def _content_of(texts: Texts, vocabulary: Vocabulary) -> tuple[NDArray[np.int32], Ints]:
    """The content words, and how many each command has."""
    kept = np.frombuffer(bytes(vocabulary.is_content), bool)[texts.words]
    owners = np.repeat(np.arange(len(texts.lengths)), texts.lengths)
    return texts.words[kept], np.bincount(owners[kept], minlength=len(texts.lengths))


def _speakers_of(texts: Texts, vocabulary: Vocabulary) -> Ints:
    """Each content word with each person who said it."""
    words, lengths = _content_of(texts, vocabulary)
    often = lengths[texts.owners]
    places = np.arange(int(often.sum())) + np.repeat(_starts(lengths)[texts.owners] - _starts(often), often)
    return _once(pair_keys(words[places], np.repeat(texts.speakers, often)))


def _pairs_of(texts: Texts, vocabulary: Vocabulary) -> Said:
    """The pairs of words; the beginning is a word too. Numbers in a row are none."""
    is_number = np.frombuffer(bytes(vocabulary.is_number), bool)
    words = np.where(is_number[texts.words], NUMBER, texts.words).astype(np.int64)
    before = np.empty_like(words)
    before[1:] = words[:-1]
    before[_starts(texts.lengths)[texts.lengths > 0]] = START
    kept = (before != NUMBER) | (words != NUMBER)
    owners = np.repeat(np.arange(len(texts.lengths)), texts.lengths)[kept]
    counts = texts.counts[owners].astype(np.int32)
    keys = pair_keys(before[kept], words[kept])
    return Said.of(Said(keys, counts, texts.lowest[owners], texts.highest[owners], texts.is_many[owners]))


def pair_keys(before: Any, words: Any) -> Ints:
    """One number for each two words side by side."""
    return (np.asarray(before, np.int64) << _SHIFT) | np.asarray(words, np.int64)


def _indexed(tokens: NDArray[np.int32], lengths: Ints, counts: Ints, speakers: Ints, pairs: Said) -> Segment:
    tokens, lengths, counts = _distinct(tokens, lengths, counts)
    owners = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    order = np.argsort(tokens, kind="stable")
    words, docs = tokens[order], owners[order]
    codes = code_of(lengths[docs], order - _starts(lengths)[docs])
    # A word that stands twice in a command is kept once, with no place.
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
        # Small, for they are gathered from all over.
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
    """The commands with their counts, equal ones put together, in the order of a fingerprint."""
    starts = _starts(lengths)
    prints = _prints(tokens, starts, lengths)
    order = np.argsort(prints, kind="stable")
    here, before = order[1:], order[:-1]
    alike = np.flatnonzero((prints[here] == prints[before]) & (lengths[here] == lengths[before]))
    # Equal fingerprints are not enough: what is counted together must be equal word by word.
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
    """A number for each command that hardly any other has."""
    longest = int(lengths.max()) if len(lengths) else 0
    found = lengths.astype(np.uint64)
    for at in range(longest):
        long = np.flatnonzero(lengths > at)
        found[long] = (found[long] ^ tokens[starts[long] + at].astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        found[long] ^= found[long] >> np.uint64(29)
    return found


def _starts(lengths: Ints) -> Ints:
    """Where each of the pieces begins that lie one behind the other."""
    return np.cumsum(lengths) - lengths


def _once(values: Ints) -> Ints:
    """Each once, sorted."""
    values = np.sort(values)
    return values[firsts(values)]
