"""Numbers as people write them in commands."""

import re
from collections.abc import Sequence

_ONES = {
    **dict.fromkeys(("zero", "no"), 0),
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirteen": 13,
    "fourteen": 14,
    "fifteen": 15,
    "sixteen": 16,
    "seventeen": 17,
    "eighteen": 18,
    "nineteen": 19,
}
_TENS = {
    word: 10 * number
    for number, word in enumerate(("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), 2)
}
_SMALL = _ONES | _TENS
_LOOSE = {
    "a": 1,
    "an": 1,
    "once": 1,
    "single": 1,
    "both": 2,
    "twice": 2,
    "couple": 2,
    "pair": 2,
    "thrice": 3,
    "few": 3,
    "some": 3,
    "several": 4,
    "many": 5,
    "half": 1,
    "dozen": 12,
}
_PLACES = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_LARGE = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
MOST = 1_000_000
"""Larger numbers are reduced to this one."""


def number_in(words: str) -> int | None:
    """The first number in a text; None if there is none.

    >>> number_in("5 blocks"), number_in("twenty five"), number_in("a few"), number_in("tall")
    (5, 25, 3, None)
    """
    found = numbers_in(words)
    if found:
        return found[0]
    loose = [_LOOSE[word] for word in _split(words) if word in _LOOSE]
    return max(loose) if loose else None


def numbers_in(words: str) -> list[int]:
    """All numbers of a text, in digits or in words.

    >>> numbers_in("5x3"), numbers_in("two hundred and 7 by three")
    ([5, 3], [207, 3])
    """
    found: list[int] = []
    whole: int | None = None
    for word in _split(words):
        if word.isdecimal():
            whole = (whole or 0) + int(word[:9]) if whole and whole % 100 == 0 else _stored(found, whole, int(word[:9]))
        elif word in _SMALL:
            joins = whole is not None and whole >= 20 and whole % 10 == 0 and _SMALL[word] < (whole % 100 or 100)
            whole = (whole or 0) + _SMALL[word] if joins else _stored(found, whole, _SMALL[word])
        elif word in _LARGE:
            whole = (whole or 1) * _LARGE[word]
        elif word != "and" and whole is not None:
            found.append(whole)
            whole = None
    if whole is not None:
        found.append(whole)
    return [min(number, MOST) for number in found]


def ordinal_in(words: str) -> int | None:
    """The position, from 1, of an ordinal such as "third" or "3rd"; None if there is none.

    >>> ordinal_in("third"), ordinal_in("2nd"), ordinal_in("two")
    (3, 2, None)
    """
    for word in words.lower().split():
        if word in _PLACES:
            return _PLACES.index(word) + 1
        if match := re.fullmatch(r"(\d{1,6})(st|nd|rd|th)", word):
            return int(match[1])
    return None


def _stored(found: list[int], whole: int | None, following: int) -> int:
    """Appends the number before and begins another."""
    if whole is not None:
        found.append(whole)
    return following


def _split(words: str) -> Sequence[str]:
    return re.findall(r"[0-9]+|[a-z]+|[^\sa-z0-9]", words.lower().replace("-", " "))
