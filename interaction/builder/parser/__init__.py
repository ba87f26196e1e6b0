"""The built-in agent's parser: the words of a command in, a logical form out. By tables and a small grammar.

Greetings, courtesies and conditions are taken off, sentences of known shapes are told by patterns, and what is left is
cut into verbs and phrases, which are read from the left to the right. Spans name the tokens as they were given.
"""

from collections.abc import Callable, Sequence

from annotation.logical_form import Form
from annotation.logical_form.spans import MOST_TOKENS
from interaction.builder.parser.commands import commanded
from interaction.builder.parser.forms import NOTHING
from interaction.builder.parser.phrase import Phrase, phrase_of
from interaction.builder.parser.questions import ability_asked, asked, asked_otherwise
from interaction.builder.parser.remembering import rewarded, told

_READERS: tuple[Callable[[Phrase], Form | None], ...] = (
    ability_asked,
    rewarded,
    asked,
    told,
    commanded,
    asked_otherwise,
)
"""Tried in order; the first that knows the sentence says what it means."""


def parse(tokens: Sequence[str]) -> Form:
    """What a command asks for; NOOP where it is none. Any tokens give a valid form.

    Args:
        tokens: The words as typed, split at white space (`annotation.logical_form.spans.tokenise`).
    """
    phrase = phrase_of(tokens)
    if not 0 < len(phrase) <= MOST_TOKENS:
        return dict(NOTHING)
    return next((form for read in _READERS if (form := read(phrase))), dict(NOTHING))
