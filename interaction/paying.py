"""What follows when a session that was handed in is decided on: its bonus is fixed, and its commands are remembered."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from django.db.models import Sum

from annotation.budget import BONUS, charge, most_for_one
from annotation.models import Annotation, Approval, Project
from interaction import cases, corpora, scoring
from interaction.models import Command, Session
from interaction.project_settings import TOOL
from workforce.ledger import owe
from workforce.models import LedgerEntry, Worker

Decision = Approval.Decision
PART: Final = "partial:session:"
"""How the reason begins of what is owed for the time of a session that was not handed in; its public id follows."""
BONUS_OF_LOST: Final = "bonus:session:"
"""The same for the bonus of a session that lost its agent."""
RULE = "rule:session_lost"
"""Who approves the bonus of a session that could not be handed in."""
NOT_REMEMBERED = frozenset({"few_letters", "numbers", "near_duplicate", "copied"})
"""Why a command did not count that teaches nothing either."""


def decided(annotation: Annotation, approval: Approval, at: datetime) -> None:
    """Listens to every decision, in its transaction; a repeat changes nothing.

    Soft rejection is paid in full. Only commands of approved sessions are what later ones are compared with: nobody
    lowers what others earn by sending anything at all. What was made of the commands of other sessions is taken back.
    """
    if annotation.project.tool != TOOL:
        return
    session = Session.objects.select_for_update().get(assignment=annotation.assignment_id)
    # Of what is approved, only an overturned rejection has a reason.
    if approval.decision != Decision.APPROVED or approval.reason:
        cases.ask_anew(session)
    if approval.decision == Decision.REJECTED:
        return
    if session.bonus is None:
        _fix_bonus(session, annotation, by=approval.by, at=at)
    if approval.decision == Decision.APPROVED:
        remember(session, at=at)


def pay_expected(session: Session, *, at: datetime) -> None:
    """Owe the bonus of a session that could not be handed in, through no fault of its worker. Call as it ends."""
    worker = session.assignment.worker
    _fix(session, worker, reason=f"{BONUS_OF_LOST}{session.public_id}", by=RULE, at=at)


def _fix_bonus(session: Session, annotation: Annotation, *, by: str, at: datetime) -> None:
    reason = f"{BONUS}{annotation.public_id}"
    _fix(session, annotation.worker, reason=reason, by=by, at=at)
    session.save(update_fields=["bonus"])


def _fix(session: Session, worker: Worker, *, reason: str, by: str, at: datetime) -> None:
    """Owe the bonus as it stands; nobody needs to decide on it any more. The caller saves the session."""
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
        inputs=scoring.inputs_of(session),
        state=LedgerEntry.State.APPROVED,
        by=by,
    ):
        charge(project, {worker.pk: session.bonus})


def remember(session: Session, *, at: datetime) -> None:
    """Enter the session's valid commands into its corpus, each once; but no copies of the worker's own or of others',
    and what is no words. What nobody knows may be words of another language."""
    corpus = scoring.corpus_of(session)
    if corpus is None:
        return
    rows = Command.objects.filter(session=session, fault="").order_by("seq").values_list("text", "pk", "scores")
    commands = [(text, pk) for text, pk, scores in rows if not scores or scores["why"] not in NOT_REMEMBERED]
    corpora.enter(slug=corpus, texts=commands, at=at)


def expected_bonuses(annotations: Sequence[Annotation]) -> dict[int, Decimal]:
    """What these would earn above their base pay, by the ids of the annotations. 1 query."""
    sessions = Session.objects.filter(assignment__in=[one.assignment_id for one in annotations], bonus=None)
    expected = dict(sessions.exclude(bonus_expected=0).values_list("assignment", "bonus_expected"))
    return {one.pk: expected[one.assignment_id] for one in annotations if one.assignment_id in expected}


def open_bonus(project: Project) -> Decimal:
    """What sessions that wait for a decision are to earn above their base pay, and what was promised to those that go
    on beyond what a session may earn now. 2 queries."""
    waiting = Session.objects.filter(project=project, reason=Session.Reason.FINISHED, bonus=None)
    undecided = waiting.exclude(assignment__annotation__approval__decision=Decision.REJECTED)
    expected = Decimal(undecided.aggregate(total=Sum("bonus_expected"))["total"] or 0)
    present = most_for_one(project)
    going_on = Session.objects.unended().filter(project=project).values_list("base_pay", "stoplight")
    return expected + sum((max(_promised(*one) - present, Decimal(0)) for one in going_on), Decimal(0))


def _promised(base_pay: Decimal | None, stoplight: dict[str, Any] | None) -> Decimal:
    """The most that a session may cost by what it began with."""
    return (base_pay or Decimal(0)) + (Decimal(stoplight["most"]) if stoplight else Decimal(0))
