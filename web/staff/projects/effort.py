"""The effort page of a project: right work a minute by arm of its experiment; time and errors by question."""

from collections.abc import Sequence
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.quality.effort import effort_by_arm
from annotation.tool_registry import Questions, tool_named
from lib.plots.charts import row_plot
from lib.plots.intervals import Measured, interval_plot
from lib.question_effort import MOST_ROWS, QuestionEffort
from lib.statistics.bootstrap import LEAST_CLUSTERS
from lib.statistics.intervals import wilson
from web.staff.decorators import staff_only
from web.staff.figure_files import Figure, file_asked

MOST_SHOWN = 40
"""The number of questions in the table, those that took the most time; the files have all."""
MOST_DRAWN = 12
MOST_LETTERS = 44
"""The length of a question above its bar: so much fits on a phone."""


@staff_only
@require_safe
def effort(request: HttpRequest, slug: str) -> HttpResponse:
    """The tables and plots of a project's effort; each plot also as CSV and SVG."""
    project = roles.project_for(request.user, slug)
    tool = tool_named(project.tool)
    questions = tool.question_efforts(project) if isinstance(tool, Questions) else []
    has_references = any(one.references for one in questions)
    figures = {"time": partial(time_by_question, questions), "undone": partial(undone_by_question, questions)}
    if has_references:
        figures["wrong"] = partial(wrong_by_question, questions)
    if (file := file_asked(request, figures)) is not None:
        return file
    ctx = {
        "section": "projects",
        "project": project,
        "arms": effort_by_arm(project),
        "least_workers": LEAST_CLUSTERS,
        "questions": questions[:MOST_SHOWN],
        "question_count": len(questions),
        "has_references": has_references,
        "most_rows": MOST_ROWS,
        "figures": [(name, make()) for name, make in figures.items()] if questions else [],
    }
    return render(request, "staff/projects/effort.html", ctx)


def time_by_question(questions: Sequence[QuestionEffort]) -> Figure:
    return Figure(
        "Minutes by question",
        f"All time on each question; the {MOST_DRAWN} that took the most.",
        row_plot([(_end_of(one.ask), one.minutes, f"{one.minutes:.1f}") for one in questions[:MOST_DRAWN]]),
        QuestionEffort._fields,
        [list(one) for one in questions],
    )


def _end_of(words: str) -> str:
    """The last words, for questions that begin alike.

    >>> _end_of("build or copy something › where to build it › where exactly")
    '… › where to build it › where exactly'
    """
    return words if len(words) <= MOST_LETTERS else f"… {words[-MOST_LETTERS:].partition(' ')[2]}"


def undone_by_question(questions: Sequence[QuestionEffort]) -> Figure:
    rows = [(one, min(one.undone, one.answers), one.answers) for one in questions]
    return _shares("Answers undone", "The share of answers that their worker took back", "undone", rows)


def wrong_by_question(questions: Sequence[QuestionEffort]) -> Figure:
    rows = [(one, one.wrong, one.references) for one in questions if one.references]
    return _shares("Wrong on references", "The share of answers to references that are not right", "wrong", rows)


def _shares(title: str, about: str, column: str, rows: Sequence[tuple[QuestionEffort, int, int]]) -> Figure:
    """A figure of shares, the greatest first; each row is a question, a count, and the count that it is a part of."""
    greatest = sorted(rows, key=lambda row: (-row[1] / row[2], -row[2], row[0].question))
    measured = [Measured(one.ask, part / n, *wilson(part, n), n=n) for one, part, n in greatest]
    return Figure(
        title,
        f"{about}, with 95 % intervals; the {MOST_DRAWN} highest.",
        interval_plot(measured[:MOST_DRAWN]),
        ["question", "ask", column, "of", "share", "low", "high"],
        [
            [one.question, one.ask, part, n, found.value, found.low, found.high]
            for (one, part, n), found in zip(greatest, measured, strict=True)
        ],
    )
