"""Creating and changing projects."""

from collections.abc import Collection
from dataclasses import dataclass, field, fields
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, ClassVar, NotRequired, TypedDict

from django.db import transaction

from annotation.consensus.consensus import ask_for_fit
from annotation.models import GateAction, Method, Project
from annotation.models.projects import APPROVE_AFTER_S, LEASE_S, LEAST_ANNOTATIONS, REDUNDANCY, REFERENCE_RATE
from annotation.offer import experiments
from annotation.offer.experiments import MOST_PAGES, ExperimentBody, MoneyBody, Pages, PayBody
from annotation.offer.information_page import keep_information, notes_for
from annotation.offer.instructions import keep_instructions
from annotation.pay.budget import is_money_promised, most_for_one, room
from annotation.tool_registry import ToolField, tool_named, tool_names
from annotation.tools.practice import check_apart_from_references
from annotation.work.posting import change_redundancy
from annotation.work.reference_draw import count_again
from audit.changes import changes
from audit.log import record
from common.data.put_row import replace_content
from common.data.values import MoneyDict, money
from common.serializers import BIGGEST, Default, Limits, MoneySerializer, SlugField
from lib.faults import Conflict, Fault, Invalid, NotFound
from workforce.consent import page_for
from workforce.models import Qualification

AGGREGATION_COLUMNS = frozenset({"consensus_method", "confidence_wanted", "least_annotations", "most_annotations"})
"""Columns that every consensus of the project depends on."""
RATE_COLUMNS = frozenset({"reference_rate", "start_tasks", "start_reference_rate", "limit_per_worker"})
"""Columns on which it depends how many references each worker needs."""
MOST_GATES = 10
DROPPED_ONLY_BY_NAME = ("pay", "budget", "consent", "qualification", "gates")
"""The fields that a running project loses only if the writer names them: to leave one out is mostly a mistake."""
Money = Annotated[MoneyBody, MoneySerializer]
Slug = Annotated[str, SlugField]


class WouldDrop(Invalid):
    """A running project would lose something that the writer did not name."""

    code: ClassVar[str] = "would_drop"
    sentence = "This project runs, and would lose what the body leaves out. Name it, or send null if that is meant."


class GateBody(TypedDict):
    """A rule: an action below a balanced accuracy, after a least number of references."""

    action: Annotated[str, GateAction.Action]
    below: Annotated[float, Limits(0.5, 0.99)]
    minimum_n: Annotated[int, Limits(1, 10_000)]
    alpha: NotRequired[Annotated[float, Limits(0.0001, 0.3)]]
    beta: NotRequired[Annotated[float, Limits(0.0001, 0.3)]]


class StartBody(TypedDict):
    """A worker's first tasks, and the share of references among them."""

    tasks: Annotated[int, Limits(1, 10_000)]
    reference_rate: Annotated[float, Limits(0, 1)]


class AggregationBody(TypedDict):
    """How annotations become a consensus; with a `confidence`, a task closes early or grows up to `most`."""

    method: Annotated[str, Method, Default(Method.MAJORITY.value)]
    confidence: Annotated[float | None, Limits(0.51, 0.999), Default(None)]
    least: Annotated[int, Limits(1, 1000), Default(LEAST_ANNOTATIONS)]
    most: Annotated[int | None, Limits(1, 1000), Default(None)]


def _plain_aggregation() -> AggregationBody:
    return AggregationBody(method=Method.MAJORITY.value, confidence=None, least=LEAST_ANNOTATIONS, most=None)


@dataclass(frozen=True)
class ProjectBody:
    """The content of a project as a pipeline puts it, with defaults: the only list of a project's fields.

    The API's serializer is made from it. A field is the column of its name, but for those in `_shown` and `_columns`.
    """

    tool: Annotated[str, ToolField]
    title: Annotated[str, Limits(most=200)]
    instructions: Annotated[Pages, Limits(most=MOST_PAGES)]
    redundancy: Annotated[int, Limits(1, 1000)] = REDUNDANCY
    reference_rate: Annotated[float, Limits(0, 1)] = REFERENCE_RATE
    start: StartBody | None = None
    lease_s: Annotated[int, Limits(1, 7 * 24 * 3600)] = LEASE_S
    limit_per_worker: Annotated[int, Limits(1, BIGGEST)] | None = None
    pay: PayBody | None = None
    budget: Money | None = None
    consent: Annotated[str, Limits(most=50_000)] | None = None
    qualification: Slug | None = None
    gates: Annotated[list[GateBody], Limits(most=MOST_GATES)] = field(default_factory=list)
    aggregation: AggregationBody = field(default_factory=_plain_aggregation)
    two_person_review: bool = False
    approve_after_s: Annotated[int, Limits(0, BIGGEST)] | None = APPROVE_AFTER_S
    experiment: ExperimentBody | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    status: Annotated[str, Project.Status] = field(kw_only=True)

    @property
    def base(self) -> MoneyBody | None:
        """The pay for a task in the plain project."""
        return self.pay["base"] if self.pay else None

    @property
    def currency(self) -> str | None:
        """The currency of the project's own pay or budget, if it has any."""
        found = self.base or self.budget
        return found["currency"] if found else None


