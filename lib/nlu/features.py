"""The features of a command: runs of words and characters of the whole, and the surroundings of each word."""

import re
from collections.abc import Sequence

WORDS = 3
"""The most words of a run."""
CHARACTERS = (2, 5)
"""The fewest and the most characters of a run, which lies inside a word with a blank on both sides."""
REACH = 3
"""How many words before and after a word are seen from it."""
_PLAIN = re.compile(r"[\w'-]+|[^\w\s]+")
_DIGITS = re.compile(r"\d")
_LONGEST_WORD = 40


def plain_words(text: str) -> list[str]:
    """The words of a text in small letters, with marks apart from them.

    >>> plain_words("Build it, please")
    ['build', 'it', ',', 'please']
    """
    return [word[:_LONGEST_WORD] for word in _PLAIN.findall(text.lower())]


def word_runs(text: str) -> list[str]:
    """All runs of one to three words, with the beginning and the end of the text as words.

    >>> word_runs("Go up")
    ['go', 'up', '< go', 'go up', 'up >', '< go up', 'go up >']
    """
    words = plain_words(text)
    framed = ["<", *words, ">"]
    runs = list(words)
    for length in range(2, WORDS + 1):
        runs += [" ".join(framed[start : start + length]) for start in range(len(framed) - length + 1)]
    return runs


def character_runs(text: str) -> list[str]:
    """All runs of two to five characters inside the words of a text.

    >>> character_runs("up")
    [' u', 'up', 'p ', ' up', 'up ', ' up ']
    """
    least, most = CHARACTERS
    runs = []
    for word in plain_words(text):
        framed = f" {word} "
        for length in range(least, min(most, len(framed)) + 1):
            runs += [framed[start : start + length] for start in range(len(framed) - length + 1)]
    return runs


def token_features(tokens: Sequence[str], root: str) -> list[list[str]]:
    """The features of each token for the model of holes: word, parts, neighbours, and the root of the skeleton."""
    words = [_shape(token) for token in tokens]
    framed = ["<"] * REACH + words + [">"] * REACH
    found = []
    for place, word in enumerate(words):
        here = place + REACH
        around = {offset: framed[here + offset] for offset in range(-REACH, REACH + 1)}
        features = [f"{offset}={near}" for offset, near in around.items()]
        features += [
            f"-1,0={around[-1]} {word}",
            f"0,1={word} {around[1]}",
            f"-2,-1={around[-2]} {around[-1]}",
            f"1,2={around[1]} {around[2]}",
            f"-1,1={around[-1]} {around[1]}",
            f"p2={word[:2]}",
            f"p3={word[:3]}",
            f"s2={word[-2:]}",
            f"s3={word[-3:]}",
            f"root={root}",
            f"root,0={root} {word}",
            f"root,-1={root} {around[-1]}",
            f"root,1={root} {around[1]}",
            f"place={min(place, 4)}",
            f"left={min(len(words) - 1 - place, 3)}",
        ]
        found.append(features)
    return found


def _shape(token: str) -> str:
    """A token in small letters, without marks around it, its digits all alike."""
    bare = _DIGITS.sub("0", token.lower().strip(".,!?;:\"'()"))
    return bare[:_LONGEST_WORD] or token[:_LONGEST_WORD]
