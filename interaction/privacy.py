"""What live sessions keep of workers: erasing it, telling them, letting it grow old."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.budget import BASE, BONUS
from common.mentions import REMOVED
from common.values import MoneyDict, money
from interaction.commands import tree_of
from interaction.erasing import take_out, take_out_posted
from interaction.finishing import end_session
from interaction.log import Role
from interaction.models import Command, Event, Session
from interaction.paying import BONUS_OF_LOST, PART
from workforce import privacy, retention
from workforce.ledger import PAYABLE
from workforce.models import LedgerEntry, Worker
from workforce.privacy import Person, person_of
from workforce.retention import OldText

_AT_ONCE = 100


# Erasing -----------------------------------------------------------------------------------------------------------


def shut_out(worker: Worker, at: datetime) -> None:
    """End what they are in the midst of: nobody will come back to it, and their time is owed."""
    for pk in Session.objects.unended().filter(assignment__worker=worker).order_by("pk").values_list("pk", flat=True):
        end_session(pk, Session.Reason.LEFT, at=at)


def erase(person: Person, at: datetime) -> dict[str, int]:
    """Take their words out of their sessions; what they judged, built and waited for stays."""
    shut_out(person.worker, at)
    mine = Session.objects.filter(assignment__worker=person.worker)
    changed = sum(take_out(session, person.mentions) for session in mine.order_by("pk").iterator(chunk_size=_AT_ONCE))
    posted = Command.objects.filter(worker=person.worker, session=None)
    changed += take_out_posted(list(posted), person.mentions)
    # What their browser called its pages.
    mine.exclude(worker_resume="", worker_wrote="").update(worker_resume="", worker_wrote="")
    return {"texts_in_sessions": changed}


# Telling -----------------------------------------------------------------------------------------------------------


def tell_sessions(worker: Worker) -> list[dict[str, Any]]:
    """Their sessions: when, how often they did what, how they said that it went, and what was owed for it."""
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


def tell_commands(worker: Worker) -> list[dict[str, Any]]:
    """What they told agents to do, and what they answered afterwards."""
    rows = Command.objects.filter(worker=worker).select_related("session").order_by("pk")
    return [
        {
            "session": command.session.public_id if command.session else None,
            "command": command.text,
            "improvised_on": command.prompt,
            "sent_at": command.sent_at,
            "over_at": command.over_at,
            "status": command.status,
            "answers": _answers(command),
            "outcome": command.outcome,
            "feedback": command.feedback,
            "scores": command.scores,
            "judged_at": command.judged_at,
        }
        for command in rows.iterator(chunk_size=1000)
    ]


def _answers(command: Command) -> list[dict[str, str]]:
    """Each question of the decision tree that they were asked, with their answer in its words and their own."""
    if command.session is None:
        return []
    nodes = tree_of(command.session).nodes
    return [
        {
            "asked": nodes[turn["node"]].ask,
            "answer": nodes[turn["node"]].choices[turn["choice"]].label,
            **({"text": turn["text"]} if "text" in turn else {}),
        }
        for turn in command.path
    ]


def _owed(session: Session, amounts: dict[str, Decimal]) -> MoneyDict | None:
    """All that is paid for it, or still will be, by its reasons."""
    annotation = getattr(session.assignment, "annotation", None)
    reasons = [f"{PART}{session.public_id}", f"{BONUS_OF_LOST}{session.public_id}"]
    if annotation is not None:
        reasons += [f"{BASE}{annotation.public_id}", f"{BONUS}{annotation.public_id}"]
    found = [amounts[reason] for reason in reasons if reason in amounts]
    return money(sum(found, Decimal(0)), session.project.currency) if found else None


# Growing old -------------------------------------------------------------------------------------------------------


def old_texts(before: datetime) -> QuerySet[Session]:
    """Sessions that ended before that time and still have words of their worker."""
    told = Command.objects.filter(session=OuterRef("pk")).exclude(text=REMOVED)
    remarked = Q(reflection__isnull=False) & ~Q(reflection__feedback="") & ~Q(reflection__feedback=REMOVED)
    return Session.objects.filter(Exists(told) | remarked, ended_at__lt=before)


def remove_texts(before: datetime) -> int:
    removed = 0
    while batch := list(old_texts(before).select_related("assignment__worker").order_by("pk")[:_AT_ONCE]):
        removed += _take_out_of(batch)
    return removed


def _take_out_of(sessions: Iterable[Session]) -> int:
    """Each in a transaction of its own, so that nobody waits long; how many."""
    done = 0
    for session in sessions:
        with transaction.atomic():
            take_out(session, person_of(session.assignment.worker).mentions)
        done += 1
    return done


def register_all() -> None:
    """Called once, when the app is ready."""
    privacy.register_eraser("sessions", erase, shut=shut_out)
    privacy.register_teller("sessions", tell_sessions)
    privacy.register_teller("commands", tell_commands)
    retention.register_old_text("session_texts", OldText(old_texts, remove_texts))
