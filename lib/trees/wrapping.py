"""Words in lines of a width in pixels, where nobody can measure them: by a guess that is rather too wide."""

import unicodedata
from collections.abc import Iterator

PLAIN, BOLD = 6.7, 7.8
"""Of a small letter of 13 px, on the average."""
_CAPITAL, _WIDE = 1.4, 2.0
"""How much more room than such a letter a capital takes, and what is as wide as two."""


def wrapped(text: str, *, width: int, most: int, character: float = PLAIN) -> list[str]:
    """The text in `most` lines at most, cut between words where it can be; what has no room is an ellipsis.

    >>> wrapped("Did the assistant do what you asked?", width=122, most=2)
    ['Did the assistant', 'do what you asked?']
    >>> wrapped("Did the assistant do what you asked?", width=122, most=1)
    ['Did the assistant…']
    """
    room = max(int(width / character), 2)
    lines = list(_lines(text, room)) or [""]
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    while _size(last) >= room:
        last = last[:-1]
    return [*lines[: most - 1], f"{last}…"]


def _lines(text: str, room: int) -> Iterator[str]:
    line = ""
    for word in text.split():
        for piece in _pieces(word, room):
            joined = f"{line} {piece}" if line else piece
            if _size(joined) <= room:
                line = joined
            else:
                yield line
                line = piece
    if line:
        yield line


def _pieces(word: str, room: int) -> Iterator[str]:
    """A word that is longer than a line, in pieces."""
    piece = ""
    for character in word:
        if _size(piece + character) > room:
            yield piece
            piece = ""
        piece += character
    yield piece


def _size(text: str) -> float:
    return sum(_size_of(character) for character in text)


def _size_of(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if character in "MW@%" or unicodedata.east_asian_width(character) in {"W", "F"}:
        return _WIDE
    return _CAPITAL if character.isupper() else 1.0
