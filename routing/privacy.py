"""Personal data in routing: erasing it, exporting it to the worker, and removing old words.

A report has no words of its worker but its command's, which `commands.privacy` takes out. A task that was made of a
command is what annotators answer, so its words stay, except names and what looks like personal data. Each remaining
word keeps its place, since forms count them.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Model, Q, QuerySet

from annotation.models import Annotation, Chain, Consensus, SceneTask, Task
from annotation.redaction import BATCH, clean
from commands.models import Command
from commands.privacy import in_each_text, quotes_of, take_out
from common.redaction import REMOVED, Mentions
from lib.logical_form.spans import tokenise
from routing.models import ErrorReport, Sending
from workforce import privacy
from workforce.models import Worker
from workforce.personal_data import flags
from workforce.privacy import Holdings, OldText, Person, person_of

_AT_ONCE = 200


# Erasing -----------------------------------------------------------------------------------------------------------


def erase(person: Person, at: datetime) -> dict[str, int]:
    """Take the person's names out of reasons of staff, and out of the tasks that their commands became.

    Costs: in proportion to their commands; reasons of staff are searched once for each of the names.
    """
    named = Q()
    for word in person.mentions.words:
        named |= Q(why_dismissed__icontains=word)
    return {
        "texts_in_reports": clean(ErrorReport.objects.filter(named), "why_dismissed", person.mentions),
        "texts_in_routed_tasks": _hide_in_tasks(person),
    }


# In the tasks ------------------------------------------------------------------------------------------------------


def hidden(text: str, mentions: Mentions) -> str:
    """The text with names and personal data covered word by word, so that no word moves.

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
    """Cover names in the tasks that their commands became, in the parts of these tasks, and in the answers to them."""
    sent = Sending.objects.filter(command__worker=person.worker, task__isnull=False)
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
        payload |= {"form": in_each_text(payload["form"], mentions.without)} if "form" in payload else {}
        changed += Task.objects.filter(pk=one.pk).update(payload=payload)
    if "phrase" in covered:
        SceneTask.objects.filter(task=task).update(phrase=covered["phrase"][:200])
    return changed


# Exporting ---------------------------------------------------------------------------------------------------------


def export_reports(worker: Worker) -> list[dict[str, Any]]:
    """The errors that the worker marked, without the people who repaired them."""
    rows = ErrorReport.objects.filter(command__worker=worker).select_related("project", "command").order_by("at", "pk")
    return [
        {
            "project": report.project.slug,
            "command": report.command.text,
            "outcome": report.outcome,
            "feedback": report.command.feedback,
            "marked_at": report.at,
            "state": report.state,
        }
        for report in rows.iterator(chunk_size=1000)
    ]


# Growing old -------------------------------------------------------------------------------------------------------


def old_texts(before: datetime) -> QuerySet[Command]:
    """Posted commands of known workers whose report is from before that time, and that still have their words.

    Words of live commands go with their session.
    """
    posted = Command.objects.filter(assignment=None, worker__isnull=False)
    return posted.filter(report__at__lt=before).exclude(text=REMOVED)


def remove_texts(before: datetime) -> int:
    removed = 0
    while batch := list(old_texts(before).select_related("worker").order_by("pk")[:_AT_ONCE]):
        with transaction.atomic():
            for command in batch:
                assert command.worker is not None  # noqa: S101 - filtered above
                take_out([command], quotes_of([command], person_of(command.worker).mentions))
        removed += len(batch)
    return removed


def register_all() -> None:
    """Called once, when the app is ready."""
    holdings = Holdings(
        erase=erase,
        exports={"error_reports": export_reports},
        old_texts={"error_reports": OldText(old_texts, remove_texts)},
    )
    privacy.register("error_reports", holdings)
