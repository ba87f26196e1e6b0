"""From a text to its words: all of them, and those that carry the meaning."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"
LONGEST_TEXT = 2000
"""Characters that are looked at. Commands have 500; what is imported may have more."""
SHORTEST_MISSPELT = 5
"""Letters. Any three letters are one slip away from some word."""
_FIRST_CHARACTER = 0xE000
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_APOSTROPHES = str.maketrans("", "", "'’`")
_ASCII = str.maketrans({chr(one): " " for one in range(128) if not chr(one).isalnum()} | {"'": None, "`": None})
_APART = re.compile(r"[\W_]+")


@cache
def stop_words() -> frozenset[str]:
    """The 108 words that say little by themselves, as the npm package `stopword` 1.0.11 lists them."""
    return frozenset((DATA / "stop_words.txt").read_text(encoding="utf-8").split())


@cache
def english_words() -> frozenset[str]:
    """Common English words, so that a young corpus takes no honest word for nonsense; from SCOWL, sizes 10 to 35."""
    return frozenset((DATA / "english.txt").read_text(encoding="utf-8").split())


@cache
def first_commands() -> tuple[str, ...]:
    """Commands as people give them, written for this purpose."""
    return tuple((DATA / "first_commands.txt").read_text(encoding="utf-8").splitlines())


def words_of(text: str, *, normalise: bool) -> list[str]:
    """The words in their order.

    Args:
        text: As the worker wrote it.
        normalise: Whether case, punctuation, apostrophes and forms of one character make no difference. If they do,
            words are what stands between single spaces, so that two spaces have an empty word between them.

    >>> words_of("Don't  build,\\tSTOP!", normalise=True)
    ['dont', 'build', 'stop']
    >>> words_of("Stop,  now", normalise=False)
    ['Stop,', '', 'now']
    """
    text = text[:LONGEST_TEXT]
    if not normalise:
        return text.split(" ")
    if text.isascii():
        return text.lower().translate(_ASCII).split()
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_APOSTROPHES)
    return _APART.sub(" ", folded).split()


def content_of(words: Sequence[str]) -> list[str]:
    """The words without stop words, which are known in any case.

    >>> content_of(["Put", "The", "box", "on", "it"])
    ['Put', 'box']
    """
    stop = stop_words()
    return [word for word in words if word.lower() not in stop]


def slips(word: str) -> Iterator[str]:
    """What the word may have been before one slip: a letter left out, put in, taken for another or changed places with
    its neighbour; none for short words.

    >>> "house" in slips("hosue"), "house" in slips("hous1e"), "cat" in slips("cta")
    (True, True, False)
    """
    if len(word) < SHORTEST_MISSPELT or not word.isascii():
        return
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        if after:
            yield before + after[1:]
        if after[1:]:
            yield before + after[1] + after[0] + after[2:]
        for letter in _LETTERS:
            yield before + letter + after
            if after:
                yield before + letter + after[1:]


def letters_share(text: str) -> float:
    """Which part of the characters, spaces aside, are letters or digits; 0.0 for none at all.

    >>> letters_share("go!!"), letters_share("  ")
    (0.5, 0.0)
    """
    seen = [one for one in text[:LONGEST_TEXT] if not one.isspace()]
    return sum(one.isalnum() for one in seen) / len(seen) if seen else 0.0


def characters_of(commands: Iterable[Iterable[str]]) -> list[str]:
    """One character for each word, the same for the same, so that edits of characters are edits of words."""
    characters: dict[str, str] = {}
    # From behind the surrogates on, which are no characters.
    return [
        "".join(characters.setdefault(word, chr(_FIRST_CHARACTER + len(characters))) for word in words)
        for words in commands
    ]
