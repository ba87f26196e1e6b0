"""Gates: rules of a project that warn or pause a worker who errs too often on references.

A gate tests the worker's history after each answer to a reference, with a test that is made for repeated looks
(`lib.statistics.sequential`). It never blocks a worker and never takes back work or pay. A person decides about a
pause, and the worker may appeal. After a pause is lifted, or a warning is closed by the worker, the worker's history
begins again for later tests.
"""

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar, NamedTuple, TypedDict

from django.db import transaction
from django.db.models import Q, QuerySet

from annotation.flagged_texts import flag_text
from annotation.models import Enrolment, GateAction, Project, Task
from annotation.quality.accuracy import ReferenceAnswer, answers_on_references, confusion_in
from audit.log import record
from lib.faults import Conflict, Invalid
from lib.statistics.sequential import DRIFT_AT, Answered, GatePath, gate_path, plain_path, plan_for
from workforce.blocking import subject_of

logger = logging.getLogger(__name__)

RULE = "rule:gate"
"""The actor of a gate's actions in the audit log."""
MOST_CHARACTERS = 2000
"""The most characters of an appeal, and of a decision's reason."""
ALPHA = BETA = 0.05
"""The error rates of a gate that sets none."""


class Rule(TypedDict):
    """A gate with all values filled in: the balanced accuracy, the least number of references, and the error rates."""

    action: str
    below: float
    minimum_n: int
    alpha: float
    beta: float


class AlreadyAppealed(Conflict):
    """The worker has appealed against this pause before."""

    code: ClassVar[str] = "already_appealed"
    sentence = "You have asked us to look again already. What we find will be on this page."


class NotPaused(Conflict):
    """A decision or an appeal came after the pause was lifted."""

    code: ClassVar[str] = "not_paused"
    sentence = "This pause is over already."


class JudgedAnswer(TypedDict):
    """One answer of the evidence."""

    annotation: str
    task: int
    key: str
    truth: bool | None
    said: bool | None
    right: bool
    at: str


class Evidence(TypedDict):
    """The evidence for a gate's action. `llr` is the statistic of the `test`, which acted from `act_at` up."""

    plan: dict[str, float]
    test: str
    llr: float
    act_at: float
    confusion: dict[str, dict[str, int]]
    answers: list[JudgedAnswer]


class Misses(NamedTuple):
    """The number of wrong answers in the evidence, and of all answers in it."""

    wrong: int
    n: int


def rules_of(project: Project) -> list[Rule]:
    """The project's gates, error rates filled in; pauses first, for a paused worker needs no warning."""
    rules = [
        Rule(
            action=gate["action"],
            below=gate["below"],
            minimum_n=gate["minimum_n"],
            alpha=gate.get("alpha", ALPHA),
            beta=gate.get("beta", BETA),
        )
        for gate in project.gates
    ]
    return sorted(rules, key=lambda rule: rule["action"] != GateAction.Action.PAUSE)


def apply_gates(
    *, enrolment: Enrolment, at: datetime, answers: Sequence[ReferenceAnswer] | None = None
) -> list[GateAction]:
    """Test the worker's history with each gate of the project, and warn or pause the worker where a gate acts.

    Locks: call with the enrolment locked, in the transaction of the answer.

    Args:
        answers: The worker's answers to references of the project, oldest first, if they were read already.

    Costs: no query without gates; else 1, 1 more where `answers` are not given, and 3 an action.
    """
    rules = rules_of(enrolment.project)
    if not rules:
        return []
    earlier = list(enrolment.gate_actions.order_by("pk"))
    if any(action.is_current_pause for action in earlier):
        return []
    if answers is None:
        answers = answers_on_references(enrolment.worker_id, project=enrolment.project_id)
    done: list[GateAction] = []
    for rule in rules:
        since = _begins_after(rule, earlier)
        if since.is_open:
            continue
        history = [one for one in answers if since.at is None or one.at > since.at]
        evidence = evidence_of(rule, history)
        if evidence is not None:
            done.append(_act(enrolment, rule, evidence, at=at))
            if rule["action"] == GateAction.Action.PAUSE:
                break
    return done


class _Since(NamedTuple):
    """The time after which a rule reads answers; `is_open` while its own warning has not been closed."""

    at: datetime | None
    is_open: bool


def _begins_after(rule: Rule, earlier: Sequence[GateAction]) -> _Since:
    lifts = [action.lifted_at for action in earlier if action.action == GateAction.Action.PAUSE and action.lifted_at]
    warned = [action for action in earlier if action.action == GateAction.Action.WARN and action.rule == rule]
    closed = [action.seen_at for action in warned if action.seen_at]
    last = max([*lifts, *closed], default=None)
    # A lift begins a new history, so a warning that was left open before it stands for nothing any more.
    is_open = any(action.seen_at is None and (last is None or action.at > last) for action in warned)
    return _Since(last, is_open)


