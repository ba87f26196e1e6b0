"""The corpus of earlier commands: an index that grows, and immutable snapshots of it with the formula's statistics.

The distance of two commands without a common word follows from their lengths. So only commands that share a word with
the new one are compared, most of them by the place of that word alone. The results are exact, and the same in every
process that added the same commands, in whatever portions.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, islice, pairwise
from math import fsum
from threading import Lock

import numpy as np

from lib.stoplight.alignment import Ints, Query
from lib.stoplight.comparison import MOST_WORDS, Compared, Norms, PairUsage
from lib.stoplight.sample import Sample, mean_distance_between
from lib.stoplight.segment import (
    LONGEST_TAUGHT,
    NUMBER,
    START,
    Segment,
    Texts,
    Vocabulary,
    built,
    built_of_pairs,
    merged,
    pair_keys,
)
from lib.stoplight.usage_counts import SEVERAL, UsageCounts
from lib.stoplight.words import content_of, first_commands, words_of

Row = tuple[str, int] | tuple[str, int, int | None]
"""A text, its count, and the number of the person who gave it; without a person, each use is by another person."""
FIRST_SURVEY = 64
"""The size of the corpus at the first survey (`Snapshot.surveyed`)."""
SURVEYED = 128
"""The number of commands that a survey compares."""
MOST_USUAL, MOST_NEAR = 0.4, 0.334
"""`Norms.near` is the greatest distance within which at most this share of commands has another one; and its bound."""
DOUBT = 0.5
"""Added to the count of each pair and to its expected count, before their ratio is taken."""
_UNNAMED = 1 << 31
"""The first number for people who are not known."""
READ_AT_ONCE = 50_000
"""The number of commands that are read into arrays together."""
MERGE_BELOW = 8
"""A segment is merged with the one before it while that one has less than this many times its size."""
OFTENER_THAN_CHANCE = 2
"""A pair of words is usual if it occurs more than this many times as often as the frequencies of its words predict."""


@dataclass(frozen=True)
class Snapshot:
    """The corpus at one version. Any thread may read it while the index grows.

    Attributes:
        version: The number of its last command.
        size: Number of commands, with repetitions.
        pairs, usual_pair_count: Number of pairs of neighbouring words, and of those that more than two people used.
        norms: The result of the last survey.
        next_survey: The size of the corpus at the next survey.
        sample: Some of the commands, from which `usual_distance` is computed.
    """

    vocabulary: Vocabulary
    segments: tuple[Segment, ...] = ()
    version: int = 0
    size: int = 0
    pairs: int = 0
    usual_pair_count: int = 0
    norms: Norms = field(default_factory=Norms)
    next_survey: int = FIRST_SURVEY
    sample: Sample = field(default_factory=Sample)
    normalise: bool = True

    @property
    def usual_distance(self) -> float | None:
        """The mean distance between commands of the sample; None with fewer than two."""
        return _usual_distance(self.sample.texts, self.normalise)

    @property
    def usual_pairs(self) -> float:
        """The share of the word pairs of a new honest command that several people used before.

        It is estimated by leaving out one person at a time: a pair of more than two people still has several then.
        """
        return self.usual_pair_count / self.pairs if self.pairs else 0.0

    def mean_distance(self, words: Sequence[str], jokers: Collection[int] = ()) -> float | None:
        """The mean word edit distance to the commands, each divided by the words of the longer; None without any."""
        return self.compared(words, jokers).distance

    def compared(self, words: Sequence[str], jokers: Collection[int] = ()) -> Compared:
        """Compare a new command with the corpus.

        Args:
            words: The content words of the new command.
            jokers: Places, from 0, of words that are equal to any word.
        """
        if not self.size:
            return Compared(None, 0, 1.0)
        numbers = tuple(-1 if at in jokers else self.vocabulary.get(word, -1) for at, word in enumerate(words))
        query = Query(numbers, tuple(at in jokers for at in range(len(words))))
        longest = max(len(segment.by_length) for segment in self.segments)
        totals = np.zeros(max(longest, len(words) + 1, 64), np.int64)
        found = [one.add_distances(query, totals, vocabulary=self.vocabulary.size) for one in self.segments]
        total = fsum(int(totals[at]) / at for at in np.flatnonzero(totals).tolist() if at)
        return Compared(total / self.size, sum(one.equal for one in found), min(one.other for one in found))

    def speaker_count(self, word: str) -> int:
        """Number of people who used the content word."""
        number = self.vocabulary.get(word)
        if number is None:
            return 0
        return len(np.unique(np.concatenate([one.speakers_of(number) for one in self.segments])))

    def pair_usage(self, words: Sequence[str], *, is_own: bool = False) -> PairUsage:
        """How common the pairs of neighbouring words are in the corpus.

        The beginning counts as a word before the first. All numbers count as one word; a pair of numbers is never
        usual.

        Args:
            is_own: Whether the words are a command of the corpus; then that command is not counted.
        """
        numbers = [START, *(NUMBER if word.isdecimal() else self.vocabulary.get(word, -1) for word in words)]
        pairs = [pair for pair in pairwise(numbers) if -1 not in pair and pair != (NUMBER, NUMBER)]
        before, after = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
        keys = pair_keys(before, after)
        counts = UsageCounts.merged([one.pairs.selected(np.unique(keys)) for one in self.segments])
        found, several = counts.lookup(keys)
        by_chance = _sum([one.befores.get(before) for one in self.segments], len(pairs))
        by_chance *= _sum([one.afters.get(after) for one in self.segments], len(pairs))
        usual = several & (found * self.pairs > OFTENER_THAN_CHANCE * by_chance)
        # Repetitions of one person count once.
        counted = np.maximum(np.where(several, found, np.minimum(found, 1)) - is_own, 0)
        odd = np.log2((by_chance / max(self.pairs, 1) + DOUBT) / (counted + DOUBT))
        return PairUsage(int(usual.sum()), len(words), round(float(np.maximum(odd, 0).sum()), 6))

    def grown(self, segment: Segment, *, version: int) -> "Snapshot":
        """The corpus with this segment added."""
        size = int(segment.counts.sum())
        known = (one.pairs.selected(segment.pairs.keys) for one in self.segments)
        before = UsageCounts.merged([UsageCounts.empty(), *known])
        new_usual = UsageCounts.merged([before, segment.pairs]).count_by_many() - before.count_by_many()
        segments = [*self.segments, segment]
        while len(segments) > 1 and segments[-2].size < segments[-1].size * MERGE_BELOW:
            segments[-2:] = [merged(segments[-2:])]
        return replace(
            self,
            segments=tuple(segments),
            version=version,
            size=self.size + size,
            pairs=self.pairs + int(segment.pairs.counts.sum()),
            usual_pair_count=self.usual_pair_count + new_usual,
        )

    def surveyed(self) -> "Snapshot":
        """The snapshot with new norms, from a survey of the sample. Costs: at most `SURVEYED` comparisons."""
        texts = self.sample.texts[:: -(-len(self.sample.texts) // SURVEYED)]
        nearest, oddness, pairs = [], 0.0, 0
        for text in texts:
            words = words_of(text, normalise=self.normalise)
            found = self.compared(content_of(words)[:MOST_WORDS])
            # One equal command is the text itself.
            nearest.append(0.0 if found.equal > 1 else found.other)
            usage = self.pair_usage(words[:LONGEST_TAUGHT], is_own=True)
            oddness, pairs = oddness + usage.oddness, pairs + usage.total
        near, share = _near(nearest)
        # The sizes of surveys are fixed, so a corpus that is read at once has the same surveys as one that grew slowly.
        following = self.next_survey + self.next_survey // 2
        return replace(self, norms=Norms(near, share, oddness / max(pairs, 1)), next_survey=following)


def _near(nearest: Sequence[float]) -> tuple[float, float]:
    """The distance up to which a command is near to another one, and the share of commands that are near.

    Where the share of equal commands alone is above `MOST_USUAL`, the distance is 0.
    """
    ordered = sorted(nearest)
    shares = {one: place / len(ordered) for place, one in enumerate(ordered, start=1) if one <= MOST_NEAR}
    near = max((one for one, share in shares.items() if share <= MOST_USUAL), default=0.0)
    return near, shares.get(near, 0.0)


# Cached, because the sample of a large corpus stays the same for many versions.
@lru_cache(maxsize=64)
def _usual_distance(texts: Sequence[str], normalise: bool) -> float | None:
    return mean_distance_between(content_of(words_of(text, normalise=normalise)) for text in texts)


def _sum(counts: Sequence[Ints], number: int) -> Ints:
    """The elementwise sum of arrays of `number` counts."""
    return np.sum(counts, axis=0, dtype=np.int64) if counts else np.zeros(number, np.int64)


class Index:
    """A corpus that grows.

    Args:
        normalise: How texts are split into words; see `words_of`.
        with_pairs: Whether pairs of words are counted too. The pairs of `first_commands` are counted from the
            beginning, so a young corpus knows usual pairs.
    """

    def __init__(self, *, normalise: bool, with_pairs: bool = True) -> None:
        self.normalise = normalise
        self.with_pairs = with_pairs
        self._growing = Lock()
        self._snapshot = Snapshot(Vocabulary(), normalise=normalise)
        if with_pairs:
            # Each counts as used by two people, because these commands were written with care.
            first, _ = self._read(((text, SEVERAL) for text in first_commands()), Sample())
            first = replace(first, counts=np.ones_like(first.counts))
            self._snapshot = self._snapshot.grown(built_of_pairs(first, self._snapshot.vocabulary), version=0)

    @property
    def snapshot(self) -> Snapshot:
        return self._snapshot

    @property
    def version(self) -> int:
        return self._snapshot.version

    def mean_distance(self, words: Sequence[str], jokers: Collection[int] = ()) -> float | None:
        return self._snapshot.mean_distance(words, jokers)

    def add(self, text: str, count: int = 1) -> Snapshot:
        """Add one command."""
        return self.extend([(text, count)])

    def extend(self, texts: Iterable[Row], *, version: int | None = None) -> Snapshot:
        """Add commands.

        Args:
            version: The number of the last command, which becomes the version; with None the version grows by the
                number of commands.
        """
        with self._growing:
            before = now = self._snapshot
            rows = _Rows(texts)
            # The pieces end at the sizes of surveys, so surveys do not depend on how many commands one call adds.
            while True:
                found, sample = self._read(rows.upto(now.next_survey - now.size), now.sample)
                if not len(found.counts):
                    break
                segment = built(found, now.vocabulary, with_pairs=self.with_pairs)
                now = replace(now, sample=sample).grown(segment, version=now.version)
                if now.size == now.next_survey:
                    now = now.surveyed()
            after = before.version + now.size - before.size if version is None else version
            if now is not before or after != before.version:
                self._snapshot = replace(now, version=after)
            return self._snapshot

    def _read(self, texts: Iterable[Row], sample: Sample) -> tuple[Texts, Sample]:
        """The texts as numbers of words, and the sample after them."""
        number_of = self._snapshot.vocabulary.__getitem__
        words, lengths = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)]
        usage, owners, speakers = [_usage_rows([])], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        rows, known = iter(texts), 0
        while portion := list(islice(rows, READ_AT_ONCE)):
            people = _people(portion, _UNNAMED + sample.seen)
            sample = sample.extended((row[0], row[1]) for row in portion)
            numbers: dict[str, int] = {}
            givers: list[set[int]] = []
            counts: list[int] = []
            for (text, count, *_), (low, high) in zip(portion, people, strict=True):
                at = numbers.setdefault(text, len(numbers))
                if at == len(counts):
                    counts.append(0)
                    givers.append(set())
                counts[at] += count
                givers[at].update(range(low, high))
            found: list[int] = []
            ends = []
            for text in numbers:
                found.extend(map(number_of, words_of(text, normalise=self.normalise)))
                ends.append(len(found))
            words.append(np.array(found, np.int32))
            lengths.append(np.array([end - begin for begin, end in pairwise([0, *ends])], np.int64))
            usage.append(
                _usage_rows(
                    [(count, min(who), max(who), len(who) > SEVERAL) for count, who in zip(counts, givers, strict=True)]
                )
            )
            owners.append(np.repeat(np.arange(known, known + len(givers)), [len(who) for who in givers]))
            speakers.append(np.array([one for who in givers for one in who], np.int64))
            known += len(givers)
        columns = np.concatenate(usage)
        return Texts(
            np.concatenate(words),
            np.concatenate(lengths),
            columns[:, 0],
            columns[:, 1].astype(np.uint32),
            columns[:, 2].astype(np.uint32),
            columns[:, 3].astype(bool),
            np.concatenate(owners),
            np.concatenate(speakers),
        ), sample


class _Rows:
    """Rows that are taken from the front, a number of commands at a time."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = iter(rows)

    def upto(self, room: int) -> Iterator[Row]:
        for text, count, *who in self._rows:
            yield (text, min(count, room), *who)  # type: ignore[misc]
            room -= count
            if room < 0:
                self._rows = chain([(text, -room, *who)], self._rows)  # type: ignore[list-item]
            if room <= 0:
                return


def _people(rows: Sequence[Row], unnamed: int) -> Iterator[tuple[int, int]]:
    """The first and the last number (exclusive) of the people who gave each row; unnamed people get new numbers."""
    for _, count, *who in rows:
        if who and who[0] is not None:
            yield who[0], who[0] + 1
        else:
            yield unnamed, unnamed + count
        unnamed += count


def _usage_rows(rows: Sequence[tuple[int, int, int, bool]]) -> Ints:
    """Rows of count, lowest person, highest person and whether they are many, shape (n, 4)."""
    return np.array(rows, np.int64).reshape(-1, 4)
