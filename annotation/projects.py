"""Making and changing projects."""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any, NotRequired, TypedDict

from django.db import transaction
from django.db.models import Count, Q

from annotation import arms
from annotation.arms import ExperimentBody
from annotation.budget import is_money_promised, most_for_one, room
from annotation.consensus import ask_for_fit
from annotation.information import keep_information, notes_for
from annotation.instructions import keep_wording
from annotation.models import Annotation, Assignment, Enrolment, Project, Task
from annotation.tasks import change_redundancy
from annotation.tools import tool_named, tool_names
from audit.log import Subject, record
from common.errors import Conflict, Fault, Invalid, NotFound
from common.rows import replace_content
from common.values import MoneyDict, money
from workforce.consent import page_for
from workforce.models import Qualification

AGGREGATION_FIELDS = frozenset({"consensus_method", "confidence_wanted", "least_annotations", "most_annotations"})
"""Columns that every consensus of the project depends on."""
APPROVE_AFTER_S = 3 * 24 * 3600
"""How long work waits for a person before it is approved, where the project says nothing."""


class MoneyBody(TypedDict):
    amount: Decimal
    currency: str


class GateBody(TypedDict):
    """A rule: below which balanced accuracy, and after how many references at least, what happens."""

    action: str
    below: float
    minimum_n: int
    alpha: NotRequired[float]
    beta: NotRequired[float]


class StartBody(TypedDict):
    """A worker's first tasks, and how often a reference comes among them."""

    tasks: int
    reference_rate: float


class AggregationBody(TypedDict):
    """How annotations become a consensus; with a `confidence`, a task closes early or grows up to `most`."""

    method: str
    confidence: float | None
    least: int
    most: int | None


class ProjectBody(TypedDict):
    """A project as it is put, defaults applied."""

    tool: str
    title: str
    instructions: list[str]
    redundancy: int
    reference_rate: float
    start: StartBody | None
    lease_s: int
    limit_per_worker: int | None
    pay: dict[str, MoneyBody] | None
    budget: MoneyBody | None
    consent: str | None
    qualification: str | None
    gates: list[GateBody]
    aggregation: AggregationBody
    two_person_review: bool
    approve_after_s: NotRequired[int | None]
    experiment: NotRequired[ExperimentBody | None]
    settings: dict[str, Any]
    status: str


class Progress(TypedDict):
    """Counts of a project; references are counted apart from all the others."""

    tasks: int
    open: int
    done: int
    unjudgeable: int
    annotations: int
    references: int


def project_named(slug: str) -> Project:
    """The project; 404 if there is none. 1 query."""
    found = Project.objects.select_related("consent_page", "qualification").filter(slug=slug).first()
    if found is None:
        raise NotFound
    return found


def put_project(*, slug: str, body: ProjectBody, by: str, at: datetime) -> tuple[Project, bool]:
    """Make or replace the project; whether it is new. Call inside a transaction with what belongs to it above.

    Raises:
        Invalid: the tool is not installed or refuses the settings (an arm's too), or currencies differ.
        Conflict: the tool would change though there are tasks, or the currency though there is work; or the pay would
            be raised though the budget has no room for what is worked on now.
    """
    _check(body)
    fields = _fields(body, at=at)
    with transaction.atomic():
        project, is_new = Project.objects.select_for_update().get_or_create(
            slug=slug, defaults={**fields, "created_at": at}
        )
        is_same_tool = not is_new and project.tool == body["tool"]
        is_live = body["status"] == Project.Status.LIVE
        present = project if is_same_tool else None
        tool_named(body["tool"]).check_settings(body["settings"], present, is_live=is_live)
        arms.check(
            body.get("experiment"),
            tool=body["tool"],
            settings=body["settings"],
            currency=_currency(body),
            project=present,
            is_live=is_live,
        )
        if is_new:
            keep_wording(project=project, by=by, at=at)
            keep_information(project=project, by=by, at=at)
            record(verb="project.created", actor=by, subject=subject_of(project), project=slug, at=at)
            return project, True
        if project.tool != body["tool"] and project.tasks.exists():
            raise Conflict(faults=[Fault("#/tool", "The tool cannot change once there are tasks.")])
        if fields.get("currency", project.currency) != project.currency and is_money_promised(project):
            detail = f"Work here is paid in {project.currency}; it cannot change once there is work."
            raise Conflict(faults=[Fault(_place_of_currency(body), detail)])
        earlier, earlier_arms = project.redundancy, arms.shares_of(project)
        earlier_cost = most_for_one(project)
        changed = sorted(replace_content(project, fields))
        if most_for_one(project) > earlier_cost:
            _check_room(project)
        if changed:
            keep_wording(project=project, by=by, at=at)
            keep_information(project=project, by=by, at=at)
            record(verb="project.changed", actor=by, subject=subject_of(project), project=slug, at=at, changed=changed)
        if "experiment" in changed:
            record(
                verb="project.experiment",
                actor=by,
                subject=subject_of(project),
                project=slug,
                at=at,
                arms=arms.shares_of(project),
                earlier=earlier_arms,
            )
        if earlier != project.redundancy:
            change_redundancy(project=project, redundancy=project.redundancy, at=at)
        if AGGREGATION_FIELDS.intersection(changed):
            ask_for_fit(project=project)
    return project, False


