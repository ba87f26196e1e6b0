"""Plots that people may take with them: drawn on a page, and to be had as CSV and as SVG from the same address."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from common.charts import BarPlot, HeatPlot, LinePlot, RowPlot
from common.errors import NotFound
from common.plots import IntervalPlot

Plot = IntervalPlot | BarPlot | RowPlot | LinePlot | HeatPlot
Value = str | float | int | None
_KINDS: dict[type[Plot], str] = {
    IntervalPlot: "interval",
    BarPlot: "bars",
    RowPlot: "rows",
    LinePlot: "line",
    HeatPlot: "heat",
}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_WIDTH = 760
"""Of a plot as a file, in px."""
_HEADROOM = 34


class Figure(NamedTuple):
    """A plot with its title, what it shows in one sentence, and the numbers behind it."""

    title: str
    about: str
    plot: Plot
    columns: Sequence[str]
    rows: Sequence[Sequence[Value]]

    @property
    def kind(self) -> str:
        """Which template draws it."""
        return _KINDS[type(self.plot)]

    @property
    def is_empty(self) -> bool:
        return not self.rows


def file_asked(request: HttpRequest, figures: Mapping[str, Callable[[], Figure]]) -> HttpResponse | None:
    """The file that `?plot=NAME&as=csv|svg` asks for; None where it asks for none. Only that figure is made.

    Raises:
        NotFound: there is no such plot, or no such form of it.
    """
    name, form = request.GET.get("plot", ""), request.GET.get("as", "")
    if not name:
        return None
    if name not in figures or form not in {"csv", "svg"}:
        raise NotFound
    figure = figures[name]()
    content, content_type = (_csv(figure), "text/csv") if form == "csv" else (_svg(figure), "image/svg+xml")
    response = HttpResponse(content, content_type=f"{content_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.{form}"'
    return response


def _csv(figure: Figure) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(figure.columns)
    writer.writerows([_safe(value) for value in row] for row in figure.rows)
    return out.getvalue()


def _safe(value: Value) -> Value:
    """Text that a spreadsheet would run as a formula stays text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _svg(figure: Figure) -> str:
    height = figure.plot.size if isinstance(figure.plot, HeatPlot) else figure.plot.height
    ctx = {"figure": figure, "plot": figure.plot, "width": _WIDTH, "height": height + _HEADROOM + 24, "top": _HEADROOM}
    return render_to_string("plots/file.svg", ctx)
