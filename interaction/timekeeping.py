"""What time brings about in sessions, with nobody sending anything: looked at once a second by every server process.

Each look is one transaction that reads the session anew, so it does not matter how many processes look.
"""

import logging
from datetime import datetime

from django.db import transaction

from interaction import deadlines, finishing, matching
from interaction.commands import fail, open_command
from interaction.log import Desk, locked
from interaction.models import Session

logger = logging.getLogger(__name__)
MOST_AT_ONCE = 200


def tick(*, at: datetime) -> None:
    """See to everything that is due. 5 queries where nothing is."""
    matching.release_lost(at=at)
    finishing.end_without_hold(at=at)
    due = Session.objects.unended().filter(due_at__lte=at).order_by("due_at")
    for pk in due.values_list("pk", flat=True)[:MOST_AT_ONCE]:
        with finishing.one_session(pk), transaction.atomic():
            look_at(locked(pk), at=at)
    matching.match_all(at=at)


def look_at(session: Session, *, at: datetime) -> None:
    """See to what is due in one session. Locks: call with it locked."""
    if session.ended_at is not None:
        return
    desk = Desk(session, at)
    command = open_command(session)
    if command is not None and not command.is_over and deadlines.silent_from(session, command) <= at:
        reason = "no_agent" if session.process_id is None else "silent"
        logger.warning("session.agent_silent", extra={"session": session.pk, "command": command.pk})
        fail(desk, command, reason=reason)
    alone = deadlines.alone_from(session)
    if alone is not None and alone <= at:
        finishing.end(desk, Session.Reason.AGENT_LOST)
    minimum = deadlines.minimum_from(session)
    if minimum is not None and minimum <= at:
        finishing.review(desk, open_command(session))
    session.due_at = deadlines.next_due(session, open_command(session), at=at)
    desk.close()