def evidence_of(rule: Rule, history: Sequence[ReferenceAnswer]) -> Evidence | None:
    """The evidence of a rule against a worker's history, oldest first; None unless the rule acts. No query."""
    plan = plan_for(rule["below"], alpha=rule["alpha"], beta=rule["beta"])
    classed = [answer for answer in history if answer.truth is not None]
    # Tools without yes and no have no balanced accuracy: plain accuracy stands in.
    seen = classed or list(history)
    if classed:
        answered = [Answered(truth=bool(one.truth), right=one.is_right) for one in classed]
        path = gate_path(answered, plan, rule["minimum_n"])
    else:
        path = plain_path([one.is_right for one in seen], plan, rule["minimum_n"])
    if path.decision.state != "act":
        return None
    rests_on = seen[_first_that_counts(path) : path.decision.at_n]
    return Evidence(
        plan=dict(plan._asdict()),
        test=path.decision.test,
        llr=path.decision.llr,
        act_at=plan.act_at if path.decision.test == "sprt" else DRIFT_AT,
        confusion=confusion_in(rests_on).as_dict(),
        answers=[
            JudgedAnswer(
                annotation=one.annotation,
                task=one.task,
                key=one.key,
                truth=one.truth,
                said=one.said,
                right=one.is_right,
                at=one.at.isoformat(),
            )
            for one in rests_on
        ],
    )


def _first_that_counts(path: GatePath) -> int:
    """The index of the first answer of the evidence. The first test reads all answers; the test for drift reads those
    since its statistic was last 0."""
    if path.passed_at is None:
        return 0
    zeros = [index for index, height in enumerate(path.cusum) if height == 0]
    return path.passed_at + (zeros[-1] + 1 if zeros else 0)


def _act(enrolment: Enrolment, rule: Rule, evidence: Evidence, *, at: datetime) -> GateAction:
    action = GateAction.objects.create(enrolment=enrolment, action=rule["action"], rule=rule, evidence=evidence, at=at)
    missed = misses_in(evidence)
    record(
        verb="gate.paused" if rule["action"] == GateAction.Action.PAUSE else "gate.warned",
        actor=RULE,
        subject=subject_of(enrolment.worker),
        project=enrolment.project.slug,
        at=at,
        gate_action=action.pk,
        rule=rule,
        llr=evidence["llr"],
        **missed._asdict(),
    )
    logger.info("gate.acted", extra={"gate_action": action.pk, "action": rule["action"]})
    return action


def misses_in(evidence: Evidence) -> Misses:
    """The part of the evidence that a worker may see: the number of misses, and never which answers.

    >>> misses_in({"answers": [{"right": True}, {"right": False}]})  # type: ignore[typeddict-item]
    Misses(wrong=1, n=2)
    """
    answers = evidence["answers"]
    return Misses(sum(not one["right"] for one in answers), len(answers))


# Pauses: appeals and decisions ---------------------------------------------------------------------------------


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
        if not standing.filter(appealed_at=None).update(appeal=text, appealed_at=at, **undecided):
            raise AlreadyAppealed if standing.exists() else NotPaused
        flag_text(action, text=text, project_id=action.enrolment.project_id, at=at)
        # The words stay with the pause alone: there they can be redacted.
        _note(action, verb="gate.appealed", by=f"worker:{action.enrolment.worker_id}", reason="", at=at)


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
        decided = (
            GateAction.objects.pauses()
            .current()
            .filter(pk=action.pk)
            .update(
                decision=decision,
                decided_at=at,
                decided_by=by,
                decision_reason=reason,
                lifted_at=lifted_at,
                questioned_at=None,
            )
        )
        if not decided:
            raise NotPaused
        _note(action, verb=verb, by=by, reason=reason, at=at)
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
        _note(action, verb="gate.questioned", by=by, reason=reason, at=at, reference=reference.key)
    return len(standing)


# What the worker reads -----------------------------------------------------------------------------------------


def _unseen(enrolment: Enrolment) -> QuerySet[GateAction]:
    """Warnings and lifted pauses whose notice the worker has not closed."""
    told = Q(action=GateAction.Action.WARN) | Q(lifted_at__isnull=False)
    return enrolment.gate_actions.filter(told, seen_at=None)


def notice_for(enrolment: Enrolment) -> str | None:
    """The notice that the work page shows the worker once, in a sentence or two. 1 query."""
    action = _unseen(enrolment).order_by("-pk").first()
    if action is None:
        return None
    if action.action == GateAction.Action.PAUSE:
        return f"We looked again, and you can go on. {action.decision_reason}"
    missed = misses_in(action.evidence)
    return (
        f"{missed.wrong} of your last {missed.n} check tasks did not match. Please read the instructions once more "
        "before you go on. You are paid for all that you did."
    )


def close_notice(*, enrolment: Enrolment, at: datetime) -> None:
    """Note that the worker has read the notice; a repeat changes nothing."""
    _unseen(enrolment).update(seen_at=at)
