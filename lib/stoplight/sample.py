"""The mean distance between commands of a corpus, from a sample that is the same in every process."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from lib.stoplight.words import characters_of

MOST = 256


@dataclass(frozen=True)
class Sample:
    """Every `step`-th text: at first all texts, then every second, every fourth and so on, as the corpus grows.

    Attributes:
        texts: The texts of the sample, at most `MOST`.
        step: One of this many texts is kept.
        seen: Number of texts so far.
    """

    texts: tuple[str, ...] = ()
    step: int = 1
    seen: int = 0

    def extended(self, rows: Iterable[tuple[str, int]]) -> "Sample":
        """The sample after these texts, each with its count; it does not depend on how calls group the texts."""
        texts, step, seen = list(self.texts), self.step, self.seen
        for text, count in rows:
            for _ in range(count):
                if seen % step == 0:
                    texts.append(text)
                    if len(texts) > MOST:
                        texts, step = texts[::2], step * 2
                seen += 1
        return Sample(tuple(texts), step, seen)


def mean_distance_between(commands: Iterable[Iterable[str]]) -> float | None:
    """The mean word edit distance of two commands, each divided by the words of the longer one; None below two.

    >>> mean_distance_between([["dig"], ["dig", "hole"], ["jump"]])
    0.8333333333333334
    """
    lines = characters_of(commands)
    number = len(lines)
    if number < 2:
        return None
    distances = process.cdist(lines, lines, scorer=Levenshtein.normalized_distance, dtype=np.float64)
    return float(distances.sum() / (number * (number - 1)))
