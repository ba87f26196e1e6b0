"""Ending a session: handed in by its worker, or ended otherwise with partial pay.

A session that is handed in becomes an annotation and is paid like any other. Otherwise the worker is owed once the
share of the base pay that their time is of the minimum time. The criteria for handing in are in this module and nowhere
else; the worker's page is sent only whether they are met.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from django.core import signing
from django.db import transaction

from annotation.models import Assignment, Enrolment
from annotation.pay.budget import charge
from annotation.work import leases, submissions
from events.log import Happened, note
from interaction.models import LiveCommand, Session
from interaction.session import bonus, deadlines, measuring
from interaction.session.commands import open_command
from interaction.session.event_log import SessionWrite, locked
from interaction.session.refusals import Refusal
from interaction.wakeups import of_process, publish_after_commit
from lib.faults import Conflict
from workforce.ledger import owe
from workforce.models import LedgerEntry

logger = logging.getLogger(__name__)
Reason = Session.Reason
SALT: Final = "crosswalk.session"
NOTED_AGAIN = timedelta(seconds=25)
"""How long after `worker_seen_at` an open page may still have been there: it pings every 15 seconds, and one ping in
10 seconds is noted.
"""
LEAST_JUDGED = 1
"""The least number of judged commands. An evaluation needs none, since its minutes end the commands."""
CENT = Decimal("0.01")
OWN_CHOICE = frozenset({Reason.LEFT, Reason.EXPIRED})
"""Ends that the worker chose, or let happen by doing nothing."""


def review(write: SessionWrite, live: LiveCommand | None) -> None:
    """Tell the worker whether the session may be handed in, where that has changed."""
    session = write.session
    if session.ended_at is not None:
        return
    allowed = _meets_criteria(session, live, at=write.at)
    if allowed != session.may_finish:
        session.may_finish = allowed
        write.add_from_server("may_finish", {"allowed": allowed})


def _meets_criteria(session: Session, live: LiveCommand | None, *, at: datetime) -> bool:
    minimum = deadlines.minimum_from(session)
    if minimum is None or at < minimum or live is not None:
        return False
    return session.is_evaluation or LiveCommand.objects.filter(session=session).count() >= LEAST_JUDGED


def finish(write: SessionWrite) -> None:
    """Hand the session in.

    Raises:
        Refusal: the criteria are not met, or the worker has not reflected on it yet.
    """
    session = write.session
    review(write, open_command(session))
    if not session.may_finish:
        raise Refusal("There is still something to do before this can be handed in.")
    if session.reflection is None:
        raise Refusal("Say first how it went.")
    assignment = session.assignment
    enrolment = _enrolment_of(session)
    answer = {"finished": signing.dumps(_summary(session, at=write.at), salt=SALT, compress=True)}
    try:
        submissions.submit(
            enrolment=enrolment, assignment=assignment, answer=answer, active_s=session.elapsed_s(write.at), at=write.at
        )
    except Conflict:
        # The lease ended meanwhile and another worker has the task; the time is owed all the same.
        end(write, Reason.EXPIRED)
        return
    # The project may have approved it at once, which fixes the bonus.
    session.refresh_from_db(fields=["bonus"])
    _close(write, Reason.FINISHED)
    if session.is_evaluation:
        # Saved first, so that the metric counts this session.
        session.save()
        measuring.renew_metric(agent=session.agent, project=session.project, at=write.at)


def _summary(session: Session, *, at: datetime) -> dict[str, object]:
    commands = LiveCommand.objects.filter(session=session)
    return {
        "session": session.public_id,
        "commands": commands.count(),
        "elapsed_s": session.elapsed_s(at),
        **(session.reflection or {}),
    }


def end(write: SessionWrite, reason: Reason) -> None:
    """End a session that is not handed in, and owe its worker their time. Locks: call with the session locked."""
    session = write.session
    session.owed_s = _owed_s(session, reason, at=write.at)
    _close(write, reason)
    _pay_part(session, at=write.at)
    if reason in {Reason.AGENT_LOST, Reason.STAFF}:
        bonus.pay_expected(session, at=write.at)
        # A lease that has just run out is released already.
        with suppress(Conflict):
            leases.release(assignment=session.assignment, at=write.at)


def end_session(pk: int, reason: Reason, *, at: datetime) -> bool:
    """`end` in a write of its own; False if the session had ended before. Call in a transaction."""
    write = SessionWrite(locked(pk), at)
    if write.session.ended_at is not None:
        return False
    end(write, reason)
    write.save()
    return True


def _close(write: SessionWrite, reason: Reason) -> None:
    session = write.session
    session.ended_at, session.reason, session.due_at, session.asked = write.at, reason, None, None
    write.add_from_server("closed", {"reason": reason.value})
    names = {"project": session.project.slug, "agent": session.agent.slug}
    data = {"session": session.public_id, **names, "reason": reason.value}
    note(Happened("session.finished", session.public_id, data, project=session.project.slug), at=write.at)
    if session.process_id is not None:
        publish_after_commit(of_process(session.process_id))


def _enrolment_of(session: Session) -> Enrolment:
    rows = Enrolment.objects.select_related("project__instruction_version", "worker")
    return rows.get(project=session.project_id, worker=session.assignment.worker_id)


def _owed_s(session: Session, reason: Reason, *, at: datetime) -> float:
    """The worker's seconds, from the start of the clock to their last sign of life, at most the minimum time.

    A worker who leaves without having given a command has not worked, unless there was no agent to command.
    """
    could_work = session.process_id is not None
    if reason in OWN_CHOICE and could_work and not LiveCommand.objects.filter(session=session).exists():
        return 0.0
    # If the lease ran out, the page showed no sign of life for a whole lease.
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
    reason = f"{bonus.PART}{session.public_id}"
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
def log_errors_of(pk: int) -> Iterator[None]:
    """Log an error with one session, so that the other sessions are still served."""
    try:
        yield
    except Exception:
        logger.exception("session.failed", extra={"session": pk})


def end_without_hold(*, at: datetime) -> int:
    """End sessions whose worker gave the task back, or whose lease ran out; how many. 1 query where there are none."""
    lost = Session.objects.unended().exclude(assignment__status=Assignment.Status.CLAIMED)
    ended = 0
    for pk, status in lost.values_list("pk", "assignment__status")[:100]:
        reason = Reason.EXPIRED if status == Assignment.Status.EXPIRED else Reason.LEFT
        with log_errors_of(pk), transaction.atomic():
            ended += end_session(pk, reason, at=at)
    return ended