def set_status(*, project: Project, status: Project.Status, by: str, at: datetime) -> None:
    """Pause, resume or close a project.

    Raises:
        Invalid: it is to go live, and its settings lack something for that.
    """
    if status == Project.Status.LIVE:
        tool_named(project.tool).check_settings(project.settings, project, is_live=True)
        arms.check(
            project.experiment,
            tool=project.tool,
            settings=project.settings,
            currency=project.currency,
            project=project,
            is_live=True,
        )
    with transaction.atomic():
        Project.objects.filter(pk=project.pk).update(status=status)
        record(
            verb="project.status",
            actor=by,
            subject=subject_of(project),
            project=project.slug,
            at=at,
            status=status.value,
        )


def subject_of(project: Project) -> Subject:
    """The project as the audit log names it."""
    return Subject("project", project.slug)


def _check(body: ProjectBody) -> None:
    most = body["aggregation"]["most"]
    if most is not None and most < body["redundancy"]:
        raise Invalid.at("#/aggregation/most", "A task cannot stop growing below its redundancy.")
    if body["tool"] not in tool_names():
        known = ", ".join(tool_names())
        raise Invalid.at("#/tool", f"The tool {body['tool']!r} is not installed here; there is {known}.")
    base, budget = (body["pay"] or {}).get("base"), body["budget"]
    if base and budget and base["currency"] != budget["currency"]:
        raise Invalid.at("#/budget/currency", f"The pay is in {base['currency']}; use one currency in a project.")


def _check_room(project: Project) -> None:
    """What is promised already costs more from now on: the budget must hold that, too."""
    left = room(project)
    if left is not None and left < 0:
        detail = f"What is worked on now may cost {-left} {project.currency} more than this; raise it, or wait."
        raise Conflict(faults=[Fault("#/budget/amount", detail)])


def _fields(body: ProjectBody, *, at: datetime) -> dict[str, Any]:
    base, budget = (body["pay"] or {}).get("base"), body["budget"]
    consent, start, aggregation = body["consent"], body["start"], body["aggregation"]
    currency = _currency(body) or arms.currency_in(body.get("experiment"))
    return {
        "tool": body["tool"],
        "title": body["title"],
        "instructions": body["instructions"],
        "redundancy": body["redundancy"],
        "reference_rate": body["reference_rate"],
        "start_tasks": start["tasks"] if start else 0,
        "start_reference_rate": start["reference_rate"] if start else None,
        "lease_s": body["lease_s"],
        "limit_per_worker": body["limit_per_worker"],
        "base_pay": base["amount"] if base else None,
        "budget": budget["amount"] if budget else None,
        # Who names no money changes none.
        **({"currency": currency} if currency else {}),
        "consent_page": page_for(consent, notes=_notes(body), at=at) if consent else None,
        "qualification": qualification_for(body["qualification"]),
        "gates": body["gates"],
        "consensus_method": aggregation["method"],
        "confidence_wanted": aggregation["confidence"],
        "least_annotations": aggregation["least"],
        "most_annotations": aggregation["most"],
        "two_person_review": body["two_person_review"],
        "approve_after_s": body.get("approve_after_s", APPROVE_AFTER_S),
        "experiment": arms.kept(body.get("experiment")),
        "settings": body["settings"],
        "status": body["status"],
    }


def _currency(body: ProjectBody) -> str | None:
    """What the project's own pay or budget is in, if it has any."""
    found = (body["pay"] or {}).get("base") or body["budget"]
    return found["currency"] if found else None


def _place_of_currency(body: ProjectBody) -> str:
    if (body["pay"] or {}).get("base"):
        return "#/pay/base/currency"
    return "#/budget/currency" if body["budget"] else "#/experiment/arms"


def _notes(body: ProjectBody) -> str:
    """What the server adds to the project's information page."""
    base, start, experiment = (body["pay"] or {}).get("base"), body["start"], body.get("experiment")
    return notes_for(
        has_checks=body["reference_rate"] > 0 or bool(start and start["tasks"] and start["reference_rate"] > 0),
        pays=arms.pays_between(Decimal(base["amount"]) if base else None, experiment),
        currency=_currency(body) or arms.currency_in(experiment) or "USD",
    )


