"""A reviewer's decisions about a task: an answer by one person or by two, closing, one more answer, or no change.

Every function locks the project's row first, as the submission of an answer does, so that no answer settles the task
at the same time. Every function records an audit event.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from annotation.consensus import consensus
from annotation.models import Adjudication, Annotation, Assignment, Consensus, Project, Task
from annotation.tool_registry import tool_named
from annotation.work.submissions import check_answer
from audit.changes import changes
from audit.log import Subject, record
from lib.faults import Conflict, Invalid

Status = Adjudication.Status
MOST_LETTERS = 2000
"""Most characters of a reason."""


class SamePerson(Conflict):
    """The person who proposed an adjudication decides on it; a second person must."""

    code, title = "same_person", "A second person is needed"
    sentence = "You proposed this answer, so another reviewer confirms or refuses it. You can take it back."


class NothingProposed(Conflict):
    """A second person decides on a proposal that was decided or replaced before."""

    code, title = "nothing_proposed", "Nothing is proposed"
    sentence = "This proposal is not there any more: somebody decided on it, or proposed another answer."


class IsReference(Conflict):
    """A reference cannot be adjudicated, because its truth is known."""

    code, title = "is_reference", "This is a reference"
    sentence = "This task is a reference, so it has a truth and no consensus. Correct or retire it on its own page."


def adjudicate(*, task: Task, answer: Any, reason: str, by: User, at: datetime) -> Adjudication:
    """Answer the task; where the project has the two-person rule, propose the answer.

    An earlier proposal is replaced at once; an earlier adjudication is replaced when the new one takes effect.

    Raises:
        Invalid: there is no reason, or the tool refuses the answer, with pointers below `#/answer`.
        ValidationError: the answer does not have the tool's form.
        IsReference
    """
    if task.is_reference:
        raise IsReference
    why = checked_reason(reason)
    checked = check_answer(tool_named(task.project.tool), task, answer)
    with transaction.atomic():
        task = locked(task)
        before = _shown(task)
        _in_force(task).filter(status=Status.PROPOSED).update(status=Status.REPLACED)
        is_proposal = task.project.two_person_review
        if not is_proposal:
            _replace_adjudication(task)
        made = Adjudication.objects.create(
            task=task,
            answer=checked,
            reason=why,
            status=Status.PROPOSED if is_proposal else Status.STANDING,
            by=by,
            at=at,
        )
        if not is_proposal:
            _put_in_force(made, at=at)
        verb = "task.adjudication_proposed" if is_proposal else "task.adjudicated"
        _audit(verb, task, before, by=by, reason=why, at=at, answer=checked, adjudication=made.pk)
    return made


def confirm(*, adjudication: Adjudication, by: User, at: datetime, reason: str = "") -> None:
    """Confirm a proposal as the second person: from now on its answer counts.

    Raises:
        SamePerson, NothingProposed
    """
    with transaction.atomic():
        task = locked(adjudication.task)
        before = _shown(task)
        _replace_adjudication(task)
        _close_proposal(adjudication, Status.STANDING, by=by, reason=reason.strip()[:MOST_LETTERS], at=at)
        _put_in_force(adjudication, at=at)
        _audit(
            "task.adjudication_confirmed",
            task,
            before,
            by=by,
            reason=reason.strip(),
            at=at,
            answer=adjudication.answer,
            adjudication=adjudication.pk,
        )


def refuse(*, adjudication: Adjudication, by: User, reason: str, at: datetime) -> None:
    """Refuse a proposal as the second person, with a reason; the task waits for review as before.

    Raises:
        Invalid: there is no reason.
        SamePerson, NothingProposed
    """
    why = checked_reason(reason)
    with transaction.atomic():
        task = locked(adjudication.task)
        before = _shown(task)
        _close_proposal(adjudication, Status.REFUSED, by=by, reason=why, at=at)
        _audit("task.adjudication_refused", task, before, by=by, reason=why, at=at, adjudication=adjudication.pk)


def take_back(*, task: Task, by: User, reason: str, at: datetime) -> None:
    """Withdraw the proposal, or else the adjudication in force; then the annotations decide the task again.

    Raises:
        Invalid: there is no reason.
        NothingProposed: there is neither.
    """
    why = checked_reason(reason)
    with transaction.atomic():
        task = locked(task)
        found = _in_force(task).order_by("status").first()  # "proposed" comes before "standing"
        if found is None:
            raise NothingProposed("There is no adjudication of this task to take back.")
        before, was = _shown(task), found.status
        Adjudication.objects.filter(pk=found.pk).update(status=Status.REPLACED)
        if was == Status.STANDING:
            consensus.drop_adjudicated(task=task, at=at)
        detail = {"adjudication": found.pk, "was": was}
        _audit("task.adjudication_taken_back", task, before, by=by, reason=why, at=at, **detail)


def close(*, task: Task, reason: str, by: User, at: datetime) -> None:
    """Close the task as not judgeable: it leaves the ranking, is counted apart, and no worker gets it again.

    A repeat changes nothing.

    Raises:
        Invalid: there is no reason.
    """
    why = checked_reason(reason)
    with transaction.atomic():
        task = locked(task)
        if task.status == Task.Status.UNJUDGEABLE:
            return
        before = _shown(task)
        _in_force(task).update(status=Status.REPLACED)
        consensus.close_as_unjudgeable(task=task, at=at)
        _mark_reports_seen(task, at=at)
        _audit("task.closed", task, before, by=by, reason=why, at=at)


def reopen(*, task: Task, by: User, at: datetime, reason: str = "") -> None:
    """Undo `close`: the existing answers count as before. A task that is not closed stays as it is."""
    with transaction.atomic():
        task = locked(task)
        if task.status != Task.Status.UNJUDGEABLE:
            return
        before = _shown(task)
        consensus.reopen(task=task, at=at)
        _audit("task.reopened", task, before, by=by, reason=reason.strip(), at=at)


def ask_for_more(*, task: Task, by: User, at: datetime, reason: str = "") -> None:
    """Ask one more worker to judge the task.

    Raises:
        IsReference
        Conflict: the task is closed or adjudicated, or sure enough for its project.
    """
    if task.is_reference:
        raise IsReference
    with transaction.atomic():
        task = locked(task)
        if task.status == Task.Status.UNJUDGEABLE:
            raise Conflict("This task is closed as not judgeable. Reopen it first.")
        if _in_force(task).exists():
            raise Conflict("This task is adjudicated, so one more answer would change nothing. Take that back first.")
        before = _shown(task)
        _want_one_more(task, at=at)
        _mark_reports_seen(task, at=at)
        _audit("task.more_wanted", task, before, by=by, reason=reason.strip(), at=at, wanted=task.wanted)


def _want_one_more(task: Task, *, at: datetime) -> None:
    """Give the task its own redundancy, one above the present number of answers, and open it.

    Raises:
        Conflict: the project stops asking when a consensus is sure enough, and this one is.
    """
    task.own_redundancy = max(task.wanted, Annotation.objects.counting().filter(task=task).count()) + 1
    Task.objects.filter(pk=task.pk).update(own_redundancy=task.own_redundancy, wanted=task.own_redundancy)
    consensus.renew(project_id=task.project_id, tasks=[task.pk], at=at, count_slots=True)
    task.refresh_from_db(fields=["status", "open", "wanted"])
    if task.status != Task.Status.OPEN:
        raise Conflict("Its answers are as sure as the project wants, so nobody more would be asked.")


def dismiss(*, task: Task, reason: str, by: User, at: datetime) -> None:
    """Leave the task as it is: mark its reports as seen and accept an unsure consensus.

    Raises:
        Invalid: there is no reason.
    """
    why = checked_reason(reason)
    with transaction.atomic():
        task = locked(task)
        before = _shown(task)
        seen = _mark_reports_seen(task, at=at)
        accepted = Consensus.objects.filter(task=task, needs_review=True, accepted_at=None).update(
            accepted_at=at, needs_review=False
        )
        _audit("task.review_dismissed", task, before, by=by, reason=why, at=at, reports=seen, accepted=bool(accepted))


def in_force(task: Task) -> tuple[Adjudication | None, Adjudication | None]:
    """The proposal, and the adjudication that counts; None where there is none. 1 query."""
    found = {row.status: row for row in _in_force(task).select_related("by", "second")}
    return found.get(Status.PROPOSED), found.get(Status.STANDING)


def locked(task: Task) -> Task:
    """The task as it is stored now; its row and its project's row are locked until the commit."""
    project = Project.objects.select_for_update().get(pk=task.project_id)
    found = Task.objects.select_for_update().get(pk=task.pk)
    found.project = project
    return found


