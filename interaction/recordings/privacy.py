"""Taking a worker's words out of the episodes made of their sessions. The films have none: words stand beside them."""

from datetime import datetime

from django.db.models import QuerySet

from interaction.models import Posting
from interaction.recordings.posting import poster
from workforce import privacy, retention
from workforce.privacy import Person
from workforce.retention import OldText


def erase(person: Person, at: datetime) -> dict[str, int]:
    """Take what was said out of every episode made of the person's sessions."""
    return {"episodes_of_sessions": _take_out(_with_words().filter(command__session__assignment__worker=person.worker))}


def old(before: datetime) -> QuerySet[Posting]:
    """Postings of sessions that ended before that time, whose episodes still say what was said."""
    return _with_words().filter(command__session__ended_at__lt=before)


def _with_words() -> QuerySet[Posting]:
    """Whatever their status: a job that died may have posted the episode, and not said so."""
    return Posting.objects.filter(has_words=True)


def _take_out(postings: QuerySet[Posting]) -> int:
    taken = dict(postings.values_list("pk", "episode"))
    changed = poster().take_words_out(list(taken.values()))
    Posting.objects.filter(pk__in=taken).update(has_words=False)
    return changed


def register_all() -> None:
    """Called once, when the app is ready."""
    privacy.register_eraser("postings", erase)
    retention.register_old_text("episodes_of_sessions", OldText(old, lambda before: _take_out(old(before))))
