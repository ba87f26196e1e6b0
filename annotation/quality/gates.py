"""Gates: rules of a project that warn or pause a worker who errs too often on references.

A few answers after an answer to a reference, whatever these are, each gate tests the worker's history: a warning that
came at once would name the reference. The test is made for repeated looks (`lib.statistics.sequential`). A gate never
blocks a worker and never takes back work or pay. A person decides about a pause, and the worker may appeal. After a
pause is lifted, or a warning is closed by the worker, the worker's history begins again for later tests.
"""

import logging
import random
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, TypedDict

from django.db.models import Q, QuerySet

from annotation.models import Enrolment, GateAction, Project
from annotation.quality.accuracy import ReferenceAnswer, answers_on_references, confusion_in
from audit.changes import changes
from audit.log import record
from events.log import Happened, note
from lib.statistics.sequential import DRIFT_AT, Answered, GatePath, gate_path, plain_path, plan_for
from workforce.blocking import subject_of

logger = logging.getLogger(__name__)

RULE = "rule:gate"
"""The actor of a gate's actions in the audit log."""
ALPHA = BETA = 0.05
"""The error rates of a gate that sets none."""
LAG = (3, 10)
"""How many answers lie between an answer to a reference and the next look of the gates, at random between these."""
_random = random.SystemRandom()


class Rule(TypedDict):
    """A gate with all values filled in: the balanced accuracy, the least number of references, and the error rates."""

    action: str
    below: float
    minimum_n: int
    alpha: float
    beta: float


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


def look(enrolment: Enrolment, *, project: Project, is_scored: bool, at: datetime) -> None:
    """Count one more answer of the worker, and apply the gates once enough have followed an answer to a reference; at
    once where nothing is hidden.

    Locks: call with the enrolment locked, as it was before the answer was counted in `submitted`.

    Costs: no query without gates, 1 where a look is set, and those of `apply_gates` where it is made.
    """
    if not project.gates:
        return
    answered = enrolment.submitted + 1
    due = enrolment.gates_due
    if due is None and is_scored:
        due = answered + (_random.randint(*LAG) if project.hides_references else 0)
    if due is not None and answered >= due:
        enrolment.project = project
        apply_gates(enrolment=enrolment, at=at)
        # A scored answer was among what was tested, so nothing is left to look at.
        due = None
    if due != enrolment.gates_due:
        Enrolment.objects.filter(pk=enrolment.pk).update(gates_due=due)


def look_again(enrolment: Enrolment, *, project: Project, at: datetime) -> None:
    """Have the gates look again because an answer to a reference was corrected: a few answers later, at once where
    nothing is hidden.

    Locks: call with the enrolment locked.
    """
    if not project.gates or enrolment.gates_due is not None:
        return
    if not project.hides_references:
        enrolment.project = project
        apply_gates(enrolment=enrolment, at=at)
        return
    due = enrolment.submitted + _random.randint(*LAG)
    Enrolment.objects.filter(pk=enrolment.pk).update(gates_due=due)


def has_acted_since(enrolment: Enrolment, *, since: datetime) -> bool:
    """True if a gate warned or paused the worker at that time or later, whatever it rested on. 1 query."""
    return enrolment.gate_actions.filter(at__gte=since).exists()


def apply_gates(*, enrolment: Enrolment, at: datetime) -> list[GateAction]:
    """Test the worker's history with each gate of the project, and warn or pause the worker where a gate acts.

    Locks: call with the enrolment locked.

    Costs: no query without gates; else 2, and 3 an action.
    """
    rules = rules_of(enrolment.project)
    if not rules:
        return []
    earlier = list(enrolment.gate_actions.order_by("pk"))
    if any(action.is_current_pause for action in earlier):
        return []
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
    missed, pauses = misses_in(evidence), rule["action"] == GateAction.Action.PAUSE
    record(
        verb="gate.paused" if pauses else "gate.warned",
        actor=RULE,
        subject=subject_of(enrolment.worker),
        project=enrolment.project.slug,
        at=at,
        gate_action=action.pk,
        rule=rule,
        llr=evidence["llr"],
        **missed._asdict(),
        **changes({"paused": False}, {"paused": pauses}),
    )
    if pauses:
        note(_paused(enrolment), at=at)
    logger.info("gate.acted", extra={"gate_action": action.pk, "action": rule["action"]})
    return action


def _paused(enrolment: Enrolment) -> Happened:
    worker, project = enrolment.worker.pseudonym, enrolment.project.slug
    return Happened("worker.paused", worker, {"worker": worker, "project": project}, project=project)


def misses_in(evidence: Evidence) -> Misses:
    """The part of the evidence that a worker may see: the number of misses, and never which answers.

    >>> misses_in({"answers": [{"right": True}, {"right": False}]})  # type: ignore[typeddict-item]
    Misses(wrong=1, n=2)
    """
    answers = evidence["answers"]
    return Misses(sum(not one["right"] for one in answers), len(answers))


# What the worker reads -----------------------------------------------------------------------------------------


def _unseen(enrolment: Enrolment) -> QuerySet[GateAction]:
    """Warnings and lifted pauses whose notice the worker has not closed."""
    told = Q(action=GateAction.Action.WARN) | Q(lifted_at__isnull=False)
    return enrolment.gate_actions.filter(told, seen_at=None)


def notice_for(enrolment: Enrolment) -> str | None:
    """The notice that the work page shows the worker once, in a sentence or two. 1 query."""
    action = _unseen(enrolment).order_by("-pk").first()
    return None if action is None else words_of(action)


def words_of(action: GateAction) -> str:
    """The notice about a warning or a lifted pause."""
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