def checked_reason(reason: str) -> str:
    """The reason without the space around it.

    Raises:
        Invalid: it is empty or too long.
    """
    why = reason.strip()
    if not why:
        raise Invalid.at("#/reason", "Say why: whoever looks at this later cannot ask you.")
    if len(why) > MOST_LETTERS:
        raise Invalid.at("#/reason", f"Use {MOST_LETTERS} characters at most; these are {len(why)}.")
    return why


def _in_force(task: Task) -> QuerySet[Adjudication]:
    return Adjudication.objects.filter(task=task, status__in=[Status.PROPOSED, Status.STANDING])


def _replace_adjudication(task: Task) -> None:
    _in_force(task).filter(status=Status.STANDING).update(status=Status.REPLACED)


def _close_proposal(adjudication: Adjudication, status: Status, *, by: User, reason: str, at: datetime) -> None:
    if adjudication.by_id == by.pk:
        raise SamePerson
    changed = Adjudication.objects.filter(pk=adjudication.pk, status=Status.PROPOSED).update(
        status=status, second=by, second_at=at, second_reason=reason
    )
    if not changed:
        raise NothingProposed
    adjudication.refresh_from_db()


def _put_in_force(adjudication: Adjudication, *, at: datetime) -> None:
    task = locked(adjudication.task)
    consensus.set_adjudicated(task=task, answer=adjudication.answer, at=at)
    _mark_reports_seen(task, at=at)


