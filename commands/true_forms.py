"""The true form of a command, and whether the agent's parse differs from it. Precision and recall rest on this.

The true form comes with a command that is posted, or later from annotation (`learn`). Two forms that were posted are
compared as JSON, for a pipeline may have any grammar. A form that annotators found is a logical form: it is compared
with the parse by meaning, provided that the parse is a valid logical form too.
"""

from typing import Any

from django.db import transaction

from commands.models import Command
from lib.canonical_json import plain_json
from lib.command_text import clean
from lib.logical_form.normal import same
from lib.logical_form.realign import moved_clean
from lib.logical_form.spans import tokenise
from lib.logical_form.upgrade import upgraded
from lib.logical_form.validate import faults_of


def differ_as_json(parse: Any, form: Any) -> bool:
    """True if a posted parse and a posted true form differ. A missing parse differs from every form."""
    return plain_json(parse) != plain_json(form)


def differ_normally(parse: Any, form: Any) -> bool:
    """True if a posted parse and a posted true form differ in their normal forms; what is no object, as JSON."""
    if not isinstance(parse, dict) or not isinstance(form, dict):
        return differ_as_json(parse, form)
    return not same(parse, form)


def differ_in_meaning(parse: Any, form: Any, *, text: str) -> bool:
    """True if the agent's parse of a command means something other than the true form.

    Args:
        text: The worker's own text. Spans of the parse count its words; spans of the form count the words that
            annotators saw (`lib.command_text.clean`).
    """
    seen = clean(text)
    parse, form = upgraded(parse)[0], upgraded(form)[0]
    if parse is None or faults_of(parse, words=len(tokenise(text))) or faults_of(form, words=len(tokenise(seen))):
        return differ_as_json(parse, form)
    return not same(moved_clean(parse, of=text), form)


def learn(command: int, form: Any) -> None:
    """Keep the true form of the command with this primary key; None: it is not known after all.

    A command that has this form already stays as it is.

    Locks: the command, until the caller's transaction ends.
    """
    with transaction.atomic():
        found = Command.objects.select_for_update().only("text", "form", "truth").get(pk=command)
        if plain_json(found.truth) == plain_json(form):
            return
        found.truth = form
        found.is_misread = None if form is None else differ_in_meaning(found.form, form, text=found.text)
        found.means_other = found.is_misread
        found.save(update_fields=["truth", "is_misread", "means_other"])
