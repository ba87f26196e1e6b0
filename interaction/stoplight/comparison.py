"""What the formula asks of all earlier commands, and what it is told."""

from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol

MOST_WORDS = 64
"""So many content words of a command are compared with the corpus; whoever is paid for length gains nothing by more."""


class Compared(NamedTuple):
    """A command beside all earlier ones.

    Attributes:
        distance: The mean word edit distance, each divided by the longer one's words, in [0, 1]; None: there are none.
        equal: How many have the same content words.
        other: The distance to the nearest of the others.
    """

    distance: float | None
    equal: int
    other: float

    @property
    def nearest(self) -> float:
        return 0.0 if self.equal else self.other


class OrderSaid(NamedTuple):
    """How many pairs of neighbouring words several people said, of how many; and how odd the pairs are: for each that
    was said more seldom than by chance, by how many halves."""

    said: int
    of: int
    odd: float


class Usual(NamedTuple):
    """What honest commands are like.

    Attributes:
        near: A command is near to another one up to this distance.
        near_share: How many commands are; all, as long as nobody has looked.
        odd: How odd a pair of their words is, in the mean.
    """

    near: float = 0.0
    near_share: float = 1.0
    odd: float = 0.0


class Comparison(Protocol):
    """What is asked of all earlier commands."""

    @property
    def size(self) -> int:
        """How many they are."""

    @property
    def usual_distance(self) -> float | None:
        """The mean distance between two of them, in [0, 1]; None: there are less than two."""

    @property
    def usual_pairs(self) -> float:
        """Which share of a new honest command's pairs of words is among theirs."""

    @property
    def usual(self) -> Usual:
        """What else is usual of a command."""

    def compared(self, words: Sequence[str], jokers: Collection[int]) -> Compared:
        """How far and how near these content words are; at the places `jokers` a word is equal to any."""

    def times_said(self, word: str) -> int:
        """How many people said the content word."""

    def order_said(self, words: Sequence[str]) -> OrderSaid:
        """How the pairs of these words, in their order, stand in the corpus."""
