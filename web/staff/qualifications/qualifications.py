"""One qualification: how difficult and how discriminating each question is, pass rates, and attempts.

Only admins may open the pages of qualifications, because they show the right answers.
"""

from typing import NamedTuple

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Project
from annotation.tools.parse.readout import answer_in_words
from annotation.tools.voxels import readout as of_voxels
from lib.canonical_json import canonical
from lib.faults import Forbidden
from lib.plots.intervals import Measured, interval_plot
from lib.statistics.intervals import Interval, wilson
from web.staff.decorators import chosen, paged, staff_only
from web.staff.figure_files import Figure, file_asked
from workforce.models import Attempt, Qualification
from workforce.qualifications import Item, items_of, qualification_named
from workforce.questions import Question

LONGEST_LABEL = 40
"""The number of characters of a question that label its row in the plot."""


class PassRate(NamedTuple):
    """The share of workers who passed at least once, with a 95 % Wilson interval."""

    workers: int
    passed: int
    attempts: int
    share: float | None
    low: float | None
    high: float | None


class Tried(NamedTuple):
    """An attempt in the list."""

    attempt: Attempt

    @property
    def wrong(self) -> list[str]:
        """The ids of the questions that were answered wrong."""
        return [name for name, right in (self.attempt.right or {}).items() if not right]

    @property
    def took_s(self) -> float | None:
        finished = self.attempt.finished_at
        return (finished - self.attempt.started_at).total_seconds() if finished else None


def check_admin(request: HttpRequest) -> None:
    """Refuse accounts that are admin of no project."""
    if not roles.may_somewhere(request.user, Role.ADMIN):
        raise Forbidden(roles.NEEDS[Role.ADMIN])


def projects_that_need(shown: list[Qualification]) -> dict[int, list[Project]]:
    """The projects that require each qualification, by its id. 1 query."""
    needed: dict[int, list[Project]] = {qualification.pk: [] for qualification in shown}
    for project in Project.objects.filter(qualification__in=shown).order_by("slug"):
        needed[project.qualification_id or 0].append(project)
    return needed


@staff_only
@require_safe
def qualification(request: HttpRequest, slug: str) -> HttpResponse:
    check_admin(request)
    found = qualification_named(slug)
    items = items_of(found)
    file = file_asked(request, {"difficulty": lambda: difficulty_of(items)})
    if file is not None:
        return file
    tries = (
        Attempt.objects.filter(qualification=found, worker__in=roles.workers_for(request.user, Role.ADMIN))
        .exclude(finished_at=None)
        .select_related("worker")
        .order_by("-finished_at", "-pk")
    )
    result = chosen(request, "result", ["passed", "failed"])
    page = paged(request, tries.filter(passed=result == "passed") if result else tries)
    ctx = {
        "section": "qualifications",
        "qualification": found,
        "needed_by": projects_that_need([found])[found.pk],
        "items": [(item, right_words(item.question)) for item in items],
        "figure": difficulty_of(items),
        "rate": pass_rate(found),
        "page": page,
        "tries": [Tried(attempt) for attempt in page],
        "result": result,
    }
    return render(request, "staff/qualifications/qualification.html", ctx)


def pass_rate(found: Qualification) -> PassRate:
    """The pass rate of a qualification. 1 query."""
    counts: dict[str, int] = found.tries.filter(finished_at__isnull=False).aggregate(
        workers=Count("worker", distinct=True),
        passed=Count("worker", filter=Q(passed=True), distinct=True),
        attempts=Count("pk"),
    )
    if not counts["workers"]:
        return PassRate(**counts, share=None, low=None, high=None)
    interval: Interval = wilson(counts["passed"], counts["workers"])
    return PassRate(**counts, share=counts["passed"] / counts["workers"], low=interval.low, high=interval.high)


def difficulty_of(items: list[Item]) -> Figure:
    """For each question the share of workers whose first answer was right."""
    measured = [
        Measured(_label(item), figures.share, figures.low, figures.high, n=figures.n)
        if (figures := item.figures)
        else Measured(_label(item), None, n=0)
        for item in items
    ]
    unknown = (0, None, None, None, None, None)
    rows = [
        [item.question["id"], item.question["ask"], item.question["kind"], *(item.figures or unknown)] for item in items
    ]
    return Figure(
        title="Right at the first try",
        about="The share of workers whose first answer was right, with its 95 % Wilson interval. Near 100 % a question "
        "sorts nobody out; far below the others its wording or its right answer deserves a look.",
        plot=interval_plot(measured),
        columns=["question", "ask", "kind", "n", "right", "share", "low", "high", "discrimination"],
        rows=rows if any(item.figures for item in items) else [],
    )


def right_words(question: Question) -> list[str]:
    """Each right answer as one line.

    >>> base = {"id": "a", "ask": "?", "options": ["x", "y"]}
    >>> right_words({**base, "kind": "multiple", "accept": ["x", "y"]})
    ['“x” and “y”']
    >>> right_words({**base, "kind": "single", "accept": ["x", "y"]})
    ['“x”', '“y”']
    """
    accept = question["accept"]
    match question["kind"]:
        case "multiple":
            sets = [accept] if isinstance(accept[0], str) else accept
            return [" and ".join(f"“{option}”" for option in chosen) for chosen in sets]
        case "task" if "text" in question["payload"]:
            return [answer_in_words(one, question["payload"]["text"]) for one in accept]
        case "task":
            return [of_voxels.answer_in_words(one) if of_voxels.is_of_voxels(one) else canonical(one) for one in accept]
        case _:
            return [f"“{text}”" for text in accept]


def _label(item: Item) -> str:
    ask = item.question["ask"]
    return ask if len(ask) <= LONGEST_LABEL else f"{ask[: LONGEST_LABEL - 1]}…"
