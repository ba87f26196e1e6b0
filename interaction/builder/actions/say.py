"""Saying something that was asked for."""

from annotation.logical_form import Form
from annotation.logical_form.spans import is_span, words_of
from interaction.builder.acts import Acting, CannotDo, Say, Why
from interaction.builder.situation import Situation

_MOST = 1000


def say(here: Situation, action: Form) -> Acting:
    """Say these words."""
    span = action.get("say_span")
    said = words_of(span, list(here.tokens)) if is_span(span) else ""
    if not said:
        raise CannotDo("I did not understand what to say.", Why.NOT_UNDERSTOOD)
    yield Say(said[:_MOST])
