"""The funnel of section 4.2 of paper 004: from marked vision errors to masks that a model can learn from."""

from typing import Final

from django.db.models import Count, Q

from annotation.tools.voxels.tool import voxels
from learning.campaigns.bought import OUTCOMES
from lib.plots.charts import row_plot
from routing.models import Sending
from web.staff.figure_files import Figure

VISION: Final = "vision"
PAPER: Final = {"marked": 695, "annotated": 469}
ROWS: Final = {
    "marked": "Marked vision errors, sent to be annotated",
    "answered": "… with an answer",
    "annotated": "… successfully annotated",
}


def vision_funnel() -> Figure:
    """The rows of the funnel, with the paper's numbers where it has them. 1 query.

    Commands of one scene and phrase become one task, and each of them counts.
    """
    sent = Sending.objects.filter(
        command__outcome=OUTCOMES[VISION], is_dropped=False, task__project__in=voxels.projects()
    )
    counts = sent.aggregate(
        marked=Count("command", distinct=True),
        answered=Count("command", distinct=True, filter=Q(task__consensus__isnull=False)),
        annotated=Count("command", distinct=True, filter=Q(task__consensus__needs_review=False)),
    )
    rows = [(ROWS[name], count, PAPER.get(name)) for name, count in counts.items()] if counts["marked"] else []
    return Figure(
        "From marked vision errors to masks",
        "The paper's numbers beside, over twelve iterations: 695 marked, 469 successfully annotated (67 %). A command "
        "counts as annotated once its task has a consensus that no reviewer waits for.",
        row_plot([(label, count, f"{count:,}" + _beside(papers)) for label, count, papers in rows]),
        ("row", "commands", "paper"),
        rows,
    )


def _beside(papers: int | None) -> str:
    return f" (paper: {papers:,})" if papers is not None else ""
