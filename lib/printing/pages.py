"""A page of ours as a PDF file. It knows headings, paragraphs, lists, tables and the pictures of plots.

Everything is drawn from the page itself, so the file says what the page says. Folded parts are left out: they are
numbers, which a page has as files too. The text of the page is never read as ReportLab's own markup.
"""

import io
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.sax.saxutils import escape

from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import KeepTogether, LongTable, Paragraph, SimpleDocTemplate, Spacer, TableStyle

from lib.printing.letters import BOLD, PLAIN, printable, use_fonts
from lib.printing.pictures import drawing_of

MARGIN = 48
WIDTH, HEIGHT = A4[0] - 2 * MARGIN, A4[1] - 2 * MARGIN
_HIGHEST_PICTURE = HEIGHT - 80
"""A picture leaves space for its caption on the same page."""
_INK, _GREY, _RULE = HexColor("#14202b"), HexColor("#55606d"), HexColor("#7b8794")
_ALONE = frozenset({"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})
_TEXT = ParagraphStyle("text", fontName=PLAIN, fontSize=9, leading=13, textColor=_INK, spaceAfter=6)
_QUIET = ParagraphStyle("quiet", _TEXT, fontSize=8, leading=11, textColor=_GREY)
_ITEM = ParagraphStyle("item", _TEXT, leftIndent=14, bulletIndent=2, spaceAfter=3)
_CELL = ParagraphStyle("cell", _TEXT, fontSize=7, leading=9, spaceAfter=0)
_NUMBER = ParagraphStyle("number", _CELL, alignment=TA_RIGHT)
_HEADINGS = {
    "h1": ParagraphStyle("h1", _TEXT, fontName=BOLD, fontSize=18, leading=22, spaceAfter=8),
    "h2": ParagraphStyle("h2", _TEXT, fontName=BOLD, fontSize=13, leading=17, spaceBefore=12, keepWithNext=1),
    "h3": ParagraphStyle("h3", _TEXT, fontName=BOLD, fontSize=10, leading=14, spaceBefore=8, keepWithNext=1),
}
_GRID = [
    ("LINEBELOW", (0, 0), (-1, -1), 0.25, HexColor("#d9dee4")),
    ("LINEBELOW", (0, 0), (-1, 0), 0.75, _RULE),
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ("LEFTPADDING", (0, 0), (-1, -1), 3),
    ("RIGHTPADDING", (0, 0), (-1, -1), 3),
    ("TOPPADDING", (0, 0), (-1, -1), 2),
    ("BOTTOMPADDING", (0, 0), (-1, -1), 2),
]
_MOST_COLUMN = 130.0


def printed(page: str) -> bytes:
    """The PDF file of a page. The same page gives the same bytes.

    Costs: about a second for a report of ten figures and 200 scenarios.
    """
    use_fonts()
    body = _tree(page)
    title = printable(_words(next(body.iter("title"), Element("title"))))
    content = io.BytesIO()
    file = SimpleDocTemplate(
        content,
        pagesize=A4,
        leftMargin=MARGIN,
        rightMargin=MARGIN,
        topMargin=MARGIN,
        bottomMargin=MARGIN,
        title=title,
        lang="en",
        invariant=1,
    )

    def footer(canvas: Any, _: Any) -> None:
        canvas.setFont(PLAIN, 7)
        canvas.setFillColor(_GREY)
        canvas.drawString(MARGIN, MARGIN / 2, title[:100])
        canvas.drawRightString(A4[0] - MARGIN, MARGIN / 2, f"page {canvas.getPageNumber()}")

    def after(block: Any) -> None:
        """The headings are the outline of the file."""
        level = {"h2": 0, "h3": 1}.get(getattr(getattr(block, "style", None), "name", ""))
        if level is not None:
            place = f"part-{len(places)}"
            file.canv.bookmarkPage(place)
            file.canv.addOutlineEntry(block.getPlainText(), place, level if places else 0)
            places.append(place)

    places: list[str] = []
    file.afterFlowable = after
    file.build(list(_blocks(next(body.iter("body"), body))), onFirstPage=footer, onLaterPages=footer)
    return content.getvalue()


class _Reader(HTMLParser):
    """Reads a page of ours into a tree."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tree = TreeBuilder()
        self.tree.start("page", {})

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tree.start(tag, {name: value or "" for name, value in attrs})
        if tag in _ALONE:
            self.tree.end(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _ALONE:
            self.tree.end(tag)

    def handle_data(self, data: str) -> None:
        self.tree.data(data)


def _tree(page: str) -> Element:
    reader = _Reader()
    reader.feed(page)
    reader.close()
    reader.tree.end("page")
    return reader.tree.close()


def _words(one: Element) -> str:
    return " ".join("".join(one.itertext()).split())


def _markup(one: Element) -> str:
    return escape(printable(_words(one)))


def _blocks(parent: Element) -> Iterator[Any]:
    for one in parent:
        kind = one.get("class", "")
        if one.tag in _HEADINGS:
            yield Paragraph(_markup(one), _HEADINGS[one.tag])
        elif one.tag in {"p", "figcaption"}:
            yield Paragraph(_markup(one), _QUIET if "muted" in kind else _TEXT)
        elif one.tag in {"ul", "ol"}:
            for number, item in enumerate(one.iter("li"), 1):
                yield Paragraph(_markup(item), _ITEM, bulletText=f"{number}." if one.tag == "ol" else "•")
        elif one.tag == "table":
            yield from _table(one)
        elif one.tag == "svg":
            yield drawing_of(one, width=WIDTH, most_height=_HIGHEST_PICTURE)
        elif one.tag == "figure":
            yield KeepTogether([*_blocks(one), Spacer(0, 10)])
        elif one.tag not in {"details", "style", "script"}:
            yield from _blocks(one)


def _table(table: Element) -> Iterator[Any]:
    """The table with its head on every page; its caption stands above it."""
    caption = table.find("caption")
    if caption is not None:
        yield Paragraph(_markup(caption), _QUIET)
    rows = [[cell for cell in row if cell.tag in {"td", "th"}] for row in table.iter("tr")]
    columns = max((sum(_span(cell) for cell in row) for row in rows), default=0)
    if not columns:
        return
    cells: list[list[Any]] = []
    style: list[Any] = list(_GRID)
    wanted = [18.0] * columns
    for number, row in enumerate(rows):
        line: list[Any] = []
        for cell in row:
            span = _span(cell)
            if span > 1:
                style.append(("SPAN", (len(line), number), (len(line) + span - 1, number)))
            else:
                wanted[len(line)] = max(wanted[len(line)], _wish(cell))
            line += [_cell(cell), *[""] * (span - 1)]
        cells.append(line + [""] * (columns - len(line)))
    share = WIDTH / sum(wanted)
    yield LongTable(
        cells,
        colWidths=[width * share for width in wanted],
        repeatRows=len(list(table.iterfind("thead/tr"))),
        style=TableStyle(style),
        hAlign="LEFT",
        spaceBefore=4,
        spaceAfter=8,
    )


def _span(cell: Element) -> int:
    return int(cell.get("colspan", "1"))


def _cell(cell: Element) -> Any:
    words = _markup(cell)
    return Paragraph(
        f"<b>{words}</b>" if cell.tag == "th" else words, _NUMBER if "num" in cell.get("class", "") else _CELL
    )


def _wish(cell: Element) -> float:
    """The width that a cell would like: all of it on one line, or a head by its longest word."""
    words = printable(_words(cell))
    parts = words.split() if cell.tag == "th" else [words]
    font = BOLD if cell.tag == "th" else PLAIN
    width = max((stringWidth(part, font, _CELL.fontSize) for part in parts), default=0.0)
    return min(float(width), _MOST_COLUMN) + 8
