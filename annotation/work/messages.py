"""The messages to a worker in a project, in one list: notices, pauses, decisions, corrections and failed payments."""

from datetime import datetime
from decimal import Decimal
from typing import Literal, NamedTuple

from django.db.models import Sum

from annotation.models import Enrolment, GateAction
from annotation.pay.approvals import decisions_for
from annotation.quality.gates import words_of
from common.data.values import money
from workforce.models import LedgerEntry

MOST = 50
"""The number of messages that a worker is shown, the newest ones."""
Kind = Literal["notice", "pause", "not_paid", "not_used", "correction", "failed"]
State = LedgerEntry.State


class Message(NamedTuple):
    """One message.

    Attributes:
        kind: Its kind.
        at: When it was told; of a notice, when the worker closed it.
        text: What it says, in the words that the worker got.
        answer: The id of the answer that it is about, or "".
    """

    kind: Kind
    at: datetime
    text: str
    answer: str


def messages_for(enrolment: Enrolment) -> list[Message]:
    """The newest messages first. A notice that the worker has not closed is not among them: it stands on the work page.

    4 queries.
    """
    found = [*_notices(enrolment), *_decisions(enrolment), *_money(enrolment)]
    return sorted(found, key=lambda message: message.at, reverse=True)[:MOST]


def _notices(enrolment: Enrolment) -> list[Message]:
    messages: list[Message] = []
    for action in enrolment.gate_actions.order_by("-pk")[:MOST]:
        if action.action == GateAction.Action.PAUSE:
            messages.append(Message("pause", action.at, "We paused your work on this project.", ""))
        # When a gate acted is not told of a warning: only when it was read.
        if action.seen_at is not None:
            messages.append(Message("notice", action.seen_at, words_of(action), ""))
    return messages


def _decisions(enrolment: Enrolment) -> list[Message]:
    return [
        Message("not_used" if one["paid"] else "not_paid", one["at"], one["reason"], one["annotation"])
        for one in decisions_for(enrolment)
    ]


def _money(enrolment: Enrolment) -> list[Message]:
    """Corrections, and payments that failed, each with the words of whoever made it. One payment pays many entries."""
    entries = LedgerEntry.objects.filter(worker=enrolment.worker_id, account=enrolment.project.slug)
    failed = entries.filter(state=State.FAILED).order_by("-state_at").values_list("state_at", "note", "currency")
    corrections = entries.filter(kind=LedgerEntry.Kind.CORRECTION).exclude(state=State.FAILED).order_by("-at", "-pk")
    return [
        Message("failed", at, f"{_words_of(total, currency)}. {note}".strip(), "")
        for at, note, currency, total in failed.annotate(total=Sum("amount"))[:MOST]
    ] + [
        Message("correction", entry.at, f"{_words_of(entry.amount, entry.currency)}. {entry.note}".strip(), "")
        for entry in corrections[:MOST]
    ]


def _words_of(amount: Decimal, currency: str) -> str:
    return f"{'−' if amount < 0 else '+'}{money(abs(amount), currency)['amount']} {currency}"
