"""A frozen text encoder: a fixed vector for each word, and for a phrase the sum of its words. It learns nothing."""

import re
from hashlib import shake_256

import numpy as np
import numpy.typing as npt

TEXT_SIZE = 128
"""The length of the vector of a phrase."""
_WORD = re.compile(r"\w+")
_MOST_WORDS = 12


def words_of(phrase: str) -> list[str]:
    """The words of a phrase in lower case, the first dozen."""
    return [word.lower() for word in _WORD.findall(phrase)][:_MOST_WORDS]


def phrase_vector(phrase: str) -> npt.NDArray[np.float32]:
    """The sum of the vectors of its words, shape (TEXT_SIZE,); zeros for a phrase without words.

    The numbers of a word's vector are 0.5 or -0.5 by the bits of its hash, so two words are nearly orthogonal.
    """
    found = np.zeros(TEXT_SIZE, np.float32)
    for word in words_of(phrase):
        found += _word_vector(word)
    return found


def _word_vector(word: str) -> npt.NDArray[np.float32]:
    bits = np.unpackbits(np.frombuffer(shake_256(word.encode()).digest(TEXT_SIZE // 8), np.uint8))
    return bits.astype(np.float32) - np.float32(0.5)
