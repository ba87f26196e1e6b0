"""Finding names as whole words in texts, and removing them."""

import re
from collections.abc import Sequence

REMOVED = "[removed]"
"""The text that replaces a removed word."""


class Mentions:
    """Finds a few words in texts. A word is found where it stands by itself, not inside a longer name.

    >>> Mentions(["ann"]).within("Ask Ann, or direct:ann.")
    True
    >>> Mentions(["ann"]).within("ann-marie and hannah")
    False
    >>> Mentions(["ann"]).without("direct:ann is ann.")
    'direct:[removed] is [removed].'
    """

    def __init__(self, words: Sequence[str]) -> None:
        if not words:
            raise ValueError("there is nothing to look for")
        # The longest first, so that `direct:ann` is removed as a whole.
        self.words = sorted(set(words), key=lambda word: (-len(word), word))
        any_word = "|".join(re.escape(word) for word in self.words)
        # A dot may end a sentence or continue a name: the character after it decides.
        self._pattern = re.compile(rf"(?<![\w-])(?:{any_word})(?![\w-]|\.\w)", re.IGNORECASE)

    def within(self, text: str) -> bool:
        return self._pattern.search(text) is not None

    def without(self, text: str) -> str:
        return self._pattern.sub(REMOVED, text)