def project_named(slug: str) -> Project:
    """The project; 404 if there is none. 1 query."""
    found = Project.objects.select_related("consent_page", "qualification").filter(slug=slug).first()
    if found is None:
        raise NotFound
    return found


def put_project(
    *, slug: str, body: ProjectBody, by: str, at: datetime, given: Collection[str] | None = None
) -> tuple[Project, bool]:
    """Create or replace a project; True if it is new. Call in one transaction with what upper apps store for it.

    Args:
        given: The fields that the writer named; None: all of them.

    Raises:
        WouldDrop: the project is live or paused, and would lose something that is not `given`.
        Invalid: the tool is not installed or refuses the settings (an arm's too), or currencies differ.
        Conflict: the project is archived; or the tool would change though there are tasks, or the currency though there
            is work; or the pay would be raised though the budget has no room for what is worked on now.
    """
    _check(body)
    columns = _columns(body, at=at)
    with transaction.atomic():
        project, is_new = Project.objects.select_for_update().get_or_create(
            slug=slug, defaults={**columns, "created_at": at}
        )
        if not is_new:
            check_not_archived(project)
            if given is not None:
                _check_dropped(project, given)
        is_same_tool = not is_new and project.tool == body.tool
        is_live = body.status == Project.Status.LIVE
        present = project if is_same_tool else None
        tool_named(body.tool).check_settings(body.settings, present, is_live=is_live)
        if present is not None:
            check_apart_from_references(present, body.settings)
        experiments.check(
            body.experiment,
            tool=body.tool,
            settings=body.settings,
            currency=body.currency,
            project=present,
            is_live=is_live,
        )
        if is_new:
            keep_instructions(project=project, by=by, at=at)
            keep_information(project=project, by=by, at=at)
            record(
                verb="project.created",
                actor=by,
                subject=project.audit_subject,
                project=slug,
                at=at,
                **changes({}, show_project(project)),
            )
            return project, True
        if project.tool != body.tool and project.tasks.exists():
            raise Conflict(faults=[Fault("#/tool", "The tool cannot change once there are tasks.")])
        if columns.get("currency", project.currency) != project.currency and is_money_promised(project):
            detail = f"Work here is paid in {project.currency}; it cannot change once there is work."
            raise Conflict(faults=[Fault(_place_of_currency(body), detail)])
        earlier, earlier_arms = project.redundancy, experiments.shares_of(project)
        earlier_cost = most_for_one(project)
        before = show_project(project)
        changed = sorted(replace_content(project, columns))
        if most_for_one(project) > earlier_cost:
            _check_room(project)
        if changed:
            keep_instructions(project=project, by=by, at=at)
            keep_information(project=project, by=by, at=at)
            record(
                verb="project.changed",
                actor=by,
                subject=project.audit_subject,
                project=slug,
                at=at,
                changed=changed,
                **changes(before, show_project(project)),
            )
        if "experiment" in changed:
            arms = experiments.shares_of(project)
            record(
                verb="project.experiment",
                actor=by,
                subject=project.audit_subject,
                project=slug,
                at=at,
                arms=arms,
                earlier=earlier_arms,
                **changes({"arms": earlier_arms}, {"arms": arms}),
            )
        if earlier != project.redundancy:
            change_redundancy(project=project, redundancy=project.redundancy, at=at)
        if RATE_COLUMNS.intersection(changed):
            count_again(project)
        if AGGREGATION_COLUMNS.intersection(changed):
            ask_for_fit(project=project)
    return project, False


def set_status(*, project: Project, status: Project.Status, by: str, at: datetime) -> None:
    """Pause, resume or close a project.

    Raises:
        Invalid: its settings are not complete enough to go live.
    """
    check_not_archived(project)
    if status == Project.Status.LIVE:
        tool_named(project.tool).check_settings(project.settings, project, is_live=True)
        experiments.check(
            project.experiment,
            tool=project.tool,
            settings=project.settings,
            currency=project.currency,
            project=project,
            is_live=True,
        )
    with transaction.atomic():
        before = Project.objects.select_for_update().values_list("status", flat=True).get(pk=project.pk)
        Project.objects.filter(pk=project.pk).update(status=status)
        record(
            verb="project.status",
            actor=by,
            subject=project.audit_subject,
            project=project.slug,
            at=at,
            status=status.value,
            **changes({"status": before}, {"status": status.value}),
        )


