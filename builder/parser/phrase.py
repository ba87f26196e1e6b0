"""The words of a command in normal form, each with the token that it comes from, and patterns over them.

A pattern of a whole sentence is a regular expression over the words, whose named groups are phrases.
"""

import re
import string
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lib.logical_form.spans import span_of

_NUMBER = re.compile(r"-?\d+(\.\d+)?$")
_AROUND_WORDS = string.punctuation + "“”‘’…"
_ENDS = (",", ".", ";", "!", "?", ":")
_SHORT: Mapping[str, str] = {
    "WHATIS": r"(?:what (?:is|are|was|were|s)|what's|whats)",
    "WHEREIS": r"(?:where (?:is|are|was|were|s)|where's|wheres)",
    "THATIS": r"(?:(?P<thing>this|that|it|these|those|they) (?:is|are|s|'re)|(?P<it>(?:that|it|this)'s|thats))",
    "IS": r"(?:is|are|was|were|s)",
    "COLOUR": r"colou?rs?",
    "PLACE": r"(?:location|position|coordinates?|whereabouts)",
    "YOUSEE": r"(?:do|can|could|did|have) (?:you|u) (?:see|seen|notice|spot|perceive)",
    "WHICH": r"(?:what|which)(?: (?:kind|type|sort)s? of)?",
    "ABLETO": r"(?:(?:can|could|are) you(?: able to)?|(?:do )?you (?:can|know(?: how)? to))",
    "TO DO": r"(?:do|help(?: me)?(?: with)?|achieve|perform)",
}


@dataclass(frozen=True)
class Token:
    """One word in lower case, without punctuation around it.

    Attributes:
        text: The word.
        index: The index of the command's token.
        ends: Whether a comma, a full stop or the like follows.
    """

    text: str
    index: int
    ends: bool = False


@dataclass(frozen=True)
class Phrase:
    """Consecutive words of a command, without tokens that are only punctuation."""

    tokens: tuple[Token, ...]

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, at: int) -> str:
        """The word at this position; empty if there is none."""
        return self.tokens[at].text if -len(self.tokens) <= at < len(self.tokens) else ""

    def cut(self, first: int, end: int | None = None) -> "Phrase":
        """The words from `first` up to `end`, exclusive."""
        return Phrase(self.tokens[first:end])

    def ends_at(self, at: int) -> bool:
        """True if punctuation follows the word at this position."""
        return 0 <= at < len(self.tokens) and self.tokens[at].ends

    @property
    def span(self) -> list[Any]:
        """The span of all words; there must be at least one."""
        return span_of((token.index, token.index) for token in self.tokens)

    @property
    def text(self) -> str:
        return " ".join(token.text for token in self.tokens)

    def longest(self, table: Collection[str], at: int = 0, *, most: int = 6) -> str | None:
        """The longest entry of the table that begins at this position, of at most `most` words."""
        for length in range(min(most, len(self) - at), 0, -1):
            words = " ".join(token.text for token in self.tokens[at : at + length])
            if words in table:
                return words
        return None

    def find(self, table: Collection[str], start: int = 0) -> tuple[int, str] | None:
        """The first position from `start` at which an entry of the table begins, and the entry."""
        for at in range(start, len(self)):
            if found := self.longest(table, at):
                return at, found
        return None


def phrase_of(tokens: Sequence[str]) -> Phrase:
    """The words of a whole command. Remarks in brackets are left out, numbers in brackets are not."""
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


def word_count(entry: str) -> int:
    """The number of words of a table entry."""
    return entry.count(" ") + 1


def word_list(text: str) -> list[str]:
    """The words of a text, for tables of single words."""
    return text.split()


def pattern(text: str) -> re.Pattern[str]:
    """Compile a pattern. Words in capitals stand for several wordings, `<thing>` for a phrase."""
    for name, means in _SHORT.items():
        text = text.replace(name, means)
    return re.compile(re.sub(r"(?<!P)<(\w+)>", r"(?P<\1>.+?)", text))


def match_groups(shape: re.Pattern[str], phrase: Phrase) -> dict[str, Phrase] | None:
    """The phrases of the groups; None if the sentence does not match."""
    text = phrase.text
    found = shape.fullmatch(text)
    if not found:
        return None
    groups = {}
    for name, words in found.groupdict().items():
        if words:
            first = text.count(" ", 0, found.start(name))
            groups[name] = phrase.cut(first, first + words.count(" ") + 1)
    return groups
