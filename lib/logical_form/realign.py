"""Move the spans of a form from one spelling of a command to another: other punctuation, or markup around it.

A form names words by their places. The commands "Build a cube !" and "build a cube" mean the same, so the form of one
is also true of the other, but the words have other places.
"""

from difflib import SequenceMatcher
from typing import Any

from lib.command_text import clean, plain
from lib.logical_form.spans import is_span, pieces_of, span_of, tokenise


class _NotThere(Exception):
    """A span names words that are missing in the other command."""


def moved(form: Any, *, of: str, to: str) -> Any | None:
    """The form of the command `of`, with spans in the command `to`.

    Returns:
        None where the two differ in a word, so the places cannot be matched.

    >>> moved({"text_span": [0, [3, 3]]}, of="Build , a cube !", to="build a cube")
    {'text_span': [0, [2, 2]]}
    >>> moved({"text_span": [0, [0, 0]]}, of="build it", to="dig it") is None
    True
    """
    if tokenise(of) == tokenise(to):
        return form
    before, after = _words_at(of), _words_at(to)
    if [word for word, _ in before] != [word for word, _ in after]:
        return None
    try:
        return _moved(form, [place for _, place in before], [place for _, place in after])
    except _NotThere:
        return None


def moved_clean(form: Any, *, of: str) -> Any | None:
    """The form of a command as its worker wrote it, with spans in the cleaned text.

    Returns:
        None where the form names words that cleaning removed, or the cleaned text has words that the original lacks.

    >>> moved_clean({"text_span": [0, [4, 4]]}, of="< b > Stop it </b >")
    {'text_span': [0, [1, 1]]}
    >>> moved_clean({"text_span": [0, [1, 1]]}, of="< b > Stop it </b >") is None
    True
    """
    to = clean(of)
    if tokenise(of) == tokenise(to):
        return form
    before, after = _words_at(of), _words_at(to)
    blocks = SequenceMatcher(
        None, [word for word, _ in before], [word for word, _ in after], autojunk=False
    ).get_matching_blocks()
    kept = [(one.a + at, one.b + at) for one in blocks for at in range(one.size)]
    if len(kept) < len(after):
        return None
    try:
        return _moved(form, [before[one][1] for one, _ in kept], [after[other][1] for _, other in kept])
    except _NotThere:
        return None


def _words_at(text: str) -> list[tuple[str, int]]:
    """Each plain word with the place of its token."""
    return [(word, place) for place, token in enumerate(tokenise(text)) for word in plain(token).split()]


def _moved(value: Any, before: list[int], after: list[int]) -> Any:
    if is_span(value):
        pieces = []
        for first, last in pieces_of(value):
            found = [after[number] for number, place in enumerate(before) if first <= place <= last]
            if not found:
                raise _NotThere
            pieces.append((found[0], found[-1]))
        return span_of(pieces)
    if isinstance(value, dict):
        return {name: _moved(part, before, after) for name, part in value.items()}
    if isinstance(value, list):
        return [_moved(part, before, after) for part in value]
    return value
