"""Pages of ours as PDF files."""

import re
from xml.etree.ElementTree import fromstring

import pytest

from lib.printing.pages import printed
from lib.printing.pictures import LOOKS, ON_SCREEN_ALONE, SERIES, drawing_of
from tests.support.shared_data import ROOT

PAGE = "<!DOCTYPE html><html><head><meta charset='utf-8'><title>A page</title></head><body>{}</body></html>"


def pages_of(content: bytes) -> int:
    return len(re.findall(rb"/Type /Page\b", content))


def test_the_same_page_gives_the_same_bytes_and_its_headings_are_the_outline() -> None:
    page = PAGE.format("<h1>Top</h1><h2>The agents</h2><p>One.</p><h3>Best</h3><ol><li>First.</li></ol>")
    content = printed(page)
    assert content == printed(page)
    assert content.startswith(b"%PDF-")
    assert re.findall(rb"/Title \(([^)]*)\)", content) == [b"A page", b"The agents", b"Best"]


@pytest.mark.parametrize(("rows", "pages"), [(3, 1), (100, 2)])
def test_a_long_table_goes_on_on_the_next_page(rows: int, pages: int) -> None:
    head = "<thead><tr><th>Agent</th><th class='num'>Rate</th></tr></thead>"
    body = "".join(f"<tr><td>agent-{row}</td><td class='num'>{row} %</td></tr>" for row in range(rows))
    wide = "<tr><td colspan='2'>One sentence over both columns.</td></tr>"
    assert pages_of(printed(PAGE.format(f"<table>{head}<tbody>{body}{wide}</tbody></table>"))) == pages


@pytest.mark.parametrize(
    "words",
    [
        "&lt;img src='file:///etc/hostname'/&gt;",
        "&lt;font color='red'&gt;",
        "&lt;/para&gt;&amp;",
        "日本 Σ √ −",
        "x" * 400,
        "",
    ],
)
def test_any_words_are_printed_as_words(words: str) -> None:
    content = printed(PAGE.format(f"<h2>{words}</h2><p>{words}</p><table><tr><td>{words}</td></tr></table>"))
    assert b"/Subtype /Image" not in content


def test_what_is_folded_is_left_out() -> None:
    rows = "<p>row</p>" * 200
    assert pages_of(printed(PAGE.format(f"<p>Text.</p><details><summary>Numbers</summary>{rows}</details>"))) == 1


def test_places_of_a_picture_are_counted_from_the_frame_that_they_are_in() -> None:
    svg = """<svg width="200" height="100">
    <svg x="50" y="20" width="100" height="60"><g class="series-2">
    <circle class="plot-dot" cx="25%" cy="10" r="5"/></g></svg>
    <text x="100%" y="50" text-anchor="end">end</text></svg>"""
    drawing = drawing_of(fromstring(svg), width=100, most_height=1000)
    assert (drawing.width, drawing.height) == (100, 50)
    dot, words = drawing.contents
    assert (dot.cx, dot.cy, dot.fillColor.hexval()) == (75, 70, "0xb65c00")
    assert (words.x, words.y, words.text, words.textAnchor) == (200, 50, "end", "end")


def test_a_high_picture_is_made_to_fit_its_page() -> None:
    drawing = drawing_of(fromstring('<svg width="100" height="1000"></svg>'), width=100, most_height=500)
    assert (drawing.width, drawing.height) == (50, 500)


def test_every_class_of_the_plots_has_a_look() -> None:
    """A class that ends with a value of the plot is known by its beginning; `plot-mark` groups shapes."""
    plots = "".join(path.read_text() for path in (ROOT / "templates/plots").glob("*.svg"))
    named = {name for text in re.findall(r'class="([^"]*)"', plots) for name in re.findall(r"plot-[\w-]+", text)}
    drawn = named - {"plot-mark", *ON_SCREEN_ALONE}
    assert {name for name in drawn if not any(known.startswith(name) for known in LOOKS)} == set()
    assert set(re.findall(r"\.(series-\d)", plots)) == set(SERIES)
