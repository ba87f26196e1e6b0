"""Taking a worker's words out of a session: what they typed, and what agent and server made of it.

What they judged stays: outcomes, which choice they took at which question, times, walks, blocks.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from django.db import transaction
from django.db.models import F, Model

from annotation.erasing import BATCH
from annotation.models import Annotation
from common.mentions import REMOVED, Mentions
from interaction.log import Body, Role
from interaction.models import Command, Corpus, CorpusCommand, Event, Session
from routing.sending import ERASED
from workforce.personal_data import flags, redact
from workforce.privacy import SHORTEST_NAME

OWN: Final = {"command": "text", "mark": "text", "reflect": "feedback"}
"""Where a worker's own words are in their messages."""
REPEATING: Final = ("say", "ask", "status", "objects", "parse", "question")
"""Messages of agent and server that may repeat what a worker said."""
_IDS: Final = frozenset({"command", "question", "node", "state"})


class SaidAgain(Mentions):
    """Names, whole commands said again, and whatever looks like personal data."""

    def without(self, text: str) -> str:
        clean = super().without(text)
        return redact(clean, flags(clean))


def take_out(session: Session, mentions: Mentions) -> int:
    """Take the worker's words out of everything that is kept of the session; how many rows changed.

    Costs: reads the events with words in them, and not those of walking and building.
    """
    commands = list(Command.objects.filter(session=session))
    told = [one.text for one in commands if len(one.text) >= SHORTEST_NAME and one.text != REMOVED]
    said_again = SaidAgain([*mentions.words, *told])
    return (
        sum(_changed(one, _of_command(one, said_again)) for one in commands)
        + _forget(commands)
        + _clean_events(session, said_again)
        + _changed(session, {"reflection": _hushed(session.reflection, "feedback")})
        + sum(
            _changed(one, {"answer": _hushed(one.answer, "feedback")})
            for one in Annotation.objects.filter(assignment=session.assignment_id)
        )
    )


def take_out_posted(commands: Sequence[Command], mentions: Mentions) -> int:
    """The same of commands that were posted; how many rows changed."""
    said_again = SaidAgain([*mentions.words, *(one.text for one in commands if len(one.text) >= SHORTEST_NAME)])
    return sum(_changed(one, _of_command(one, said_again)) for one in commands) + _forget(commands)


def _forget(commands: Sequence[Command]) -> int:
    """Take commands out of the corpora; what was in the memory of a process is loaded anew."""
    theirs = CorpusCommand.objects.filter(command__in=commands).exclude(text="")
    with transaction.atomic():
        # Ordered, so that two that erase at once do not wait in a circle.
        for corpus in sorted(set(theirs.values_list("corpus", flat=True))):
            Corpus.objects.filter(pk=corpus).update(generation=F("generation") + 1)
        return theirs.update(text="")


def _of_command(command: Command, said_again: Mentions) -> Body:
    """The columns of a command as they are afterwards. Its path can still be walked: where words were, words are."""
    return {
        "text": REMOVED,
        "plain_text": "",
        "fault": command.fault or ERASED,
        "feedback": REMOVED if command.feedback else "",
        "path": [_hushed(turn, "text") for turn in command.path],
        "why_failed": said_again.without(command.why_failed),
        "form": in_each_text(command.form, said_again.without),
        "truth": in_each_text(command.truth, said_again.without),
        "objects_found": in_each_text(command.objects_found, said_again.without),
    }


def _clean_events(session: Session, said_again: Mentions) -> int:
    changed = []
    rows = Event.objects.filter(session=session, type__in=[*OWN, *REPEATING]).order_by("pk")
    for event in rows.iterator(chunk_size=BATCH):
        if event.role == Role.WORKER:
            body = _hushed(event.body, OWN[event.type])
        else:
            body = {
                name: part if name in _IDS else in_each_text(part, said_again.without)
                for name, part in event.body.items()
            }
            if event.type == "question":
                # The parse in words quotes the command.
                body = _hushed(body, "parse")
        if body != event.body:
            event.body = body
            changed.append(event)
    Event.objects.bulk_update(changed, ["body"], batch_size=BATCH)
    return len(changed)


def _hushed(body: Any, name: str) -> Any:
    """The same with what stands there gone, where anything does."""
    return {**body, name: REMOVED} if body and body.get(name) else body


def in_each_text(value: Any, change: Callable[[str], str]) -> Any:
    """JSON with all its texts changed; names of members stay.

    >>> in_each_text({"a": ["b", 1], "c": None}, str.upper)
    {'a': ['B', 1], 'c': None}
    """
    if isinstance(value, dict):
        return {name: in_each_text(part, change) for name, part in value.items()}
    if isinstance(value, list):
        return [in_each_text(part, change) for part in value]
    return change(value) if isinstance(value, str) else value


def _changed(row: Model, columns: Body) -> int:
    """Write the columns that differ; 1 if any did."""
    other = {name: value for name, value in columns.items() if getattr(row, name) != value}
    return type(row)._default_manager.filter(pk=row.pk).update(**other) if other else 0
