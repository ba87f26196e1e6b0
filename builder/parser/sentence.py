"""The built-in agent's parser: from the words of a command to a logical form, by tables and a small grammar.

It removes greetings, courtesies and conditions, recognises whole sentences by patterns, and cuts the remaining words
into verbs and phrases, which it reads from left to right. Spans name the tokens of the input.
"""

from collections.abc import Callable, Sequence

from builder.parser.commands import read_command
from builder.parser.forms import NOTHING
from builder.parser.phrase import Phrase, phrase_of
from builder.parser.questions import read_ability_question, read_other_question, read_question
from builder.parser.statements import read_reward, read_statement
from lib.logical_form import Form
from lib.logical_form.spans import MOST_TOKENS

_READERS: tuple[Callable[[Phrase], Form | None], ...] = (
    read_ability_question,
    read_reward,
    read_question,
    read_statement,
    read_command,
    read_other_question,
)
"""Tried in this order; the first that recognises the sentence gives its form."""


def parse(tokens: Sequence[str]) -> Form:
    """The form of a command; NOOP if it is not one. Any tokens give a valid form.

    Args:
        tokens: The words as typed, split at white space (`lib.logical_form.spans.tokenise`).
    """
    phrase = phrase_of(tokens)
    if not 0 < len(phrase) <= MOST_TOKENS:
        return dict(NOTHING)
    return next((form for read in _READERS if (form := read(phrase))), dict(NOTHING))
