"""Personal data in live sessions and commands: erasing it, exporting it to the worker, and removing old words."""

from collections import defaultdict
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import Annotation
from annotation.pay.budget import BASE, BONUS
from annotation.redaction import BATCH
from commands import privacy as commands_privacy
from commands.models import Command
from commands.privacy import in_each_text, quotes_of, without_member, write_changes
from common.data.values import MoneyDict, money
from common.redaction import REMOVED, Mentions
from interaction.models import Event, LiveCommand, Posting, Session
from interaction.session.bonus import BONUS_OF_LOST, PART
from interaction.session.commands import tree_of
from interaction.session.ending import end_session
from interaction.session.event_log import Role
from workforce import privacy
from workforce.ledger import PAYABLE
from workforce.models import LedgerEntry, Worker
from workforce.privacy import Holdings, OldText, Person, person_of

_AT_ONCE = 100
_OWN: Final = {"command": "text", "mark": "text", "reflect": "feedback"}
"""The member of each kind of message that holds a worker's own words."""
_REPEATING: Final = ("say", "ask", "status", "objects", "parse", "question")
"""Kinds of messages in which agent and server may repeat a worker's words."""
_IDS: Final = frozenset({"command", "question", "node", "state"})
"""Members that hold ids, never words."""


# Erasing -----------------------------------------------------------------------------------------------------------


def shut_out(worker: Worker, at: datetime) -> None:
    """End the worker's sessions that go on: nobody will come back to them, and their time is owed."""
    for pk in Session.objects.unended().filter(assignment__worker=worker).order_by("pk").values_list("pk", flat=True):
        end_session(pk, Session.Reason.LEFT, at=at)


def erase(person: Person, at: datetime) -> dict[str, int]:
    """Take the person's words out of their sessions and posted commands; judgements, blocks and times stay."""
    shut_out(person.worker, at)
    mine = Session.objects.filter(assignment__worker=person.worker)
    changed = sum(take_out(session, person.mentions) for session in mine.order_by("pk").iterator(chunk_size=_AT_ONCE))
    posted = list(Command.objects.filter(worker=person.worker, assignment=None))
    changed += commands_privacy.take_out(posted, quotes_of(posted, person.mentions))
    # The names that their browser gave its pages.
    mine.exclude(worker_resume="", worker_wrote="").update(worker_resume="", worker_wrote="")
    return {"texts_in_sessions": changed}


def take_out(session: Session, mentions: Mentions) -> int:
    """Take the worker's words out of the rows of a session; how many rows changed.

    Outcomes, choices at questions, times, walks and blocks stay.

    Costs: reads the events that may have words, and not those of walking and building.
    """
    live = list(LiveCommand.objects.filter(session=session).select_related("command"))
    commands = [one.command for one in live]
    # Agent and server may have repeated the commands, so their texts are collected before they are removed.
    quotes = quotes_of(commands, mentions)
    return (
        sum(write_changes(one, {"why_failed": quotes.without(one.why_failed)}) for one in live)
        + _clean_events(session, quotes)
        + write_changes(session, {"reflection": without_member(session.reflection, "feedback")})
        + sum(
            write_changes(one, {"answer": without_member(one.answer, "feedback")})
            for one in Annotation.objects.filter(assignment=session.assignment_id)
        )
        + commands_privacy.take_out(commands, quotes)
    )


def _clean_events(session: Session, quotes: Mentions) -> int:
    changed = []
    rows = Event.objects.filter(session=session, type__in=[*_OWN, *_REPEATING]).order_by("pk")
    for event in rows.iterator(chunk_size=BATCH):
        if event.role == Role.WORKER:
            body = without_member(event.body, _OWN[event.type])
        else:
            body = {
                name: part if name in _IDS else in_each_text(part, quotes.without) for name, part in event.body.items()
            }
            if event.type == "question":
                # The sentence of the parse quotes the command.
                body = without_member(body, "parse")
        if body != event.body:
            event.body = body
            changed.append(event)
    Event.objects.bulk_update(changed, ["body"], batch_size=BATCH)
    return len(changed)


# Exporting ---------------------------------------------------------------------------------------------------------