def check_not_archived(project: Project) -> None:
    """Refuse to change an archived project.

    Raises:
        Conflict
    """
    if project.archived_at is not None:
        raise Conflict("This project is archived. Put it back first.")


def _check_dropped(project: Project, given: Collection[str]) -> None:
    if project.status not in (Project.Status.LIVE, Project.Status.PAUSED):
        return
    present = show_project(project)
    lost = [name for name in DROPPED_ONLY_BY_NAME if name not in given and present[name]]
    if lost:
        detail = "The project has this, and the body leaves it out. Send it, or null if the project shall lose it."
        raise WouldDrop(faults=[Fault(f"#/{name}", detail) for name in lost])


def _check(body: ProjectBody) -> None:
    most = body.aggregation["most"]
    if most is not None and most < body.redundancy:
        raise Invalid.at("#/aggregation/most", "A task cannot stop growing below its redundancy.")
    if body.tool not in tool_names():
        known = ", ".join(tool_names())
        raise Invalid.at("#/tool", f"The tool {body.tool!r} is not installed here; there is {known}.")
    base, budget = body.base, body.budget
    if base and budget and base["currency"] != budget["currency"]:
        raise Invalid.at("#/budget/currency", f"The pay is in {base['currency']}; use one currency in a project.")


def _check_room(project: Project) -> None:
    """Refuse a higher pay if the budget cannot hold it for the work that is promised already."""
    left = room(project)
    if left is not None and left < 0:
        detail = f"What is worked on now may cost {-left} {project.currency} more than this; raise it, or wait."
        raise Conflict(faults=[Fault("#/budget/amount", detail)])


def _columns(body: ProjectBody, *, at: datetime) -> dict[str, Any]:
    """The columns of a project with this content; fields without a column of their name are replaced by theirs."""
    columns = {field.name: getattr(body, field.name) for field in fields(body)}
    for name in ("start", "pay", "consent", "aggregation"):
        del columns[name]
    aggregation = body.aggregation
    currency = body.currency or experiments.currency_in(body.experiment)
    return columns | {
        "start_tasks": body.start["tasks"] if body.start else 0,
        "start_reference_rate": body.start["reference_rate"] if body.start else None,
        "base_pay": body.base["amount"] if body.base else None,
        "budget": body.budget["amount"] if body.budget else None,
        # A body without money leaves the currency as it is.
        **({"currency": currency} if currency else {}),
        "consent_page": page_for(body.consent, notes=notes_in(body), at=at) if body.consent else None,
        "qualification": qualification_for(body.qualification),
        "consensus_method": aggregation["method"],
        "confidence_wanted": aggregation["confidence"],
        "least_annotations": aggregation["least"],
        "most_annotations": aggregation["most"],
        "experiment": experiments.stored(body.experiment),
    }


def _place_of_currency(body: ProjectBody) -> str:
    if body.base:
        return "#/pay/base/currency"
    return "#/budget/currency" if body.budget else "#/experiment/arms"


def notes_in(body: ProjectBody) -> str:
    """The text that the server adds to the project's information page."""
    start = body.start
    return notes_for(
        has_checks=body.reference_rate > 0 or bool(start and start["tasks"] and start["reference_rate"] > 0),
        pays=experiments.pays_between(Decimal(body.base["amount"]) if body.base else None, body.experiment),
        currency=body.currency or experiments.currency_in(body.experiment) or "USD",
    )


def qualification_for(slug: str | None) -> Qualification | None:
    """The qualification that a project names. 1 query where it names one.

    Raises:
        Invalid: there is no qualification of this name.
    """
    if slug is None:
        return None
    found = Qualification.objects.filter(slug=slug).first()
    if found is None:
        raise Invalid.at("#/qualification", f"There is no qualification {slug!r}; put it first.")
    return found


def show_project(project: Project) -> dict[str, Any]:
    """The project as `GET` shows it: the fields that `PUT` takes, in the same order."""
    shown = _shown(project)
    names = [field.name for field in fields(ProjectBody)]
    return {"slug": project.slug} | {name: shown[name] if name in shown else getattr(project, name) for name in names}


def _shown(project: Project) -> dict[str, Any]:
    """The fields that are not the column of their name."""

    def amount(value: Decimal | None) -> MoneyDict | None:
        return None if value is None else money(value, project.currency)

    base = amount(project.base_pay)
    start = {"tasks": project.start_tasks, "reference_rate": project.start_reference_rate}
    return {
        "start": start if project.start_tasks else None,
        "pay": {"base": base} if base else None,
        "budget": amount(project.budget),
        "consent": project.consent_page.text if project.consent_page else None,
        "qualification": project.qualification.slug if project.qualification else None,
        "aggregation": {
            "method": project.consensus_method,
            "confidence": project.confidence_wanted,
            "least": project.least_annotations,
            "most": project.most_annotations,
        },
    }
