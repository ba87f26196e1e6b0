"""What routing keeps of workers: erasing it, telling them, letting it grow old.

A report has the worker's own words: they go as they go from the command itself. A task that was made of a command is
what annotators answer, so its words stay, but for names and what looks like personal data; there each word keeps its
place, since forms count them.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Model, Q, QuerySet

from annotation.erasing import BATCH, clean
from annotation.logical_form.spans import tokenise
from annotation.models import Annotation, Chain, Consensus, SceneTask, Task
from common.mentions import REMOVED, Mentions
from routing.models import ErrorReport, Sending
from workforce import privacy, retention
from workforce.models import Worker
from workforce.personal_data import flags, redact
from workforce.privacy import SHORTEST_NAME, Person, person_of
from workforce.retention import OldText

_AT_ONCE = 200
Change = Callable[[str], str]


# Erasing -----------------------------------------------------------------------------------------------------------


def erase(person: Person, at: datetime) -> dict[str, int]:
    """Take their words out of their reports, and their names out of what was made of their commands.

    Costs: in proportion to their commands; reasons of staff are searched once for each of the names.
    """
    mine = ErrorReport.objects.filter(worker=person.worker)
    told = Q()
    for word in person.mentions.words:
        told |= Q(why_dismissed__icontains=word)
    changed = sum(_hush(report, person.mentions) for report in mine.iterator(chunk_size=_AT_ONCE))
    return {
        "texts_in_reports": changed + clean(ErrorReport.objects.filter(told), "why_dismissed", person.mentions),
        "texts_in_routed_tasks": _hide_in_tasks(person),
    }


def _hush(report: ErrorReport, mentions: Mentions) -> int:
    """The report without its worker's words; 1 if it had any. What they judged stays."""

    def without(text: str) -> str:
        said = text.replace(report.text, REMOVED) if len(report.text) >= SHORTEST_NAME else text
        less = mentions.without(said)
        return redact(less, flags(less))

    columns = {
        "feedback": REMOVED if report.feedback else "",
        "path": [{**turn, "text": REMOVED} if turn.get("text") else turn for turn in report.path],
        "why_failed": without(report.why_failed)[:200],
        "form": _in_each_text(report.form, without),
        # It quotes the command.
        "form_in_words": REMOVED if report.form_in_words else "",
        "objects_found": _in_each_text(report.objects_found, without),
        "text": REMOVED,
    }
    other = {name: value for name, value in columns.items() if getattr(report, name) != value}
    return ErrorReport.objects.filter(pk=report.pk).update(**other) if other else 0


def _in_each_text(value: Any, change: Change) -> Any:
    if isinstance(value, dict):
        return {name: _in_each_text(part, change) for name, part in value.items()}
    if isinstance(value, list):
        return [_in_each_text(part, change) for part in value]
    return change(value) if isinstance(value, str) else value


# In the tasks ------------------------------------------------------------------------------------------------------


def hidden(text: str, mentions: Mentions) -> str:
    """The text with its names and whatever looks like personal data covered, word by word, so that none moves.

    >>> hidden("tell ann to call +49 170 5551234 now", Mentions(["ann"]))
    'tell [removed] to call [removed] [removed] [removed] now'
    """
    found = flags(text)
    words, end = [], 0
    for token in tokenise(text):
        start = text.index(token, end)
        end = start + len(token)
        is_flagged = any(flag.start < end and start < flag.end for flag in found)
        words.append(REMOVED if is_flagged else mentions.without(token))
    covered = " ".join(words)
    return covered if covered != " ".join(tokenise(text)) else text


def _hide_in_tasks(person: Person) -> int:
    """Cover names in the tasks that their commands became, in the parts of these, and in what was answered to them."""
    sent = Sending.objects.filter(worker=person.worker, task__isnull=False)
    changed = 0
    for sending in sent.select_related("task").order_by("pk").iterator(chunk_size=_AT_ONCE):
        phrase = hidden(sending.phrase, person.mentions)
        if phrase != sending.phrase:
            # Two of its phrases may be alike now.
            Sending.objects.filter(pk=sending.pk).update(phrase=f"{phrase[:180]} ({sending.pk})")
        assert sending.task is not None  # noqa: S101 - filtered above
        changed += _hide_in(sending.task, person.mentions)
    return changed


def _hide_in(task: Task, mentions: Mentions) -> int:
    words = {name: task.payload[name] for name in ("text", "phrase") if name in task.payload}
    covered = {name: hidden(text, mentions) for name, text in words.items()}
    if covered == words:
        return 0
    theirs = Q(task=task) | Q(task__part_of=task)
    kept: Iterable[tuple[Iterable[Model], str]] = (
        (Annotation.objects.filter(theirs).iterator(chunk_size=BATCH), "answer"),
        (Consensus.objects.filter(theirs).iterator(chunk_size=BATCH), "answer"),
        (Chain.objects.filter(task=task).iterator(chunk_size=BATCH), "record"),
        (Task.objects.filter(part_of=task).iterator(chunk_size=BATCH), "payload"),
    )
    changed = sum(clean(rows, field, mentions) for rows, field in kept)
    for one in Task.objects.filter(Q(pk=task.pk) | Q(part_of=task)):
        payload = {name: covered.get(name, part) for name, part in one.payload.items()}
        payload |= {"form": _in_each_text(payload["form"], mentions.without)} if "form" in payload else {}
        changed += Task.objects.filter(pk=one.pk).update(payload=payload)
    if "phrase" in covered:
        SceneTask.objects.filter(task=task).update(phrase=covered["phrase"][:200])
    return changed


# Telling -----------------------------------------------------------------------------------------------------------


def tell_reports(worker: Worker) -> list[dict[str, Any]]:
    """The errors that they marked; not who repaired them where."""
    rows = ErrorReport.objects.filter(worker=worker).select_related("project").order_by("at", "pk")
    return [
        {
            "project": report.project.slug,
            "command": report.text,
            "outcome": report.outcome,
            "feedback": report.feedback,
            "marked_at": report.at,
            "state": report.state,
        }
        for report in rows.iterator(chunk_size=1000)
    ]


# Growing old -------------------------------------------------------------------------------------------------------


def old_texts(before: datetime) -> QuerySet[ErrorReport]:
    """Reports from before that time that still have words of their worker."""
    return ErrorReport.objects.filter(at__lt=before, worker__isnull=False).exclude(text=REMOVED)


def remove_texts(before: datetime) -> int:
    removed = 0
    while batch := list(old_texts(before).select_related("worker").order_by("pk")[:_AT_ONCE]):
        with transaction.atomic():
            for report in batch:
                assert report.worker is not None  # noqa: S101 - filtered above
                _hush(report, person_of(report.worker).mentions)
        removed += len(batch)
    return removed


def register_all() -> None:
    """Called once, when the app is ready."""
    privacy.register_eraser("error_reports", erase)
    privacy.register_teller("error_reports", tell_reports)
    retention.register_old_text("error_reports", OldText(old_texts, remove_texts))
