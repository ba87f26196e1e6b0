"""Experiments: arms that a project's workers are drawn into at random, and what each arm has of its own.

A project's `experiment` names 2 to 10 arms, each with a share and with whatever is to be otherwise in it: instructions,
base pay, settings of the tool; all else is the project's. A worker is drawn once, by share, when they are first shown
the instructions or first claim, whichever comes first, and stays there for good (`Enrolment.arm`): what one person saw
of two arms could be put down to neither. An arm is kept under the names of experiment and arm, so another experiment
draws everybody anew, while whoever was in an arm that its own experiment has dropped works on under the project's plain
offer and counts in no arm. Nothing that a worker is shown names an arm, or says that there are any.
"""

import logging
import random
from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, NamedTuple, TypedDict

from annotation.models import Enrolment, Project
from annotation.tool_registry import tool_named
from common.data.values import money
from common.serializers import Default, Limits, MoneySerializer, SlugField
from lib.canonical_json import escaped
from lib.faults import Fault, Invalid, UnknownField

logger = logging.getLogger(__name__)

Json = dict[str, Any]
MOST_ARMS = 10
MOST_PAGES = 50
MOST_CHARACTERS = 20_000
"""Of one page of instructions."""
Pages = list[Annotated[str, Limits(most=MOST_CHARACTERS)]]
_system_random = random.SystemRandom()


Name = Annotated[str, SlugField, Limits(most=31)]
"""Of an experiment or an arm: both together are a name of 63 characters at most."""


class MoneyBody(TypedDict):
    """An amount in a currency, as `{"amount": "0.30", "currency": "USD"}`."""

    amount: Decimal
    currency: str


class PayBody(TypedDict):
    """What a task earns."""

    base: Annotated[MoneyBody, MoneySerializer]


class ArmBody(TypedDict):
    """One arm of an experiment. Fields and settings that the arm leaves out are those of the project."""

    name: Name
    share: Annotated[float, Limits(0.001, 1000), Default(1.0)]
    instructions: Annotated[Pages | None, Limits(1, MOST_PAGES), Default(None)]
    pay: Annotated[PayBody | None, Default(None)]
    settings: Annotated[Json, Default(dict)]


class ExperimentBody(TypedDict):
    """A project's experiment."""

    name: Name
    arms: Annotated[list[ArmBody], Limits(2, MOST_ARMS)]


class Arm(NamedTuple):
    """One arm of a project's experiment.

    Attributes:
        name: Of experiment and arm, as `reading/parse-first`: what enrolments, instruction versions and sessions keep.
        label: Of the arm alone.
        share: How often it is drawn, in proportion to the others.
        instructions, base_pay: None: the project's.
        settings: Put over the project's, key by key.
    """

    name: str
    label: str
    share: float
    instructions: list[str] | None
    base_pay: Decimal | None
    settings: Json


def arms_of(project: Project) -> tuple[Arm, ...]:
    """The arms of the project's experiment in their order; none where there is no experiment."""
    found: ExperimentBody | None = project.experiment
    return () if found is None else _arms_in(found)


def _arms_in(experiment: ExperimentBody) -> tuple[Arm, ...]:
    return tuple(
        Arm(
            name=f"{experiment['name']}/{arm['name']}",
            label=arm["name"],
            share=arm["share"],
            instructions=arm["instructions"],
            base_pay=Decimal(arm["pay"]["base"]["amount"]) if arm["pay"] else None,
            settings=arm["settings"],
        )
        for arm in experiment["arms"]
    )


def arm_names(project: Project) -> list[str]:
    return [arm.name for arm in arms_of(project)]


def shares_of(project: Project) -> dict[str, float]:
    """How often each arm is drawn, by its name: what the audit log says of an experiment."""
    return {arm.name: arm.share for arm in arms_of(project)}


def arm_named(project: Project, name: str) -> Arm | None:
    """None for the plain project, and where the experiment has no such arm (any more)."""
    return next((arm for arm in arms_of(project) if arm.name == name), None)


# Drawing -----------------------------------------------------------------------------------------------------------


def draw(arms: Sequence[Arm], *, chance: Callable[[], float] = _system_random.random) -> Arm:
    """One of the arms at random, each as often as its share says."""
    place = chance() * sum(arm.share for arm in arms)
    for arm in arms:
        place -= arm.share
        if place < 0:
            return arm
    return arms[-1]


def arm_for(enrolment: Enrolment, *, at: datetime, chance: Callable[[], float] = _system_random.random) -> Arm | None:
    """The worker's arm, drawn now if this experiment has not drawn them yet; None where they are in none.

    Two requests of one worker that draw at once get the same: the UPDATE decides. It waits for whoever has locked the
    enrolment. No query where there is no experiment, or where they were drawn before.
    """
    project = enrolment.project
    arms = arms_of(project)
    if arms and not _is_drawn(enrolment, project):
        drawn = draw(arms, chance=chance)
        if Enrolment.objects.filter(pk=enrolment.pk, arm=enrolment.arm).update(arm=drawn.name):
            enrolment.arm = drawn.name
            logger.info("enrolment.arm_drawn", extra={"enrolment": enrolment.pk, "arm": drawn.name, "at": str(at)})
        else:
            enrolment.arm = Enrolment.objects.values_list("arm", flat=True).get(pk=enrolment.pk)
    return arm_of(enrolment)


