"""Pauses of a gate: appeals of workers, decisions of people, and evidence that changed."""

from datetime import datetime
from typing import ClassVar

from django.db import transaction
from django.db.models import QuerySet

from annotation.flagged_texts import flag_text
from annotation.models import Enrolment, GateAction, Project, Task
from audit.changes import changes
from audit.log import record
from lib.faults import Conflict, Invalid
from workforce.blocking import subject_of

MOST_CHARACTERS = 2000
"""The most characters of an appeal, and of a decision's reason."""


class AlreadyAppealed(Conflict):
    """The worker has appealed against this pause before."""

    code: ClassVar[str] = "already_appealed"
    sentence = "You have asked us to look again already. What we find will be on this page."


class NotPaused(Conflict):
    """A decision or an appeal came after the pause was lifted."""

    code: ClassVar[str] = "not_paused"
    sentence = "This pause is over already."


def current_pause(enrolment: Enrolment) -> GateAction | None:
    """The pause that keeps the worker from claiming now. 1 query."""
    return enrolment.gate_actions.pauses().current().first()


def waiting(projects: QuerySet[Project]) -> QuerySet[GateAction]:
    """Pauses in these projects that a person must look at: undecided, appealed, or with evidence that has changed."""
    return GateAction.objects.waiting().filter(enrolment__project__in=projects)


def appeal(*, action: GateAction, text: str, at: datetime) -> None:
    """Save the worker's appeal, one for each pause; a decision made before is open again.

    Raises:
        Invalid: no text, or more than `MOST_CHARACTERS`.
        AlreadyAppealed, NotPaused
    """
    text = _needed(text, "#/text", "Please write what we should look at.")
    with transaction.atomic():
        undecided = {"decision": "", "decided_at": None, "decided_by": "", "decision_reason": ""}
        standing = GateAction.objects.pauses().current().filter(pk=action.pk)
        before = standing.select_for_update().values_list("decision", flat=True).first()
        if not standing.filter(appealed_at=None).update(appeal=text, appealed_at=at, **undecided):
            raise NotPaused if before is None else AlreadyAppealed
        changed = changes({"appealed": False, "decision": before}, {"appealed": True, "decision": ""})
        flag_text(action, text=text, project_id=action.enrolment.project_id, at=at)
        # The words stay with the pause alone: there they can be redacted.
        _note(action, verb="gate.appealed", by=f"worker:{action.enrolment.worker_id}", reason="", at=at, **changed)


def lift(*, action: GateAction, by: str, reason: str, at: datetime) -> None:
    """Let the worker claim again; their history begins again. The worker reads the reason.

    Raises:
        Invalid: no reason.
        NotPaused: it was lifted before.
    """
    _decide(action, GateAction.Decision.LIFTED, verb="gate.lifted", by=by, reason=reason, at=at, lifted_at=at)


def uphold(*, action: GateAction, by: str, reason: str, at: datetime) -> None:
    """Leave the pause as it is. The worker reads the reason, and may appeal if they have not yet.

    Raises:
        Invalid: no reason.
        NotPaused: it was lifted before.
    """
    _decide(action, GateAction.Decision.UPHELD, verb="gate.upheld", by=by, reason=reason, at=at)


def _decide(
    action: GateAction,
    decision: GateAction.Decision,
    *,
    verb: str,
    by: str,
    reason: str,
    at: datetime,
    lifted_at: datetime | None = None,
) -> None:
    reason = _needed(reason, "#/reason", "A decision needs a reason that the worker can read.")
    with transaction.atomic():
        standing = GateAction.objects.pauses().current().filter(pk=action.pk)
        before = standing.select_for_update().values_list("decision", flat=True).first()
        if before is None:
            raise NotPaused
        decided = {"decision": decision, "decided_at": at, "decided_by": by, "decision_reason": reason}
        standing.update(**decided, lifted_at=lifted_at, questioned_at=None)
        after = {"decision": decision.value, "paused": lifted_at is None}
        changed = changes({"decision": before, "paused": True}, after)
        _note(action, verb=verb, by=by, reason=reason, at=at, **changed)
    action.refresh_from_db()


def _needed(text: str, pointer: str, missing: str) -> str:
    text = text.strip()
    if not text:
        raise Invalid.at(pointer, missing)
    if len(text) > MOST_CHARACTERS:
        raise Invalid.at(pointer, f"At most {MOST_CHARACTERS} characters; these are {len(text)}.")
    return text


def _note(action: GateAction, *, verb: str, by: str, reason: str, at: datetime, **detail: object) -> None:
    enrolment = action.enrolment
    record(
        verb=verb,
        actor=by,
        subject=subject_of(enrolment.worker),
        project=enrolment.project.slug,
        reason=reason,
        at=at,
        gate_action=action.pk,
        **detail,
    )


# Evidence that changed -----------------------------------------------------------------------------------------


def resting_on(reference: Task) -> list[GateAction]:
    """The warnings and pauses whose evidence names this reference, newest first. 1 query."""
    answered = reference.annotations.values("worker")
    possible = GateAction.objects.filter(enrolment__project=reference.project_id, enrolment__worker__in=answered)
    rows = possible.select_related("enrolment__worker", "enrolment__project").order_by("-pk")
    return [row for row in rows if any(one["task"] == reference.pk for one in row.evidence["answers"])]


def question_pauses(*, reference: Task, by: str, reason: str, at: datetime) -> int:
    """Mark each current pause that rests on a corrected or retired reference, so that a person looks at it again.

    No pause is lifted by this. Call in the transaction that changes the reference.

    Returns:
        The number of marked pauses.
    """
    standing = [action for action in resting_on(reference) if action.is_current_pause]
    GateAction.objects.filter(pk__in=[action.pk for action in standing]).update(questioned_at=at)
    for action in standing:
        changed = changes({"questioned": action.questioned_at is not None}, {"questioned": True})
        _note(action, verb="gate.questioned", by=by, reason=reason, at=at, reference=reference.key, **changed)
    return len(standing)