def _mark_reports_seen(task: Task, *, at: datetime) -> int:
    """Mark the task's unseen reports as seen; return their number."""
    return _unseen_reports(task).update(seen_at=at)


def _unseen_reports(task: Task) -> QuerySet[Assignment]:
    return Assignment.objects.filter(task=task, status=Assignment.Status.REPORTED, seen_at=None)


def _shown(task: Task) -> dict[str, Any]:
    """The fields of a task that acts of reviewers change, as the audit log shows them. 3 queries."""
    stored = ("status", "wanted", "consensus__needs_review")
    status, wanted, needs_review = Task.objects.values_list(*stored).get(pk=task.pk)
    proposal, standing = in_force(task)
    return {
        "status": status,
        "wanted": wanted,
        "needs_review": bool(needs_review),
        "unseen_reports": _unseen_reports(task).count(),
        **({"proposed": proposal.answer} if proposal else {}),
        **({"adjudicated": standing.answer} if standing else {}),
    }


def _audit(
    verb: str, task: Task, before: Mapping[str, Any], *, by: User, reason: str, at: datetime, **detail: Any
) -> None:
    """Record an act, once it is done; `before` is the task as `_shown` gave it. 3 queries, and those of the log."""
    record(
        verb=verb,
        actor=f"staff:{by.get_username()}",
        subject=Subject("task", str(task.pk)),
        at=at,
        project=task.project.slug,
        reason=reason,
        key=task.key,
        **detail,
        **changes(before, _shown(task)),
    )