def _is_drawn(enrolment: Enrolment, project: Project) -> bool:
    found: ExperimentBody | None = project.experiment
    return found is not None and enrolment.arm.startswith(f"{found['name']}/")


def arm_of(enrolment: Enrolment) -> Arm | None:
    """The arm that the worker is in now, nobody being drawn."""
    return arm_named(enrolment.project, enrolment.arm)


def arm_name_of(enrolment: Enrolment) -> str:
    """Its name for a record of work; "" where they work under the plain offer, whatever they were in before."""
    arm = arm_of(enrolment)
    return arm.name if arm else ""


def arm_name_of_hold(project: Project, hold: str) -> str:
    """The same for whoever holds the assignment of this public id. 1 query where there is an experiment."""
    if project.experiment is None:
        return ""
    theirs = Enrolment.objects.filter(project=project, worker__assignments__public_id=hold)
    arm = arm_named(project, theirs.values_list("arm", flat=True).first() or "")
    return arm.name if arm else ""


# What an arm has of its own ----------------------------------------------------------------------------------------


def base_pay_of(enrolment: Enrolment) -> Decimal | None:
    """What a task that this worker hands in earns, its bonus aside."""
    return base_pay_in(enrolment.project, enrolment.arm)


def base_pay_in(project: Project, name: str) -> Decimal | None:
    """The same by the name of the arm; "" is the plain project."""
    arm = arm_named(project, name)
    return project.base_pay if arm is None or arm.base_pay is None else arm.base_pay


def settings_of(project: Project, name: str) -> Json:
    """The settings of the tool in this arm; "", or an arm that is no more: the project's."""
    arm = arm_named(project, name)
    return {**project.settings, **arm.settings} if arm else project.settings


def base_pays(project: Project) -> tuple[Decimal, Decimal]:
    """The least and the most that a task of the project may earn, whatever arm its worker is drawn into."""
    return pays_between(project.base_pay, project.experiment)


def most_base_pay(project: Project) -> Decimal:
    """What a budget must count on for a task, before it is known whose it will be."""
    return base_pays(project)[1]


def pays_between(base: Decimal | None, experiment: ExperimentBody | None) -> tuple[Decimal, Decimal]:
    """The least and the most of a project's own base pay and of its arms'."""
    own = [arm.base_pay for arm in _arms_in(experiment) if arm.base_pay is not None] if experiment else []
    found = [base or Decimal(0), *own]
    return min(found), max(found)


# What is put -------------------------------------------------------------------------------------------------------


def kept(body: ExperimentBody | None) -> Json | None:
    """An experiment as its column has it, and as `GET` shows it: money as text."""
    if body is None:
        return None
    return {"name": body["name"], "arms": [{**arm, "pay": _kept_pay(arm)} for arm in body["arms"]]}


def _kept_pay(arm: ArmBody) -> Json | None:
    base = _base(arm)
    return {"base": {**money(Decimal(base["amount"]), base["currency"])}} if base else None


def _base(arm: ArmBody) -> MoneyBody | None:
    return arm["pay"]["base"] if arm["pay"] else None


def currency_in(body: ExperimentBody | None) -> str | None:
    """The currency that the first arm with a pay of its own names."""
    pays = [_base(arm) for arm in body["arms"]] if body else []
    return next((pay["currency"] for pay in pays if pay), None)


def check(
    experiment: ExperimentBody | None,
    *,
    tool: str,
    settings: Json,
    currency: str | None,
    project: Project | None,
    is_live: bool,
) -> None:
    """Whether a project may have this experiment.

    Args:
        settings: The project's own, which the tool has taken already.
        currency: Of the project's pay or budget, if it has any.
        project: What is there now, if it has the same tool.
        is_live: It is, or is about to be.

    Raises:
        Invalid: with pointers below `#/experiment`.
    """
    if experiment is None:
        return
    faults: list[Fault] = []
    has_unknown = False
    labels = [arm["name"] for arm in experiment["arms"]]
    currency = currency or currency_in(experiment)
    for number, arm in enumerate(experiment["arms"]):
        pointer = f"#/experiment/arms/{number}"
        if arm["name"] in labels[:number]:
            faults.append(Fault(f"{pointer}/name", f"There is an arm {arm['name']!r} already."))
        pay = _base(arm)
        if pay and pay["currency"] != currency:
            faults.append(Fault(f"{pointer}/pay/base/currency", f"Use one currency in a project: {currency}."))
        try:
            _check_settings(arm["settings"], tool=tool, settings=settings, project=project, is_live=is_live)
        except Invalid as error:
            has_unknown |= isinstance(error, UnknownField)
            faults += [Fault(f"{pointer}{fault.pointer[1:]}", fault.detail) for fault in error.faults]
    if faults:
        raise (UnknownField if has_unknown else Invalid)(faults=faults)


def _check_settings(own: Json, *, tool: str, settings: Json, project: Project | None, is_live: bool) -> None:
    """Whether an arm may put these over the project's settings.

    Raises:
        Invalid: with pointers below `#/settings`.
    """
    known = tool_named(tool)
    fixed = sorted(set(own) - known.settings_of_arms)
    if fixed:
        may = ", ".join(sorted(known.settings_of_arms)) or "nothing"
        why = f"An arm may not have this of its own; with this tool it may set {may}."
        raise Invalid(faults=[Fault(f"#/settings/{escaped(name)}", why) for name in fixed])
    if own:
        known.check_settings({**settings, **own}, project, is_live=is_live)
