"""Conditions in a command: the number of times, the length of time, the end."""

from typing import NamedTuple

from builder.parser.forms import count_condition
from builder.parser.phrase import Phrase, word_count, word_list
from builder.parser.things import number_at, without_articles
from lib.logical_form import Form

_FOREVER = frozenset(
    {
        "forever",
        "for ever",
        "non stop",
        "nonstop",
        "endlessly",
        "again and again",
        "over and over",
        "over and over again",
    }
    | {
        "indefinitely",
        "without stopping",
        "as far as you can",
        "as long as you can",
        "as deep as you can",
        "all the time",
    }
    | {"forever and ever", "until the end of time"}
)
_COUNTS = frozenset({"twice", "thrice", "once"})
UNTIL = frozenset({"until", "till", "til", "untill"})
_REACH = frozenset(
    f"{who} {verb}"
    for who in ("you", "u", "it", "we", "to")
    for verb in (
        "hit",
        "reach",
        "reaches",
        "hits",
        "find",
        "see",
        "get to",
        "touch",
        "come to",
        "are at",
        "come across",
    )
)
_TIMES_OF_DAY = frozenset(
    {
        f"{at} {time}"
        for at in ("at", "before", "after")
        for time in ("night", "sunset", "sunrise", "noon", "dark", "dawn")
    }
)
_DURATIONS = frozenset(word_list("second seconds minute minutes hour hours day days while"))


class Ending(NamedTuple):
    """The condition at which a command ends.

    Attributes:
        counted: Whether it is a number of times. That belongs to the command as a whole.
    """

    condition: Form
    counted: bool = False


def ending_of(phrase: Phrase) -> tuple[Phrase, Ending | None]:
    """The phrase without the words of its condition, and the condition."""
    for at in range(1, len(phrase)):
        rest = phrase.cut(at)
        if forever := rest.longest(_FOREVER):
            return _without(phrase, at, word_count(forever)), Ending({"condition_type": "NEVER"})
        if rest[0] in _COUNTS:
            return _without(phrase, at, 1), Ending(count_condition(rest.cut(0, 1)), counted=True)
        length = number_at(phrase, at)
        if length:
            more = int(rest[length] == "more")
            if rest[length + more] in ("times", "time"):
                taken = _without(phrase, at, length + more + 1)
                return taken, Ending(count_condition(rest.cut(0, length)), counted=True)
        if rest[0] in UNTIL and len(rest) > 1:
            return phrase.cut(0, at), Ending(_until(rest))
        if rest[0] == "for" and (spell := number_at(rest, 1) or int(rest[1] == "a")) and rest[1 + spell] in _DURATIONS:
            return _without(phrase, at, spell + 2), Ending(_other(rest.cut(0, spell + 2)))
        if time := rest.longest(_TIMES_OF_DAY):
            return _without(phrase, at, word_count(time)), Ending(_other(rest.cut(0, word_count(time))))
    return phrase, None


def _until(rest: Phrase) -> Form:
    if reach := rest.longest(_REACH, 1):
        reached = without_articles(rest.cut(1 + word_count(reach)))
        if len(reached):
            return {"condition_type": "ADJACENT_TO_BLOCK_TYPE", "block_type": reached.span}
    return _other(rest)


def _other(words: Phrase) -> Form:
    return {"condition_type": "OTHER", "condition_span": words.span}


def _without(phrase: Phrase, at: int, length: int) -> Phrase:
    return Phrase(phrase.tokens[:at] + phrase.tokens[at + length :])
