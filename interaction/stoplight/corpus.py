"""What the formula asks of all earlier commands: an index that grows, and snapshots of it that do not.

Where two commands share no word, their distance follows from their lengths. So only those that share a word with the
new command are looked at, and most of them by the place of that word alone. The figures are exact, and the same in
every process that has entered the same commands, in whatever portions.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, islice, pairwise
from math import fsum
from threading import Lock

import numpy as np

from interaction.stoplight.alignment import Ints, Query
from interaction.stoplight.comparison import MOST_WORDS, Compared, OrderSaid, Usual
from interaction.stoplight.said import SEVERAL, Said
from interaction.stoplight.segment import (
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
from interaction.stoplight.usual import Sample, mean_apart
from interaction.stoplight.words import content_of, first_commands, words_of

Row = tuple[str, int] | tuple[str, int, int | None]
"""A text, how often it was given, and the number of the person who gave it; else each time by another person."""
FIRST_LOOK = 64
"""Commands of a corpus that is looked at for the first time for how near they are to one another."""
LOOKED_AT = 128
MOST_USUAL, MOST_NEAR = 0.4, 0.334
"""Near is as far as no more than that share of all commands has another one within, and at most so far."""
DOUBT = 0.5
"""So many times each pair is taken to have been said besides, and to be said by chance."""
_UNNAMED = 1 << 31
"""From here on people are numbered of whom nothing is known."""
READ_AT_ONCE = 50_000
"""Commands that are read into arrays together."""
MERGE_BELOW = 8
"""A segment is merged into the one before it once that is less than so many times its size."""


OFTENER_THAN_CHANCE = 2
"""Two words belong side by side if they stand so more than this many times as often as their frequencies alone say."""


@dataclass(frozen=True)
class Snapshot:
    """The corpus at one version. Anyone may read it, from any thread, while the index grows.

    Attributes:
        version: The number of the last command in it.
        size: Commands, repeated ones as often as they were given.
        sample: Some of the commands, by which `usual_distance` is known.
        pairs, usual_pairs_said: All pairs of neighbouring words, and those of them that more than two people say.
        usual: What was found of its commands when the corpus was last looked at.
        next_look: At so many commands it is looked at again.
    """

    vocabulary: Vocabulary
    segments: tuple[Segment, ...] = ()
    version: int = 0
    size: int = 0
    pairs: int = 0
    usual_pairs_said: int = 0
    usual: Usual = field(default_factory=Usual)
    next_look: int = FIRST_LOOK
    sample: Sample = field(default_factory=Sample)
    normalise: bool = True

    @property
    def usual_distance(self) -> float | None:
        """The mean distance between commands of the corpus, by a sample; None: there are less than two."""
        return _usual_distance(self.sample.texts, self.normalise)

    @property
    def usual_pairs(self) -> float:
        """The share of a new honest command's pairs that several people said before: leave any one of them out, and
        of what more than two said the others still are several."""
        return self.usual_pairs_said / self.pairs if self.pairs else 0.0

    def mean_distance(self, words: Sequence[str], jokers: Collection[int] = ()) -> float | None:
        """The mean word edit distance to the commands, each divided by the longer one's words; None: there are none."""
        return self.compared(words, jokers).distance

    def compared(self, words: Sequence[str], jokers: Collection[int] = ()) -> Compared:
        """How far the commands are from a new one, and the nearest of them.

        Args:
            words: The content words of the new command.
            jokers: Places, from 0, of words that may stand for any word.
        """
        if not self.size:
            return Compared(None, 0, 1.0)
        numbers = tuple(-1 if at in jokers else self.vocabulary.get(word, -1) for at, word in enumerate(words))
        query = Query(numbers, tuple(at in jokers for at in range(len(words))))
        longest = max(len(segment.by_length) for segment in self.segments)
        totals = np.zeros(max(longest, len(words) + 1, 64), np.int64)
        found = [one.add_distances(query, totals, vocabulary=self.vocabulary.size) for one in self.segments]
        apart = fsum(int(totals[at]) / at for at in np.flatnonzero(totals).tolist() if at)
        return Compared(apart / self.size, sum(one.equal for one in found), min(one.other for one in found))

    def times_said(self, word: str) -> int:
        """How many people said the content word."""
        number = self.vocabulary.get(word)
        if number is None:
            return 0
        return len(np.unique(np.concatenate([one.speakers_of(number) for one in self.segments])))

    def order_said(self, words: Sequence[str], *, is_own: bool = False) -> OrderSaid:
        """How the pairs of neighbouring words stand in the corpus; see `OrderSaid`.

        The beginning counts as a word before the first. All numbers are one word, and in a row they are never usual.

        Args:
            is_own: Whether the words are those of a command of the corpus, which is left out then.
        """
        numbers = [START, *(NUMBER if word.isdecimal() else self.vocabulary.get(word, -1) for word in words)]
        pairs = [pair for pair in pairwise(numbers) if -1 not in pair and pair != (NUMBER, NUMBER)]
        before, after = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
        keys = pair_keys(before, after)
        found, several = Said.together([one.pairs.among(np.unique(keys)) for one in self.segments]).shown(keys)
        by_chance = _sum([one.befores.get(before) for one in self.segments], len(pairs))
        by_chance *= _sum([one.afters.get(after) for one in self.segments], len(pairs))
        usual = several & (found * self.pairs > OFTENER_THAN_CHANCE * by_chance)
        # What one person says over and over is said once.
        heard = np.maximum(np.where(several, found, np.minimum(found, 1)) - is_own, 0)
        odd = np.log2((by_chance / max(self.pairs, 1) + DOUBT) / (heard + DOUBT))
        return OrderSaid(int(usual.sum()), len(words), round(float(np.maximum(odd, 0).sum()), 6))

    def grown(self, segment: Segment, *, version: int) -> "Snapshot":
        """The corpus with this segment too."""
        size = int(segment.counts.sum())
        before = Said.together([Said.nothing(), *(one.pairs.among(segment.pairs.keys) for one in self.segments)])
        new_usual = Said.together([before, segment.pairs]).times_by_many() - before.times_by_many()
        segments = [*self.segments, segment]
        while len(segments) > 1 and segments[-2].size < segments[-1].size * MERGE_BELOW:
            segments[-2:] = [merged(segments[-2:])]
        return replace(
            self,
            segments=tuple(segments),
            version=version,
            size=self.size + size,
            pairs=self.pairs + int(segment.pairs.counts.sum()),
            usual_pairs_said=self.usual_pairs_said + new_usual,
        )

    def looked_at(self) -> "Snapshot":
        """The same, with what is usual now. Costs: some comparisons."""
        texts = self.sample.texts[:: -(-len(self.sample.texts) // LOOKED_AT)]
        nearest, odd, of = [], 0.0, 0
        for text in texts:
            words = words_of(text, normalise=self.normalise)
            found = self.compared(content_of(words)[:MOST_WORDS])
            # It is equal to itself.
            nearest.append(0.0 if found.equal > 1 else found.other)
            order = self.order_said(words[:LONGEST_TAUGHT], is_own=True)
            odd, of = odd + order.odd, of + order.of
        near, share = _near(nearest)
        # By so much, that whoever reads all at once looks at it as often.
        following = self.next_look + self.next_look // 2
        return replace(self, usual=Usual(near, share, odd / max(of, 1)), next_look=following)


def _near(nearest: Sequence[float]) -> tuple[float, float]:
    """Up to which distance one command is near to another, and the share of these that are; 0 and who is equal, if
    already those are many."""
    ordered = sorted(nearest)
    shares = {one: place / len(ordered) for place, one in enumerate(ordered, start=1) if one <= MOST_NEAR}
    near = max((one for one, share in shares.items() if share <= MOST_USUAL), default=0.0)
    return near, shares.get(near, 0.0)


# The sample of a large corpus stays the same for many versions.
@lru_cache(maxsize=64)
def _usual_distance(texts: Sequence[str], normalise: bool) -> float | None:
    return mean_apart(content_of(words_of(text, normalise=normalise)) for text in texts)


def _sum(counts: Sequence[Ints], number: int) -> Ints:
    """Of arrays with so many counts each, count by count."""
    return np.sum(counts, axis=0, dtype=np.int64) if counts else np.zeros(number, np.int64)


class Index:
    """A corpus that grows.

    Args:
        normalise: How texts become words; see `words_of`.
        with_pairs: Whether pairs of words are kept too; those of `first_commands` are there from the beginning, so that
            a young corpus knows what stands side by side.
    """

    def __init__(self, *, normalise: bool, with_pairs: bool = True) -> None:
        self.normalise = normalise
        self.with_pairs = with_pairs
        self._growing = Lock()
        self._snapshot = Snapshot(Vocabulary(), normalise=normalise)
        if with_pairs:
            # Each as if by two people, for whoever wrote them took care.
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
        """Enter one command."""
        return self.extend([(text, count)])

    def extend(self, texts: Iterable[Row], *, version: int | None = None) -> Snapshot:
        """Enter commands; the corpus is at that version then.

        Args:
            version: The number of the last of them; None counts on from the version before.
        """
        with self._growing:
            before = now = self._snapshot
            rows = _Rows(texts)
            # In pieces that do not depend on how many come together, so that all look at the corpus at the same size.
            while True:
                found, sample = self._read(rows.upto(now.next_look - now.size), now.sample)
                if not len(found.counts):
                    break
                segment = built(found, now.vocabulary, with_pairs=self.with_pairs)
                now = replace(now, sample=sample).grown(segment, version=now.version)
                if now.size == now.next_look:
                    now = now.looked_at()
            after = before.version + now.size - before.size if version is None else version
            if now is not before or after != before.version:
                self._snapshot = replace(now, version=after)
            return self._snapshot

    def _read(self, texts: Iterable[Row], sample: Sample) -> tuple[Texts, Sample]:
        """The texts by the numbers of their words, and the sample with them."""
        number_of = self._snapshot.vocabulary.__getitem__
        words, lengths = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)]
        said, owners, speakers = [_given([])], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
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
            said.append(
                _given(
                    [(count, min(who), max(who), len(who) > SEVERAL) for count, who in zip(counts, givers, strict=True)]
                )
            )
            owners.append(np.repeat(np.arange(known, known + len(givers)), [len(who) for who in givers]))
            speakers.append(np.array([one for who in givers for one in who], np.int64))
            known += len(givers)
        columns = np.concatenate(said)
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
    """Rows that are taken from the front, so many commands at a time."""

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
    """From which number to which the people are who gave each row; those that are not named are numbered on."""
    for _, count, *who in rows:
        if who and who[0] is not None:
            yield who[0], who[0] + 1
        else:
            yield unnamed, unnamed + count
        unnamed += count


def _given(rows: Sequence[tuple[int, int, int, bool]]) -> Ints:
    return np.array(rows, np.int64).reshape(-1, 4)