def export_sessions(worker: Worker) -> list[dict[str, Any]]:
    """The worker's sessions: times, counts of each kind of message, reflection, and the money owed."""
    rows = Session.objects.filter(assignment__worker=worker)
    sessions = list(rows.select_related("project", "assignment__annotation").order_by("pk"))
    did: dict[int, dict[str, int]] = defaultdict(dict)
    events = Event.objects.filter(session__in=sessions, role=Role.WORKER).values_list("session", "type")
    for pk, kind, n in events.annotate(n=Count("pk")).order_by("session", "type"):
        did[pk][kind] = n
    payable = LedgerEntry.objects.filter(worker=worker, state__in=PAYABLE)
    owed = dict(payable.values_list("reason", "amount"))
    return [
        {
            "session": session.public_id,
            "assignment": session.assignment.public_id,
            "project": session.project.slug,
            "opened_at": session.created_at,
            "started_at": session.started_at,
            "ended_at": session.ended_at,
            "ended": session.reason,
            "did": did[session.pk],
            "how_it_went": session.reflection,
            "owed": _owed(session, owed),
        }
        for session in sessions
    ]


def export_commands(worker: Worker) -> list[dict[str, Any]]:
    """The worker's commands, live and posted, and their answers afterwards."""
    rows = Command.objects.filter(worker=worker).select_related("live__session").order_by("pk")
    return [
        {
            "session": live.session.public_id if live else None,
            "command": command.text,
            "improvised_on": live.prompt if live else "",
            "sent_at": command.at,
            "over_at": live.over_at if live else None,
            "status": live.status if live else LiveCommand.Status.SENT.value,
            "answers": _answers(live) if live else [],
            "outcome": command.outcome,
            "feedback": command.feedback,
            "scores": live.scores if live else None,
            "judged_at": live.judged_at if live else command.at if command.outcome else None,
        }
        for command in rows.iterator(chunk_size=1000)
        for live in [getattr(command, "live", None)]
    ]


def _answers(live: LiveCommand) -> list[dict[str, str]]:
    """Each question of the decision tree that they were asked, with the choice and their own words."""
    nodes = tree_of(live.session).nodes
    return [
        {
            "asked": nodes[turn["node"]].ask,
            "answer": nodes[turn["node"]].choices[turn["choice"]].label,
            **({"text": turn["text"]} if "text" in turn else {}),
        }
        for turn in live.command.path
    ]


def _owed(session: Session, amounts: dict[str, Decimal]) -> MoneyDict | None:
    """The sum of what is or will be paid for the session, found by the reasons of its ledger entries."""
    annotation = getattr(session.assignment, "annotation", None)
    reasons = [f"{PART}{session.public_id}", f"{BONUS_OF_LOST}{session.public_id}"]
    if annotation is not None:
        reasons += [f"{BASE}{annotation.public_id}", f"{BONUS}{annotation.public_id}"]
    found = [amounts[reason] for reason in reasons if reason in amounts]
    return money(sum(found, Decimal(0)), session.project.currency) if found else None


# Growing old -------------------------------------------------------------------------------------------------------


def old_texts(before: datetime) -> QuerySet[Session]:
    """Sessions that ended before that time and still have words of their worker."""
    with_words = LiveCommand.objects.filter(session=OuterRef("pk")).exclude(command__text=REMOVED)
    remarked = Q(reflection__isnull=False) & ~Q(reflection__feedback="") & ~Q(reflection__feedback=REMOVED)
    return Session.objects.filter(Exists(with_words) | remarked, ended_at__lt=before)


def remove_texts(before: datetime) -> int:
    """Take the words out of old sessions, each in its own transaction, so that nothing waits long; how many."""
    removed = 0
    while batch := list(old_texts(before).select_related("assignment__worker").order_by("pk")[:_AT_ONCE]):
        for session in batch:
            with transaction.atomic():
                take_out(session, person_of(session.assignment.worker).mentions)
        removed += len(batch)
    return removed


# Episodes made of sessions -------------------------------------------------------------------------------------------


def postings_of(worker: Worker) -> QuerySet[Posting]:
    """Postings of the worker's sessions, whose episodes still contain words."""
    return _with_words().filter(live__session__assignment__worker=worker)


def old_postings(before: datetime) -> QuerySet[Posting]:
    """Postings of sessions that ended before that time, whose episodes still contain words."""
    return _with_words().filter(live__session__ended_at__lt=before)


def lock_and_ask_if_erased(posting: Posting) -> bool:
    """True if the words of the posting's command were erased from its session.

    Locks: the command's row, until the caller's transaction ends.
    """
    text = Command.objects.select_for_update().values_list("text", flat=True).get(pk=posting.live_id)
    return text == REMOVED


def _with_words() -> QuerySet[Posting]:
    """Postings of any status: a job that died may have posted the episode without marking the posting."""
    return Posting.objects.filter(has_words=True)


def register_all() -> None:
    """Called once, when the app is ready."""
    holdings = Holdings(
        erase=erase,
        on_erasure_requested=shut_out,
        exports={"sessions": export_sessions, "commands": export_commands},
        old_texts={"session_texts": OldText(old_texts, remove_texts)},
    )
    privacy.register("sessions", holdings)
