"""A form that somebody is writing: what is wrong with it, and how it reads. Pure."""

from annotation.logical_form.spans import tokenise
from annotation.logical_form.upgrade import upgraded
from annotation.logical_form.validate import faults_of
from annotation.tools import Json
from annotation.tools.parse.steps import so_far


def checked(*, text: str, form: Json) -> Json:
    """The faults of a form, what was rewritten of old spellings, the form so rewritten; if it is valid, its words."""
    found, changes = upgraded(form)
    faults = faults_of(found, words=len(tokenise(text)))
    reads = so_far({} if faults else found, text)
    return {
        "faults": [{"path": fault.path, "reason": fault.reason} for fault in faults],
        "changes": [{"path": change.path, "reason": change.reason} for change in changes],
        "form": found,
        "words": reads["words"],
        "outline": reads["outline"],
    }
