"""Plots of staff pages as files: the address of a page also serves its plots as CSV and as SVG."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.http import content_disposition_header
from django.utils.text import get_valid_filename

from common.tables.csv import csv_lines
from lib.faults import NotFound
from lib.plots.charts import BarPlot, HeatPlot, LinePlot, RowPlot
from lib.plots.curves import ScatterPlot, StepPlot
from lib.plots.intervals import IntervalPlot
from lib.plots.series import SeriesPlot

Plot = IntervalPlot | BarPlot | RowPlot | LinePlot | HeatPlot | StepPlot | ScatterPlot | SeriesPlot
Value = str | float | int | None
_KINDS: dict[type[Plot], str] = {
    IntervalPlot: "interval",
    BarPlot: "bars",
    RowPlot: "rows",
    LinePlot: "line",
    HeatPlot: "heat",
    StepPlot: "steps",
    ScatterPlot: "scatter",
    SeriesPlot: "series",
}
_WIDTH = 760
"""The width of a plot in a file, in px."""
_HEADROOM = 34


class Figure(NamedTuple):
    """A plot with its title, a sentence about it, and its numbers as a table."""

    title: str
    about: str
    plot: Plot
    columns: Sequence[str]
    rows: Sequence[Sequence[Value]]

    @property
    def kind(self) -> str:
        """The name of the template that draws the plot."""
        return _KINDS[type(self.plot)]

    @property
    def is_empty(self) -> bool:
        return not self.rows


def file_asked(request: HttpRequest, figures: Mapping[str, Callable[[], Figure]]) -> HttpResponse | None:
    """The file that `?plot=NAME&as=csv|svg` asks for; None if the address asks for no file.

    Only that figure is computed.

    Raises:
        NotFound: there is no plot of this name, or no such format.
    """
    name, form = request.GET.get("plot", ""), request.GET.get("as", "")
    if not name:
        return None
    if name not in figures or form not in {"csv", "svg"}:
        raise NotFound
    figure = figures[name]()
    if form == "csv":
        content, content_type = b"".join(csv_lines(figure.columns, figure.rows)), "text/csv"
    else:
        content, content_type = svg_of(figure).encode(), "image/svg+xml"
    response = HttpResponse(content, content_type=f"{content_type}; charset=utf-8")
    # Some plots have the names of people's own measures, which may hold any character.
    response["Content-Disposition"] = content_disposition_header(True, get_valid_filename(f"{name}.{form}"))
    return response


def svg_of(figure: Figure) -> str:
    """The figure as a picture that stands by itself."""
    height = figure.plot.size if isinstance(figure.plot, HeatPlot) else figure.plot.height
    ctx = {"figure": figure, "plot": figure.plot, "width": _WIDTH, "height": height + _HEADROOM + 24, "top": _HEADROOM}
    return render_to_string("plots/file.svg", ctx)
