"""Taking a candidate as a scenario of its suite, or refusing it."""

from datetime import datetime

from django.db import transaction

from audit.log import Subject, record
from evaluation.models import Candidate, Scenario, Suite
from evaluation.suites import ScenarioBody, put_scenario
from lib.faults import Conflict, Fault, Invalid, NotFound


def candidate_of(suite: Suite, pk: int) -> Candidate:
    """The candidate of this suite. Raises NotFound. 1 query."""
    found = suite.candidates.filter(pk=pk).select_related("episode").first()
    if found is None:
        raise NotFound
    return found


def take(candidate: Candidate, *, key: str, body: ScenarioBody, by: str, at: datetime) -> Scenario:
    """Make a scenario of the candidate, in the words of the body.

    Raises:
        Conflict: somebody has decided already, the suite is archived, or there is a scenario with this key.
    """
    with transaction.atomic():
        _lock(candidate)
        scenario, is_new = put_scenario(suite=candidate.suite, key=key, body=body, by=by, at=at)
        if not is_new:
            # This undoes what was put: another request may have made the scenario a moment ago.
            raise Conflict(faults=[Fault("#/key", "There is a scenario of this name already. Choose another.")])
        candidate.scenario = scenario
        _decide(candidate, Candidate.State.TAKEN, reason="", by=by, at=at)
    return scenario


def refuse(candidate: Candidate, *, reason: str, by: str, at: datetime) -> None:
    """Keep the candidate out of the suite, with a reason.

    Raises:
        Invalid: there is no reason.
        Conflict: somebody has decided already.
    """
    if not reason:
        raise Invalid.at("#/reason", "Say why this is no scenario.")
    with transaction.atomic():
        _lock(candidate)
        _decide(candidate, Candidate.State.REFUSED, reason=reason, by=by, at=at)


def _lock(candidate: Candidate) -> None:
    locked = Candidate.objects.select_for_update().get(pk=candidate.pk)
    if locked.state != Candidate.State.WAITING:
        raise Conflict(f"This candidate was {locked.state} already, by {locked.decided_by}.")


def _decide(candidate: Candidate, state: Candidate.State, *, reason: str, by: str, at: datetime) -> None:
    candidate.state, candidate.reason, candidate.decided_by, candidate.decided_at = state, reason, by, at
    candidate.save(update_fields=["state", "reason", "decided_by", "decided_at", "scenario"])
    record(
        verb=f"candidate.{state}",
        actor=by,
        subject=Subject("suite", candidate.suite.slug),
        at=at,
        candidate=f"{candidate.kind} {candidate.source}",
        scenario=candidate.scenario.key if candidate.scenario else None,
        reason=reason,
    )
