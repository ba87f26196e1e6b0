"""Experiments: arms that a project's workers are drawn into at random, and what each arm has of its own.

A project's `experiment` names 2 to 10 arms. Each has a share, and may have its own instructions, base pay and settings
of the tool; the rest is the project's. A worker is drawn once, by share, when they first see the instructions or first
claim, whichever is earlier, and stays in the arm for good (`Enrolment.arm`): the effect of seeing two arms could not be
told apart. An arm is stored under the names of experiment and arm, so another experiment draws all workers again. A
worker whose arm was dropped from the same experiment works on under the project's plain offer and counts in no arm.
Workers never see the name of an arm, or that there are arms.
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
"""The most characters of one page of instructions."""
Pages = list[Annotated[str, Limits(most=MOST_CHARACTERS)]]
_system_random = random.SystemRandom()


Name = Annotated[str, SlugField, Limits(most=31)]
"""The name of an experiment or an arm: both together have 63 characters at most."""


class MoneyBody(TypedDict):
    """An amount in a currency, as `{"amount": "0.30", "currency": "USD"}`."""

    amount: Decimal
    currency: str


class PayBody(TypedDict):
    """The base pay of a task."""

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
        name: Of experiment and arm, as `reading/parse-first`; enrolments, instruction versions and sessions store it.
        label: Of the arm alone.
        share: The arm's weight in the draw, in proportion to the others.
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
    """The share of each arm by its name, as the audit log stores it."""
    return {arm.name: arm.share for arm in arms_of(project)}


def arm_named(project: Project, name: str) -> Arm | None:
    """The arm of this name; None for the plain project, and where the experiment has no such arm (any more)."""
    return next((arm for arm in arms_of(project) if arm.name == name), None)


# Drawing -----------------------------------------------------------------------------------------------------------


def draw(arms: Sequence[Arm], *, chance: Callable[[], float] = _system_random.random) -> Arm:
    """One of the arms at random, in proportion to the shares."""
    place = chance() * sum(arm.share for arm in arms)
    for arm in arms:
        place -= arm.share
        if place < 0:
            return arm
    return arms[-1]


def arm_for(enrolment: Enrolment, *, at: datetime, chance: Callable[[], float] = _system_random.random) -> Arm | None:
    """The worker's arm, drawn now if this experiment has not drawn the worker yet; None where the worker is in none.

    Two requests of one worker that draw at once get the same arm: one UPDATE decides. It waits for a transaction that
    has locked the enrolment. No query where there is no experiment, or where the worker was drawn before.
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
    """The worker's present arm; no worker is drawn."""
    return arm_named(enrolment.project, enrolment.arm)


def arm_name_of(enrolment: Enrolment) -> str:
    """The name of the worker's present arm for a record of work; "" under the plain offer, whatever arm came before."""
    arm = arm_of(enrolment)
    return arm.name if arm else ""


def arm_name_of_hold(project: Project, hold: str) -> str:
    """The name of the present arm of the worker who holds this assignment. 1 query where there is an experiment."""
    if project.experiment is None:
        return ""
    theirs = Enrolment.objects.filter(project=project, worker__assignments__public_id=hold)
    arm = arm_named(project, theirs.values_list("arm", flat=True).first() or "")
    return arm.name if arm else ""


# What an arm has of its own ----------------------------------------------------------------------------------------


def base_pay_of(enrolment: Enrolment) -> Decimal | None:
    """The base pay of a task that this worker hands in."""
    return base_pay_in(enrolment.project, enrolment.arm)


def base_pay_in(project: Project, name: str) -> Decimal | None:
    """The base pay of a task in the arm of this name; "" is the plain project."""
    arm = arm_named(project, name)
    return project.base_pay if arm is None or arm.base_pay is None else arm.base_pay


def settings_of(project: Project, name: str) -> Json:
    """The settings of the tool in this arm; the project's for "" and for an arm that does not exist any more."""
    arm = arm_named(project, name)
    return {**project.settings, **arm.settings} if arm else project.settings


def base_pays(project: Project) -> tuple[Decimal, Decimal]:
    """The least and the most base pay of a task of the project, over all arms."""
    return pays_between(project.base_pay, project.experiment)


def most_base_pay(project: Project) -> Decimal:
    """The base pay that a budget must count for a task before its worker is known."""
    return base_pays(project)[1]


def pays_between(base: Decimal | None, experiment: ExperimentBody | None) -> tuple[Decimal, Decimal]:
    """The least and the most of a project's own base pay and of its arms'."""
    own = [arm.base_pay for arm in _arms_in(experiment) if arm.base_pay is not None] if experiment else []
    found = [base or Decimal(0), *own]
    return min(found), max(found)


# What is put -------------------------------------------------------------------------------------------------------


def stored(body: ExperimentBody | None) -> Json | None:
    """An experiment as its column stores it and as `GET` shows it: money as text."""
    if body is None:
        return None
    return {"name": body["name"], "arms": [{**arm, "pay": _stored_pay(arm)} for arm in body["arms"]]}


def _stored_pay(arm: ArmBody) -> Json | None:
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
    """Check that a project may have this experiment.

    Args:
        settings: The project's own, which the tool has accepted already.
        currency: Of the project's pay or budget, if it has any.
        project: The project as it is now, if it has the same tool.
        is_live: The project is live, or is about to be.

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
    """Check that an arm may put these over the project's settings.

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
