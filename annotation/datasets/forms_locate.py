"""Forms with words in place of spans: each word is looked up in the command. Pure."""

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from lib.logical_form.spans import Piece, span_of
from lib.logical_form.upgrade import Change
from lib.logical_form.validate import faults_of

MOST_WORDS = 60
"""Most words that are looked up for one form."""
_ENDINGS = (("ies", "y"), ("ves", "f"), ("es", ""), ("s", ""), ("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"))


def located(form: Any, tokens: Sequence[str]) -> tuple[Any, list[Change]]:
    """The form with spans in place of words, and the changes; words that the command does not contain stay.

    Some data have “hole” where ours have [0, [3, 3]]. Often that is the dictionary form of the word, so “holes” matches
    it too. Of several places the first is taken, and the reason says so. If a value need not be words of the command, a
    word that the command does not contain becomes a fixed_value.
    """
    found, changes = deepcopy(form), list[Change]()
    for path, word in list(_bare_words(found))[:MOST_WORDS]:
        places = places_of(word, tokens)
        options: list[Any] = [span_of([places[0]])] if places else []
        for value in (*options, {"fixed_value": word}):
            _put(found, path, value)
            if not any(fault.path.startswith(path) for fault in faults_of(found, words=len(tokens))):
                changes.append(Change(path, _reason(word, value, places)))
                break
            _put(found, path, word)
    return found, changes


def places_of(words: str, tokens: Sequence[str]) -> list[Piece]:
    """The places of these words in a command: exact matches or, if there are none, matches of other word forms.

    >>> places_of("red cube", ["two", "Red", "cubes,", "please"])
    [(1, 2)]
    """
    wanted, known = [_plain(word) for word in words.split()], [_plain(token) for token in tokens]
    if not wanted:
        return []
    starts = range(len(known) - len(wanted) + 1)
    exact = [start for start in starts if known[start : start + len(wanted)] == wanted]
    found = exact or [start for start in starts if _are_alike(wanted, known[start : start + len(wanted)])]
    return [(start, start + len(wanted) - 1) for start in found]


def _bare_words(form: Any) -> Iterator[tuple[str, str]]:
    """The path and the word of each string that may not be at its place."""
    seen = set()
    for fault in faults_of(form):
        value = _at(form, fault.path)
        if isinstance(value, str) and fault.path and fault.path not in seen:
            seen.add(fault.path)
            yield fault.path, value


def _reason(word: str, value: Any, places: list[Piece]) -> str:
    if isinstance(value, dict):
        return f"“{word}” is a fixed_value."
    first, last = places[0]
    which = f"is word {first}" if first == last else f"are the words {first} to {last}"
    several = f"; there are {len(places)} such places, and the first is taken" if len(places) > 1 else ""
    return f"“{word}” {which} of the command{several}."


def _are_alike(wanted: list[str], known: list[str]) -> bool:
    return all(_stems(a) & _stems(b) for a, b in zip(wanted, known, strict=True))


def _stems(word: str) -> set[str]:
    """The word and its possible dictionary forms: digging, dig; holes, hole."""
    found = {word} | {
        word[: -len(ending)] + instead
        for ending, instead in _ENDINGS
        if word.endswith(ending) and len(word) > len(ending) + 1
    }
    return found | {stem[:-1] for stem in found if len(stem) > 2 and stem[-1] == stem[-2] and stem != word}


def _plain(word: str) -> str:
    return re.sub(r"^\W+|\W+$", "", word.casefold()) or word.casefold()


def _at(form: Any, path: str) -> Any:
    here = form
    for name in path.split("/")[1:]:
        here = here[int(name)] if isinstance(here, list) else here.get(name) if isinstance(here, dict) else None
    return here


def _put(form: Any, path: str, value: Any) -> None:
    *outer, last = path.split("/")
    here = _at(form, "/".join(outer))
    here[int(last) if isinstance(here, list) else last] = value
