"""The statistics of earlier commands that the formula needs."""

from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol

MOST_WORDS = 64
"""The number of content words of a command that are compared with the corpus; further words gain nothing."""


class Compared(NamedTuple):
    """A command compared with all earlier ones.

    Attributes:
        distance: The mean word edit distance in [0, 1], each divided by the number of words of the longer command; None
            without an earlier command.
        equal: Number of earlier commands with the same content words.
        other: The distance to the nearest command that is not equal.
    """

    distance: float | None
    equal: int
    other: float

    @property
    def nearest(self) -> float:
        return 0.0 if self.equal else self.other


class PairUsage(NamedTuple):
    """How common the pairs of neighbouring words of a command are in the corpus.

    Attributes:
        known: Number of pairs that several people used.
        total: Number of pairs.
        oddness: The sum, over pairs that are rarer than by chance, of log2(expected count / count).
    """

    known: int
    total: int
    oddness: float


class Norms(NamedTuple):
    """Statistics of honest commands.

    Attributes:
        near: Two commands are near to each other up to this distance.
        near_share: The share of commands that are near to another one; 1 before the first survey.
        oddness: The mean oddness of a pair of words.
    """

    near: float = 0.0
    near_share: float = 1.0
    oddness: float = 0.0


class Comparison(Protocol):
    """The statistics of all earlier commands, the corpus."""

    @property
    def size(self) -> int:
        """Number of commands."""

    @property
    def usual_distance(self) -> float | None:
        """The mean distance between two commands, in [0, 1]; None with fewer than two commands."""

    @property
    def usual_pairs(self) -> float:
        """The share of the word pairs of a new honest command that the corpus has."""

    @property
    def norms(self) -> Norms:
        """Further statistics of honest commands."""

    def compared(self, words: Sequence[str], jokers: Collection[int]) -> Compared:
        """Compare these content words with the corpus; a word at one of the places `jokers` is equal to any word."""

    def speaker_count(self, word: str) -> int:
        """Number of people who used the content word."""

    def pair_usage(self, words: Sequence[str]) -> PairUsage:
        """How common the pairs of neighbouring words are in the corpus."""
