"""The fields of a project's form, in the sections of its pages."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.http import QueryDict

from agents.models import Agent
from annotation.models import GateAction, Method, Project
from annotation.tool_registry import Json
from annotation.tools.practice import PRACTICE
from evaluation.models import Suite, Version
from web.staff.setup.fields import Choices, Field, Kind, Typed, highest_row, put_at, read_form, value_at
from web.staff.setup.practice_fields import apart, is_left_out, together
from workforce.models import Qualification

CURRENCY = "currency"
"""One field for the currency of the pay and of the budget."""
LEAST_GATES = 2
"""The rows of gates that a form shows at least; there is always an empty one."""
NULL_WITHOUT = {"pay": "pay/base/amount", "budget": "budget/amount", "start": "start/tasks"}
"""The objects that are null where this field is empty."""

WHAT = [
    Field("title", "Title", is_needed=True, does="Workers read it at the top of every page."),
    Field(
        "consent",
        "Information page",
        Kind.AREA,
        rows=8,
        does="Markdown. What workers agree to before their first task: who asks, what for, what is kept, whom to write "
        "to. Empty: they agree to nothing. A changed page is shown again to everybody.",
    ),
]
SOURCES = [
    Field("suite", "Suite", Kind.CHOICE, does="Each ready episode of the suite becomes a task."),
    Field("version", "Version", Kind.CHOICE, does="Only the scenarios as this version froze them."),
    Field("agents", "Only these agents", Kind.SLUGS, does="Names between commas. Empty: every agent."),
]
QUALIFICATION = Field(
    "qualification",
    "Quiz before the first task",
    Kind.CHOICE,
    does="Who does not pass gets no task. It costs each worker a few minutes, and keeps out who did not read.",
)
HOW_MANY = [
    Field(
        "redundancy",
        "Answers for each task",
        Kind.WHOLE,
        is_needed=True,
        does="So many different people judge each task. Twice as many cost twice as much and outvote more mistakes.",
    ),
    Field(
        "aggregation/method",
        "How answers become one",
        Kind.CHOICE,
        choices=[
            (Method.MAJORITY, "majority: every answer counts the same"),
            (Method.WEIGHTED, "weighted: who was right on references counts more"),
            (Method.DAWID_SKENE, "Dawid-Skene: estimates each worker's errors from all answers"),
        ],
        does="It costs nothing, and can be changed later: every consensus is made again.",
    ),
    Field(
        "aggregation/confidence",
        "Close a task when it is so sure",
        Kind.PERCENT,
        unit="%",
        does="Saves money on easy tasks, and asks more people about hard ones. Empty: a task always gets its answers.",
    ),
    Field("aggregation/least", "… but never before so many answers", Kind.WHOLE, is_needed=True),
    Field("aggregation/most", "… and never more than", Kind.WHOLE, unit="answers", does="Empty: it does not grow."),
]
REFERENCES = [
    Field(
        "reference_rate",
        "Share of references",
        Kind.PERCENT,
        unit="%",
        is_needed=True,
        does="Tasks whose answer is known, mixed in unseen. They measure each worker, and are paid like every task: "
        "10 % make the project about a tenth dearer.",
    ),
    Field("start/tasks", "A worker's first tasks", Kind.WHOLE, does="Empty: no difference at the start."),
    Field(
        "start/reference_rate",
        "… have this share of references",
        Kind.PERCENT,
        unit="%",
        does="More at the start shows early who is careful.",
    ),
]
REVIEW = [
    Field(
        "two_person_review",
        "A second reviewer confirms each decision",
        Kind.YES,
        does="Doubles the work of reviewers, and halves their mistakes.",
    ),
]
MONEY = [
    Field(
        "pay/base/amount",
        "Pay for a task",
        Kind.AMOUNT,
        does="What each answer earns. Empty: nobody is paid.",
    ),
    Field(CURRENCY, "Currency", placeholder="USD", does="Three letters, such as USD or EUR."),
    Field(
        "budget/amount",
        "Budget",
        Kind.AMOUNT,
        does="No task is given out that the budget could not pay. Empty: no limit.",
    ),
    Field(
        "approve_after_s",
        "Approve by itself after",
        Kind.WHOLE,
        unit="seconds",
        does="259200 are three days. Empty: nothing is paid until you approve it.",
    ),
]
WORK = [
    Field(
        "lease_s",
        "A worker holds a task for",
        Kind.WHOLE,
        unit="seconds",
        is_needed=True,
        does="After so long without a sign it goes to somebody else.",
    ),
    Field(
        "limit_per_worker",
        "Tasks for each worker, at most",
        Kind.WHOLE,
        does="Spreads the work over more people. Empty: no limit.",
    ),
]
EXPERT = [
    Field(
        "settings",
        "Settings of the tool",
        Kind.JSON,
        rows=6,
        empty={},
        does="As JSON; the API's page lists them.",
    ),
    Field(
        "experiment",
        "Experiment",
        Kind.JSON,
        rows=6,
        does="Arms that workers are drawn into, as JSON: a name, and two arms or more. Empty: none.",
    ),
]


class Section(NamedTuple):
    """Some fields under one heading."""

    title: str
    fields: Sequence[Field]


def gate_fields(body: Json, form: QueryDict) -> list[list[Field]]:
    """A row of fields for each gate of the body, for an empty one, and for those that a posted form has beside it."""
    count = max(len(body["gates"]) + 1, highest_row(form, "gates") + 1, LEAST_GATES)
    actions: Choices = [("", "no gate"), *GateAction.Action.choices]
    return [
        [
            Field(f"gates/{n}/action", f"Gate {n + 1}", Kind.CHOICE, choices=actions),
            Field(f"gates/{n}/below", "below an accuracy of", Kind.PERCENT, unit="%"),
            Field(f"gates/{n}/minimum_n", "after so many references", Kind.WHOLE),
            Field(f"gates/{n}/alpha", "wrongly, at most", Kind.PERCENT, unit="%", placeholder="5"),
            Field(f"gates/{n}/beta", "missed, at most", Kind.PERCENT, unit="%", placeholder="5"),
        ]
        for n in range(min(count, 10))
    ]


def as_form(body: Json) -> Json:
    """The body with the places that only the form has: the currency, the practice, the gates by number."""
    currency = value_at(body, "pay/base/currency") or value_at(body, "budget/currency")
    gates = {str(number): gate for number, gate in enumerate(body["gates"])}
    return {**apart(body), CURRENCY: currency, "gates": gates}


def read_project(fields: Iterable[Field], form: QueryDict, body: Json) -> Typed:
    """The body of the project with the typed values in it."""
    known = list(fields)
    typed, errors = read_form(known, form, as_form(body))
    currency = typed.pop(CURRENCY) or "USD"
    if any(field.path == CURRENCY for field in known):
        for path in ("pay/base", "budget"):
            put_at(typed, f"{path}/currency", currency)
    for name, path in NULL_WITHOUT.items():
        if value_at(typed, path) is None:
            typed[name] = None
    typed["gates"] = [
        {name: value for name, value in gate.items() if value is not None}
        for _, gate in sorted(typed["gates"].items(), key=lambda numbered: int(numbered[0]))
        if gate.get("action")
    ]
    if not isinstance(typed["settings"], dict):
        errors["settings"] = "Write an object, such as {}."
    elif PRACTICE in typed["settings"]:
        errors["settings"] = "The practice has fields of its own."
    elif is_left_out(typed, body):
        errors[f"{PRACTICE}/use"] = "Choose “the task below”, or empty its fields."
    return Typed(typed if errors else together(typed), errors)


# Options ---------------------------------------------------------------------------------------------------------


def qualification_choices() -> Choices:
    """The quizzes. 1 query."""
    rows = Qualification.objects.order_by("title", "pk").values_list("slug", "title")
    return [("", "no quiz"), *rows]


def suite_choices() -> Choices:
    """The suites. 1 query."""
    return [("", "no suite"), *Suite.objects.order_by("title", "pk").values_list("slug", "title")]


def version_choices(suite: str | None) -> Choices:
    """The versions of a suite. 1 query."""
    found = Version.objects.filter(suite__slug=suite or "").order_by("-created_at").values_list("slug", flat=True)
    return [("", "the scenarios as they are now"), *((slug, slug) for slug in found)]


def agent_choices() -> Choices:
    """The agents. 1 query."""
    return list(Agent.objects.order_by("name", "pk").values_list("slug", "name"))


def statuses() -> Choices:
    return Project.Status.choices
