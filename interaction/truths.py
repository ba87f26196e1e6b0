"""The true form of a command, and whether the agent's parse is another: what precision and recall rest on.

The true form comes with a command that is posted, or later from annotation (`learn`). Two forms that were posted are
two pieces of JSON, of whatever grammar the pipeline has. What annotators found is a logical form: it is held against
the parse by what the two mean, as long as the parse is one too.
"""

from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.logical_form.normal import same
from annotation.logical_form.spans import tokenise
from annotation.logical_form.upgrade import upgraded
from annotation.logical_form.validate import faults_of
from common.values import plain_json
from interaction.models import Command
from routing.spans import moved_clean
from routing.wording import clean


def differ_as_json(parse: Any, form: Any) -> bool:
    """Whether a posted parse and a posted true form differ; without a parse there is nothing that could be right."""
    return plain_json(parse) != plain_json(form)


def differ_in_meaning(parse: Any, form: Any, *, text: str) -> bool:
    """Whether the agent's parse of a command means something else than the true form.

    Args:
        text: What the worker wrote, whose words the agent's spans count. Those of the form count the words that
            annotators saw (`routing.wording.clean`).
    """
    seen = clean(text)
    parse, form = upgraded(parse)[0], upgraded(form)[0]
    if parse is None or faults_of(parse, words=len(tokenise(text))) or faults_of(form, words=len(tokenise(seen))):
        return differ_as_json(parse, form)
    return not same(moved_clean(parse, of=text), form)


def learn(project: int, command: str, form: Any, at: datetime) -> None:
    """Keep the true form of a command; None: it is not known after all. For `routing.cases.comes_from`.

    A command that is not there, or has this form already, stays as it is.
    """
    with transaction.atomic():
        rows = Command.objects.select_for_update().filter(project=project, public_id=command)
        found = rows.only("text", "form", "truth").first()
        if found is None or plain_json(found.truth) == plain_json(form):
            return
        found.truth = form
        found.is_misread = None if form is None else differ_in_meaning(found.form, form, text=found.text)
        found.save(update_fields=["truth", "is_misread"])
