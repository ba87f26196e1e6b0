"""The split of an item: train, valid or test, for ever, by a hash. Two copies of an item never lie in two splits."""

import hashlib
import unicodedata
from typing import Final, Literal

Split = Literal["train", "valid", "test"]
SPLITS: Final[tuple[Split, ...]] = ("train", "valid", "test")
_VALID, _TEST = 8, 9
"""Of ten equal parts, the one for choosing between models and the one for tests; the others are learnt from."""


def same_words(text: str) -> str:
    """The text in which case, width and spacing make no difference (NFKC, case-folded, single-spaced).

    >>> same_words("  Build a\\n HOUSE ")
    'build a house'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def split_of(module: str, unit: str) -> Split:
    """The split of an item of this module.

    Args:
        unit: What never crosses splits: the words of a command (`same_words`), or the digest of a scene.

    >>> split_of("nlu", "build a house")
    'train'
    """
    part = int(item_digest(module, unit)[:8], 16) % 10
    return "valid" if part == _VALID else "test" if part == _TEST else "train"


def item_digest(module: str, unit: str) -> str:
    """The id of an item: SHA-256 of `module:unit`, in hexadecimal digits."""
    return hashlib.sha256(f"{module}:{unit}".encode()).hexdigest()
