"""Patterns of whole sentences: regular expressions over the words, whose named groups are phrases."""

import re
from collections.abc import Mapping

from builder.parser.phrase import Phrase

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
