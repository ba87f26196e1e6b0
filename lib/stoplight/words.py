"""Split a text into words, and select the content words, which carry the meaning."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"
LONGEST_TEXT = 2000
"""The number of characters that are read. Commands have at most 500; imported texts may have more."""
SHORTEST_MISSPELT = 5
"""The fewest letters of a word that may count as misspelt. Any three letters are one typing error from some word."""
_FIRST_CHARACTER = 0xE000
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_APOSTROPHES = str.maketrans("", "", "'’`")
_ASCII = str.maketrans({chr(one): " " for one in range(128) if not chr(one).isalnum()} | {"'": None, "`": None})
_APART = re.compile(r"[\W_]+")


@cache
def stop_words() -> frozenset[str]:
    """The 108 words without much meaning of their own, from the npm package `stopword` 1.0.11."""
    return frozenset((DATA / "stop_words.txt").read_text(encoding="utf-8").split())


@cache
def english_words() -> frozenset[str]:
    """Common English words from SCOWL, sizes 10 to 35; they are known although a young corpus lacks them."""
    return frozenset((DATA / "english.txt").read_text(encoding="utf-8").split())


@cache
def first_commands() -> tuple[str, ...]:
    """Realistic commands, written for this purpose."""
    return tuple((DATA / "first_commands.txt").read_text(encoding="utf-8").splitlines())


def words_of(text: str, *, normalise: bool) -> list[str]:
    """The words of a text, in order.

    Args:
        text: The text as the worker wrote it.
        normalise: Whether to ignore case, punctuation, apostrophes and Unicode forms. If not, the text is split at
            single spaces, so two spaces have an empty word between them.

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
    """The words without stop words, in any case.

    >>> content_of(["Put", "The", "box", "on", "it"])
    ['Put', 'box']
    """
    stop = stop_words()
    return [word for word in words if word.lower() not in stop]


def slips(word: str) -> Iterator[str]:
    """The words that one typing error could have turned into this word: a letter omitted, added, replaced, or swapped
    with its neighbour. Short words have none.

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
    """The share of letters and digits among the characters that are not spaces; 0.0 without such a character.

    >>> letters_share("go!!"), letters_share("  ")
    (0.5, 0.0)
    """
    seen = [one for one in text[:LONGEST_TEXT] if not one.isspace()]
    return sum(one.isalnum() for one in seen) / len(seen) if seen else 0.0


def characters_of(commands: Iterable[Iterable[str]]) -> list[str]:
    """The commands with one character for each word, equal for equal words, so character edits are word edits."""
    characters: dict[str, str] = {}
    # They begin behind the surrogates, which are not characters.
    return [
        "".join(characters.setdefault(word, chr(_FIRST_CHARACTER + len(characters))) for word in words)
        for words in commands
    ]