def qualification_for(slug: str | None) -> Qualification | None:
    """The qualification that a project names. 1 query where it names one.

    Raises:
        Invalid: there is none of this name.
    """
    if slug is None:
        return None
    found = Qualification.objects.filter(slug=slug).first()
    if found is None:
        raise Invalid.at("#/qualification", f"There is no qualification {slug!r}; put it first.")
    return found


def show_project(project: Project) -> dict[str, Any]:
    """What `GET` shows and `PUT` takes, in one order."""

    def amount(value: Decimal | None) -> MoneyDict | None:
        return None if value is None else money(value, project.currency)

    base = amount(project.base_pay)
    return {
        "slug": project.slug,
        "tool": project.tool,
        "title": project.title,
        "instructions": project.instructions,
        "redundancy": project.redundancy,
        "reference_rate": project.reference_rate,
        "start": {"tasks": project.start_tasks, "reference_rate": project.start_reference_rate}
        if project.start_tasks
        else None,
        "lease_s": project.lease_s,
        "limit_per_worker": project.limit_per_worker,
        "pay": {"base": base} if base else None,
        "budget": amount(project.budget),
        "consent": project.consent_page.text if project.consent_page else None,
        "qualification": project.qualification.slug if project.qualification else None,
        "gates": project.gates,
        "aggregation": {
            "method": project.consensus_method,
            "confidence": project.confidence_wanted,
            "least": project.least_annotations,
            "most": project.most_annotations,
        },
        "two_person_review": project.two_person_review,
        "approve_after_s": project.approve_after_s,
        "experiment": project.experiment,
        "settings": project.settings,
        "status": project.status,
    }


def progress_of_all(projects: Iterable[Project]) -> dict[int, Progress]:
    """How far each project is, by its id. 2 queries, however many there are."""
    wanted = [project.pk for project in projects]
    ordinary = Q(is_reference=False)
    counts = Task.objects.posted().filter(project__in=wanted).order_by().values("project")
    tasks = {
        row["project"]: row
        for row in counts.annotate(
            tasks=Count("pk", filter=ordinary & ~Q(status=Task.Status.WITHDRAWN)),
            waiting=Count("pk", filter=ordinary & Q(status=Task.Status.OPEN)),
            done=Count("pk", filter=ordinary & Q(status=Task.Status.DONE)),
            unjudgeable=Count("pk", filter=ordinary & Q(status=Task.Status.UNJUDGEABLE)),
            references=Count("pk", filter=Q(is_reference=True)),
        )
    }
    standing = Annotation.objects.standing().on_tasks().filter(project__in=wanted).order_by()
    annotations = dict(standing.values_list("project").annotate(Count("pk")))
    nothing = dict.fromkeys(("tasks", "waiting", "done", "unjudgeable", "references"), 0)
    return {
        pk: Progress(
            tasks=row["tasks"],
            open=row["waiting"],
            done=row["done"],
            unjudgeable=row["unjudgeable"],
            annotations=annotations.get(pk, 0),
            references=row["references"],
        )
        for pk, row in ((pk, tasks.get(pk, nothing)) for pk in wanted)
    }


MOST_COUNTED = 200


def remaining_for(enrolment: Enrolment) -> int:
    """About how many tasks lie ahead of this worker, references to come included; about `MOST_COUNTED` at most.

    Whatever the worker holds or hands in, the number falls by one with each answer and by nothing else of theirs: a
    count of what is open would fall with an ordinary task and stay with a reference, and so tell them apart. What is
    reserved for one worker is part of what they began, and counts no more than that. 3 queries, 4 where that may be.
    """
    project = enrolment.project
    theirs = Assignment.objects.binding().filter(
        worker_id=enrolment.worker_id, task__project=project, task__reserved_for=None
    )
    handed_in = enrolment.submitted
    if tool_named(project.tool).asks_in_parts:
        handed_in = theirs.filter(status=Assignment.Status.SUBMITTED).count()
    most = handed_in + MOST_COUNTED
    tasks = Task.objects.filter(project=project, reserved_for=None)
    still_open = tasks.ordinary().filter(open=True)[:most].count()
    taken = theirs.filter(task__is_reference=False, task__open=False)
    ordinary = min(still_open + taken[:most].count(), most)
    rate = min(project.reference_rate, 0.99)
    mixed_in = min(round(ordinary * rate / (1 - rate)), tasks.references().filter(open=True)[:most].count())
    remaining = max(0, ordinary + mixed_in - handed_in)
    limit = project.limit_per_worker
    return remaining if limit is None else max(0, min(remaining, limit - enrolment.submitted))
