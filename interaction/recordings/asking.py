"""Asking for a command to be posted as an episode: once, harmless to repeat."""

from datetime import datetime
from typing import Final, NamedTuple

from django.db import transaction

from common.errors import Conflict, Fault, Invalid
from common.mentions import REMOVED
from interaction.models import Command, Posting, Session
from interaction.recordings.posting import poster
from jobs.outbox import enqueue

RECORD: Final = "interaction.record"
CONTEXT_S: Final = 5.0
MOST_CONTEXT_S: Final = 60.0


class Wanted(NamedTuple):
    """Which command (its number within the session, from 1), at which scenario; see `Posting`."""

    command: int
    suite: str
    scenario: str
    continuation: int | None = None
    context_s: float = CONTEXT_S


def ask_for(session: Session, wanted: Wanted, *, by: str, at: datetime) -> Posting:
    """Have the film of a command made and posted; the same again where that was asked before.

    A posting that failed is tried anew, with what is asked for now.

    Raises:
        Conflict: the session goes on, its words were taken away, or the command was asked for otherwise.
        Invalid: there is no such command or scenario.
    """
    if session.ended_at is None:
        raise Conflict("The session goes on: its commands can be posted when it has ended.")
    with transaction.atomic():
        # Whoever asks at the same time waits here, and finds what this one wrote.
        Session.objects.select_for_update().only("pk").get(pk=session.pk)
        command = _command(session, wanted)
        known = Posting.objects.filter(command=command).first()
        if known is not None and known.status != Posting.Status.FAILED:
            return _same_again(known, wanted)
        if command.text == REMOVED:
            raise Conflict("What was said in this session was taken away: nobody could judge this command.")
        posting, _ = Posting.objects.update_or_create(
            command=command,
            defaults={
                "number": wanted.command,
                "suite": wanted.suite,
                "scenario": wanted.scenario,
                "continuation": wanted.continuation,
                "context_s": wanted.context_s,
                "episode": f"session-{session.public_id}-{wanted.command}",
                "status": Posting.Status.QUEUED,
                "problem": "",
                "asked_by": by,
                "asked_at": at,
            },
        )
        enqueue(RECORD, str(posting.pk), unique_key=f"{RECORD}:{posting.pk}")
    return posting


def _command(session: Session, wanted: Wanted) -> Command:
    """The command of that number, where both it and the scenario are there. 2 queries."""
    faults = poster().faults(wanted.suite, wanted.scenario)
    given = list(Command.objects.filter(session=session).order_by("seq")[: wanted.command])
    if len(given) < wanted.command:
        faults = [Fault("#/command", f"The session has {len(given)} commands."), *faults]
    if faults:
        raise Invalid(faults=faults)
    return given[-1]


def _same_again(known: Posting, wanted: Wanted) -> Posting:
    same = (known.suite, known.scenario, known.context_s) == (wanted.suite, wanted.scenario, wanted.context_s)
    # Left out, it is whatever it became.
    if not same or wanted.continuation not in (None, known.continuation):
        raise Conflict(
            f"This command is posted as {known.episode} already, at the scenario {known.scenario!r} of "
            f"{known.suite!r}; an episode is not changed."
        )
    return known
