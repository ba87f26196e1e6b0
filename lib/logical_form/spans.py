"""Tokens, the words of a command, and spans, which name some of them by their places."""

from collections.abc import Iterable, Sequence
from typing import Any

Piece = tuple[int, int]
"""First and last token, inclusive."""

MOST_TOKENS = 300
MOST_CHARACTERS = 4000


def tokenise(text: str) -> list[str]:
    """The words of a command, split at white space; all spans count them so. No other code splits a command."""
    return text.split()


def is_span(value: Any) -> bool:
    """Whether a value has the shape of a span; its numbers may still be wrong."""
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[1], list) or not value[1]:
        return False
    runs = value[1] if all(isinstance(run, list) for run in value[1]) else [value[1]]
    return all(len(run) == 2 and all(type(place) is int for place in run) for run in runs)


def pieces_of(span: Any) -> list[Piece]:
    """The runs of words that a valid span names, in order."""
    inner = span[1]
    runs = [inner] if inner and isinstance(inner[0], int) else inner
    return [(first, last) for first, last in runs]


def joined(pieces: Iterable[Sequence[int]]) -> list[Piece]:
    """The runs of words in order; runs that touch are joined."""
    found: list[Piece] = []
    for first, last in sorted((piece[0], piece[1]) for piece in pieces):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return found


def span_of(pieces: Iterable[Sequence[int]]) -> list[Any]:
    """The span that names these runs of words; at least one."""
    runs = [list(piece) for piece in joined(pieces)]
    return [0, runs[0] if len(runs) == 1 else runs]


def words_of(span: Any, tokens: list[str]) -> str:
    """The words of a span, with an ellipsis between runs."""
    return " … ".join(" ".join(tokens[first : last + 1]) for first, last in pieces_of(span))
