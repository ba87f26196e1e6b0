"""A command as the grammar sees it: words to compare, each with the token that it came from."""

import re
import string
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.logical_form.spans import span_of

_NUMBER = re.compile(r"-?\d+(\.\d+)?$")
_AROUND_WORDS = string.punctuation + "“”‘’…"
_ENDS = (",", ".", ";", "!", "?", ":")


@dataclass(frozen=True)
class Token:
    """One word: lower-cased and without the punctuation around it.

    Attributes:
        text: What is compared.
        index: Which token of the command it is.
        ends: Whether a comma, a full stop or the like follows it.
    """

    text: str
    index: int
    ends: bool = False


@dataclass(frozen=True)
class Phrase:
    """Some words of a command in a row; cutting one gives another. Tokens that are only punctuation are left out."""

    tokens: tuple[Token, ...]

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, at: int) -> str:
        """The word at this place; empty where there is none."""
        return self.tokens[at].text if -len(self.tokens) <= at < len(self.tokens) else ""

    def cut(self, first: int, end: int | None = None) -> "Phrase":
        """The words from `first` up to `end`, which is not among them."""
        return Phrase(self.tokens[first:end])

    def ends_at(self, at: int) -> bool:
        """Whether punctuation follows the word at this place."""
        return 0 <= at < len(self.tokens) and self.tokens[at].ends

    @property
    def span(self) -> list[Any]:
        """The span of all these words; there is at least one."""
        return span_of((token.index, token.index) for token in self.tokens)

    @property
    def text(self) -> str:
        return " ".join(token.text for token in self.tokens)

    def longest(self, table: Collection[str], at: int = 0, *, most: int = 6) -> str | None:
        """The longest entry of the table that stands here, of at most `most` words."""
        for length in range(min(most, len(self) - at), 0, -1):
            words = " ".join(token.text for token in self.tokens[at : at + length])
            if words in table:
                return words
        return None

    def find(self, table: Collection[str], start: int = 0) -> tuple[int, str] | None:
        """The first place from `start` on where an entry of the table stands, and which."""
        for at in range(start, len(self)):
            if found := self.longest(table, at):
                return at, found
        return None


def phrase_of(tokens: Sequence[str]) -> Phrase:
    """The words of a whole command; remarks in brackets are left out, numbers in brackets are not."""
    found: list[Token] = []
    remark = False
    for index, token in enumerate(tokens):
        bare = _bare(token)
        remark = remark or (token.lstrip().startswith("(") and not _NUMBER.match(bare) and len(found) > 0)
        if remark:
            remark = ")" not in token
        elif bare:
            found.append(Token(bare, index, token.rstrip().endswith(_ENDS)))
        elif found and token.strip().startswith(_ENDS):
            found[-1] = replace(found[-1], ends=True)
    return Phrase(tuple(found))


def _bare(token: str) -> str:
    low = re.sub(r"\s+", "_", token.strip().lower().replace("’", "'"))
    loose = low.strip(_AROUND_WORDS.replace("-", ""))
    return loose if _NUMBER.match(loose) else low.strip(_AROUND_WORDS)


def size_of(entry: str) -> int:
    """How many words an entry of a table has."""
    return entry.count(" ") + 1


def listed(text: str) -> list[str]:
    """The entries of a table that are one word each."""
    return text.split()
