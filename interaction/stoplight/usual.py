"""How far apart the commands of a corpus usually are, by a sample that is the same in every process."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from interaction.stoplight.words import characters_of

MOST = 256


@dataclass(frozen=True)
class Sample:
    """Every so-manieth text: all of the first ones, then every second, every fourth, as the corpus grows.

    Attributes:
        texts: At most `MOST`.
        step: One of so many is kept.
        seen: How many texts there were.
    """

    texts: tuple[str, ...] = ()
    step: int = 1
    seen: int = 0

    def extended(self, rows: Iterable[tuple[str, int]]) -> "Sample":
        """The sample after these texts too, each with how often it came. In portions or together: it is the same."""
        texts, step, seen = list(self.texts), self.step, self.seen
        for text, count in rows:
            for _ in range(count):
                if seen % step == 0:
                    texts.append(text)
                    if len(texts) > MOST:
                        texts, step = texts[::2], step * 2
                seen += 1
        return Sample(tuple(texts), step, seen)


def mean_apart(commands: Iterable[Iterable[str]]) -> float | None:
    """The mean word edit distance of any two of the commands, each divided by the longer one's words; None below two.

    >>> mean_apart([["dig"], ["dig", "hole"], ["jump"]])
    0.8333333333333334
    """
    lines = characters_of(commands)
    number = len(lines)
    if number < 2:
        return None
    apart = process.cdist(lines, lines, scorer=Levenshtein.normalized_distance, dtype=np.float64)
    return float(apart.sum() / (number * (number - 1)))
