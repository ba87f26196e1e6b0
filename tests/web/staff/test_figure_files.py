"""Plots as files."""

import csv
import io
from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from django.test import RequestFactory

from lib.faults import NotFound
from lib.plots.charts import Point, bar_plot, heat_plot, line_plot
from lib.plots.intervals import Measured, interval_plot
from web.staff.figure_files import Figure, Plot, Value, file_asked

PLOTS: dict[str, Callable[[], Plot]] = {
    "interval": lambda: interval_plot([Measured("a & b", 0.5, 0.2, 0.8, n=9), Measured("none", None, n=0)]),
    "bars": lambda: bar_plot([("mon", 2), ("tue", 5)], marks=[(0.5, "you")]),
    "line": lambda: line_plot([Point(0, 0.1, 0.0, 0.4), Point(1, 0.9)], bounds=(0, 1), levels=[(0.5, "half")]),
    "heat": lambda: heat_plot(["ann", "bob"], {(0, 1): (0.9, "9 tasks")}),
}


def figure(kind: str) -> Figure:
    rows: list[list[Value]] = [["=1+1", 0.5], ["mon & <tue>", None]]
    return Figure("A <title>", "What it shows.", PLOTS[kind](), ["name", "value"], rows)


@pytest.mark.parametrize("kind", PLOTS)
def test_every_kind_comes_as_an_svg_that_stands_by_itself(kind: str, rf: RequestFactory) -> None:
    response = file_asked(rf.get("/", {"plot": "one", "as": "svg"}), {"one": lambda: figure(kind)})
    assert response is not None
    assert response["Content-Disposition"] == 'attachment; filename="one.svg"'
    root = ElementTree.fromstring(response.content)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "A <title>" in [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "href" not in response.content.decode()


def test_the_numbers_come_as_csv_and_no_text_becomes_a_formula(rf: RequestFactory) -> None:
    response = file_asked(rf.get("/", {"plot": "one", "as": "csv"}), {"one": lambda: figure("bars")})
    assert response is not None
    rows = list(csv.reader(io.StringIO(response.content.decode())))
    assert rows == [["name", "value"], ["'=1+1", "0.5"], ["mon & <tue>", ""]]


def test_a_page_without_a_wish_is_no_file(rf: RequestFactory) -> None:
    assert file_asked(rf.get("/", {"page": "2"}), {"one": lambda: figure("bars")}) is None


@pytest.mark.parametrize("query", [{"plot": "two", "as": "csv"}, {"plot": "one", "as": "png"}, {"plot": "one"}])
def test_what_is_not_there_is_a_404(query: dict[str, str], rf: RequestFactory) -> None:
    with pytest.raises(NotFound):
        file_asked(rf.get("/", query), {"one": lambda: figure("bars")})
