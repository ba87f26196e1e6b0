"""How a session ends: handed in, or otherwise; and what is owed for it.

Handed in, it is an annotation like any other, and paid by the same path. Ended otherwise, the worker is owed the part
of the base pay that their time is of the minimum time, entered once. What must be met before it may be handed in is
here and nowhere else; the worker's page is told only whether it is.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from django.core import signing
from django.db import transaction

from annotation import leases, submissions
from annotation.budget import charge
from annotation.models import Assignment, Enrolment
from common.errors import Conflict
from interaction import deadlines, evaluation, paying
from interaction.commands import open_command
from interaction.log import Desk, locked
from interaction.models import Command, Session
from interaction.refusals import Refusal
from interaction.wakeups import of_process, ring_after_commit
from workforce.ledger import owe
from workforce.models import LedgerEntry

logger = logging.getLogger(__name__)
Reason = Session.Reason
SALT: Final = "crosswalk.session"
NOTED_AGAIN = timedelta(seconds=25)
"""How long a page that is there may go unnoted: it gives a sign every 15 seconds, and one in 10 seconds is noted."""
LEAST_JUDGED = 1
"""Commands that must have been judged; none in an evaluation, where no more may be given after its minutes."""
CENT = Decimal("0.01")
OWN_CHOICE = frozenset({Reason.LEFT, Reason.EXPIRED})
"""How a session ends by its worker's doing, or leaving be."""


def review(desk: Desk, command: Command | None) -> None:
    """Say whether the session may be handed in, where that has changed."""
    session = desk.session
    if session.ended_at is not None:
        return
    allowed = _meets_criteria(session, command, at=desk.at)
    if allowed != session.may_finish:
        session.may_finish = allowed
        desk.say("may_finish", {"allowed": allowed})


def _meets_criteria(session: Session, command: Command | None, *, at: datetime) -> bool:
    minimum = deadlines.minimum_from(session)
    if minimum is None or at < minimum or command is not None:
        return False
    return session.is_evaluation or Command.objects.filter(session=session).count() >= LEAST_JUDGED


def finish(desk: Desk) -> None:
    """Hand the session in.

    Raises:
        Refusal: the criteria are not met, or the worker has not said how it went.
    """
    session = desk.session
    review(desk, open_command(session))
    if not session.may_finish:
        raise Refusal("There is still something to do before this can be handed in.")
    if session.reflection is None:
        raise Refusal("Say first how it went.")
    assignment = session.assignment
    enrolment = _enrolment_of(session)
    answer = {"finished": signing.dumps(_summary(session, at=desk.at), salt=SALT, compress=True)}
    try:
        submissions.submit(
            enrolment=enrolment, assignment=assignment, answer=answer, active_s=session.elapsed_s(desk.at), at=desk.at
        )
    except Conflict:
        # The hold ended meanwhile and is somebody else's; the time is owed all the same.
        end(desk, Reason.EXPIRED)
        return
    # It may have been approved at once.
    session.refresh_from_db(fields=["bonus"])
    _close(desk, Reason.FINISHED)
    if session.is_evaluation:
        # Written first, so that this session is among those that are counted.
        session.save()
        evaluation.renew_metric(agent=session.agent, project=session.project, at=desk.at)


def _summary(session: Session, *, at: datetime) -> dict[str, object]:
    commands = Command.objects.filter(session=session)
    return {
        "session": session.public_id,
        "commands": commands.count(),
        "elapsed_s": session.elapsed_s(at),
        **(session.reflection or {}),
    }


def end(desk: Desk, reason: Reason) -> None:
    """End a session that is not handed in, and owe its worker their time. Locks: call with the session locked."""
    session = desk.session
    session.owed_s = _owed_s(session, reason, at=desk.at)
    _close(desk, reason)
    _pay_part(session, at=desk.at)
    if reason in {Reason.AGENT_LOST, Reason.STAFF}:
        paying.pay_expected(session, at=desk.at)
        # A hold that has just run out is given back already.
        with suppress(Conflict):
            leases.release(assignment=session.assignment, at=desk.at)


def end_session(pk: int, reason: Reason, *, at: datetime) -> bool:
    """The same by itself; False if it had ended before. Call in a transaction."""
    desk = Desk(locked(pk), at)
    if desk.session.ended_at is not None:
        return False
    end(desk, reason)
    desk.close()
    return True


def _close(desk: Desk, reason: Reason) -> None:
    session = desk.session
    session.ended_at, session.reason, session.due_at, session.asked = desk.at, reason, None, None
    desk.say("closed", {"reason": reason.value})
    if session.process_id is not None:
        ring_after_commit(of_process(session.process_id))


def _enrolment_of(session: Session) -> Enrolment:
    rows = Enrolment.objects.select_related("project__wording", "worker")
    return rows.get(project=session.project_id, worker=session.assignment.worker_id)


def _owed_s(session: Session, reason: Reason, *, at: datetime) -> float:
    """The worker's time, from the start of the clock to the last that was heard of them, at most the minimum time.

    Who leaves by themselves without having given a command has not worked, unless there was no agent to command.
    """
    could_work = session.process_id is not None
    if reason in OWN_CHOICE and could_work and not Command.objects.filter(session=session).exists():
        return 0.0
    # Whose hold ran out has shown no sign for a whole lease.
    unnoted = NOTED_AGAIN if session.worker_here and reason != Reason.EXPIRED else timedelta(0)
    last = min((session.worker_seen_at or at) + unnoted, at)
    return max(0.0, min(session.elapsed_s(last), float(session.minimum_s)))


def _pay_part(session: Session, *, at: datetime) -> None:
    project = session.project
    if not session.base_pay or not session.owed_s:
        return
    share = Decimal(session.owed_s) / Decimal(max(session.minimum_s, 1))
    amount = (session.base_pay * min(share, Decimal(1))).quantize(CENT, ROUND_HALF_UP)
    worker = session.assignment.worker
    reason = f"{paying.PART}{session.public_id}"
    if amount and owe(
        worker=worker,
        kind=LedgerEntry.Kind.PARTIAL,
        reason=reason,
        amount=amount,
        currency=project.currency,
        at=at,
        account=project.slug,
        inputs={"session": session.public_id, "seconds": session.owed_s, "minimum_s": session.minimum_s},
    ):
        charge(project, {worker.pk: amount})


@contextmanager
def one_session(pk: int) -> Iterator[None]:
    """What goes wrong with one session is written down, and keeps no other from being seen to."""
    try:
        yield
    except Exception:
        logger.exception("session.not_seen_to", extra={"session": pk})


def end_without_hold(*, at: datetime) -> int:
    """End sessions whose worker gave the task back, or whose lease ran out; how many. 1 query where there are none."""
    lost = Session.objects.unended().exclude(assignment__status=Assignment.Status.CLAIMED)
    ended = 0
    for pk, status in lost.values_list("pk", "assignment__status")[:100]:
        reason = Reason.EXPIRED if status == Assignment.Status.EXPIRED else Reason.LEFT
        with one_session(pk), transaction.atomic():
            ended += end_session(pk, reason, at=at)
    return ended
