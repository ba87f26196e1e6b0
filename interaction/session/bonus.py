"""The consequences of a decision on a session: its bonus is fixed, and its commands enter the corpus."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from django.db.models import Sum

from annotation.models import Annotation, Approval, Project
from annotation.pay.budget import BONUS, charge, most_for_one
from commands import corpora
from interaction import repair
from interaction.models import LiveCommand, Session
from interaction.session import score
from workforce.ledger import owe
from workforce.models import LedgerEntry, Worker

Decision = Approval.Decision
PART: Final = "partial:session:"
"""The prefix of the ledger reason for the time of a session that was not handed in; the public id follows."""
BONUS_OF_LOST: Final = "bonus:session:"
"""The same for the bonus of a session that lost its agent."""
RULE = "rule:session_lost"
"""The name that approves the bonus of a session that could not be handed in."""
NOT_REMEMBERED = frozenset({"few_letters", "numbers", "near_duplicate", "copied"})
"""Reasons for which a command did not count that also keep it out of the corpus."""


def decided(annotation: Annotation, approval: Approval, *, at: datetime) -> None:
    """Act on a decision about a session that was handed in, in its transaction; a repeat changes nothing.

    A softly rejected session is paid in full. Only commands of approved sessions enter the corpus that later commands
    are compared with, so that nobody lowers the earnings of others by sending nonsense. Tasks and reports made of the
    commands of rejected sessions are taken back.
    """
    session = Session.objects.select_for_update().get(assignment=annotation.assignment_id)
    # An approval has a reason only where it overturns a rejection.
    if approval.decision != Decision.APPROVED or approval.reason:
        repair.ask_to_reconsider(session)
    if approval.decision == Decision.REJECTED:
        return
    if session.bonus is None:
        _fix_bonus(session, annotation, by=approval.by, at=at)
    if approval.decision == Decision.APPROVED:
        remember(session, at=at)


def pay_expected(session: Session, *, at: datetime) -> None:
    """Owe the bonus of a session that could not be handed in through no fault of its worker. Call as it ends."""
    worker = session.assignment.worker
    _fix(session, worker, reason=f"{BONUS_OF_LOST}{session.public_id}", by=RULE, at=at)


def _fix_bonus(session: Session, annotation: Annotation, *, by: str, at: datetime) -> None:
    reason = f"{BONUS}{annotation.public_id}"
    _fix(session, annotation.worker, reason=reason, by=by, at=at)
    session.save(update_fields=["bonus"])


def _fix(session: Session, worker: Worker, *, reason: str, by: str, at: datetime) -> None:
    """Owe the expected bonus, approved already. The caller saves the session."""
    session.bonus = session.bonus_expected
    project = session.project
    if session.bonus and owe(
        worker=worker,
        kind=LedgerEntry.Kind.BONUS,
        reason=reason,
        amount=session.bonus,
        currency=project.currency,
        at=at,
        account=project.slug,
        inputs=score.inputs_of(session),
        state=LedgerEntry.State.APPROVED,
        by=by,
    ):
        charge(project, {worker.pk: session.bonus})


def remember(session: Session, *, at: datetime) -> None:
    """Enter the session's valid commands into its corpus, each once.

    Copies of commands and texts without words are left out. Unknown words may be of another language, so they are
    entered.
    """
    corpus = score.corpus_of(session)
    if corpus is None:
        return
    rows = LiveCommand.objects.filter(session=session, command__fault="").order_by("seq")
    commands = [
        (text, pk)
        for text, pk, scores in rows.values_list("command__text", "pk", "scores")
        if not scores or scores["why"] not in NOT_REMEMBERED
    ]
    corpora.enter(slug=corpus, texts=commands, at=at)


def expected_bonuses(annotations: Sequence[Annotation]) -> dict[int, Decimal]:
    """The expected bonus of each of these, by the id of the annotation; only those that expect one. 1 query."""
    sessions = Session.objects.filter(assignment__in=[one.assignment_id for one in annotations], bonus=None)
    expected = dict(sessions.exclude(bonus_expected=0).values_list("assignment", "bonus_expected"))
    return {one.pk: expected[one.assignment_id] for one in annotations if one.assignment_id in expected}


def open_bonus(project: Project) -> Decimal:
    """The money that may still be owed for sessions above the base pay. 2 queries.

    This is the expected bonus of sessions that wait for a decision, and for sessions that go on the part of their
    promise that exceeds the present promise of the project.
    """
    waiting = Session.objects.filter(project=project, reason=Session.Reason.FINISHED, bonus=None)
    undecided = waiting.exclude(assignment__annotation__approval__decision=Decision.REJECTED)
    expected = Decimal(undecided.aggregate(total=Sum("bonus_expected"))["total"] or 0)
    present = most_for_one(project)
    going_on = Session.objects.unended().filter(project=project).values_list("base_pay", "stoplight")
    return expected + sum((max(_promised(*one) - present, Decimal(0)) for one in going_on), Decimal(0))


def _promised(base_pay: Decimal | None, stoplight: dict[str, Any] | None) -> Decimal:
    """The most that a session may cost under the terms with which it began."""
    return (base_pay or Decimal(0)) + (Decimal(stoplight["most"]) if stoplight else Decimal(0))
