"""Requests to post a command as an episode. A repeated request changes nothing."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from django.db import transaction

from common.redaction import REMOVED
from interaction.models import LiveCommand, Posting, Session
from jobs.outbox import enqueue
from lib.faults import Conflict, Fault, Invalid

RECORD: Final = "interaction.record"
CONTEXT_S: Final = 5.0
MOST_CONTEXT_S: Final = 60.0


class EpisodeRequest(NamedTuple):
    """A command (its number within the session, from 1) and the scenario to post it at; see `Posting`."""

    command: int
    suite: str
    scenario: str
    continuation: int | None = None
    context_s: float = CONTEXT_S


def request_episode(
    session: Session, wanted: EpisodeRequest, *, by: str, at: datetime, scenario_faults: Sequence[Fault] = ()
) -> Posting:
    """Queue the film of a command to be made and posted; returns the known posting for a request that is repeated.

    A posting that failed is queued again with the values of this request.

    Args:
        scenario_faults: Faults that the caller found in the wanted scenario (`evaluation.suites.scenario_faults`).

    Raises:
        Conflict: the session goes on, its words were erased, or the command was posted with other values.
        Invalid: there is no such command, or `scenario_faults` are given.
    """
    if session.ended_at is None:
        raise Conflict("The session goes on: its commands can be posted when it has ended.")
    with transaction.atomic():
        # A second request at the same time waits here, and then finds the posting that this one wrote.
        Session.objects.select_for_update().only("pk").get(pk=session.pk)
        live = _command(session, wanted, scenario_faults)
        known = Posting.objects.filter(live=live).first()
        if known is not None and known.status != Posting.Status.FAILED:
            return _same_again(known, wanted)
        if live.command.text == REMOVED:
            raise Conflict("What was said in this session was taken away: nobody could judge this command.")
        posting, _ = Posting.objects.update_or_create(
            live=live,
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


def _command(session: Session, wanted: EpisodeRequest, scenario_faults: Sequence[Fault]) -> LiveCommand:
    """The command of that number, where neither it nor the scenario has a fault. 1 query."""
    faults = [*scenario_faults]
    rows = LiveCommand.objects.filter(session=session).select_related("command").order_by("seq")
    given = list(rows[: wanted.command])
    if len(given) < wanted.command:
        faults = [Fault("#/command", f"The session has {len(given)} commands."), *faults]
    if faults:
        raise Invalid(faults=faults)
    return given[-1]


def _same_again(known: Posting, wanted: EpisodeRequest) -> Posting:
    same = (known.suite, known.scenario, known.context_s) == (wanted.suite, wanted.scenario, wanted.context_s)
    # A request without a continuation accepts the one that was given to the posting.
    if not same or wanted.continuation not in (None, known.continuation):
        raise Conflict(
            f"This command is posted as {known.episode} already, at the scenario {known.scenario!r} of "
            f"{known.suite!r}; an episode is not changed."
        )
    return known
