"""An agent's parse as one English sentence."""

from typing import Any

from lib.logical_form.english import outline
from lib.logical_form.spans import tokenise
from lib.logical_form.validate import faults_of


def sentence_of(form: Any, *, text: str) -> str:
    """The parse as one sentence; for a parse outside the grammar, a sentence that says so.

    Args:
        text: The command, whose words the spans of the form count.
    """
    tokens = tokenise(text)
    if form is None:
        return "The assistant did not say what it understood."
    if faults_of(form, words=len(tokens)):
        return "What the assistant understood cannot be put in words."
    return outline.sentence(form, tokens) or "The assistant understood nothing that it could do."
