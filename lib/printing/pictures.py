"""Pictures of our own plots (`templates/plots/file.svg`) as drawings of ReportLab. Other SVG is not understood."""

from collections.abc import Callable
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

from reportlab.graphics.shapes import Circle, Drawing, Line, Rect, String
from reportlab.lib.colors import HexColor

from lib.printing.letters import BOLD, PLAIN, printable

_INK, _GREY, _FIRST = "#14202b", "#55606d", "#1f5fbf"


class Look(NamedTuple):
    """The colours of a class; "current" is the colour of the series, "" means no colour."""

    fill: str = ""
    stroke: str = ""
    opacity: float = 1.0
    width: float = 1.0
    dashes: tuple[int, ...] = ()
    size: float = 12.0
    font: str = PLAIN


# Twins: the style in templates/plots/file.svg.
LOOKS = {
    "plot-title": Look(fill=_INK, size=15, font=BOLD),
    "plot-tick": Look(fill=_GREY),
    "plot-note": Look(fill=_GREY),
    "plot-label": Look(fill="current"),
    "plot-axis": Look(stroke="#7b8794"),
    "plot-grid": Look(stroke="#d9dee4"),
    "plot-zero": Look(stroke="#7b8794", dashes=(3, 3)),
    "plot-line": Look(stroke="current", width=2),
    "plot-whisker": Look(stroke="current", width=2),
    "plot-band": Look(fill="current", opacity=0.16),
    "plot-band-pale": Look(fill="current", opacity=0.08),
    "plot-dot": Look(fill="current"),
    "plot-bar": Look(fill="current"),
    "plot-heat-0": Look(fill=_FIRST, opacity=0.08),
    "plot-heat-1": Look(fill=_FIRST, opacity=0.2),
    "plot-heat-2": Look(fill=_FIRST, opacity=0.38),
    "plot-heat-3": Look(fill=_FIRST, opacity=0.8),
    "plot-heat-4": Look(fill=_FIRST),
    "plot-on-dark": Look(fill="#ffffff"),
    "plot-on-pale": Look(fill=_INK),
}
SERIES = {
    "series-1": _FIRST,
    "series-2": "#b65c00",
    "series-3": "#00755e",
    "series-4": "#9a3a80",
    "series-5": _GREY,
    "series-6": "#6a5200",
}
_TEXT = Look(fill=_INK)
ON_SCREEN_ALONE = ("plot-tip", "plot-hit")


class _Area(NamedTuple):
    """The part of the picture to which places refer, in px from its upper left corner, and the colour of its series."""

    x: float
    y: float
    width: float
    height: float
    colour: str

    def across(self, value: str) -> float:
        return self.x + _length(value, self.width)

    def down(self, value: str) -> float:
        return self.y + _length(value, self.height)


def _length(value: str, whole: float) -> float:
    return float(value[:-1]) / 100 * whole if value.endswith("%") else float(value or 0)


def drawing_of(svg: Element, *, width: float, most_height: float) -> Drawing:
    """The picture, scaled to this width, or to a smaller one where it would be higher than `most_height`; in points."""
    area = _Area(0, 0, float(svg.get("width", "0")), float(svg.get("height", "0")), _FIRST)
    drawing = Drawing(area.width, area.height)
    _add(drawing, svg, area)
    scale = min(width / area.width, most_height / area.height)
    drawing.scale(scale, scale)
    drawing.width, drawing.height = area.width * scale, area.height * scale
    return drawing


def _add(drawing: Drawing, parent: Element, area: _Area) -> None:
    for one in parent:
        tag = one.tag
        if one.get("class") in ON_SCREEN_ALONE:
            continue
        colour = SERIES.get(one.get("class", ""), area.colour)
        if tag == "svg":
            inner = _Area(
                area.across(one.get("x", "0")),
                area.down(one.get("y", "0")),
                _length(one.get("width", "100%"), area.width),
                _length(one.get("height", "100%"), area.height),
                colour,
            )
            _add(drawing, one, inner)
        elif tag == "g":
            _add(drawing, one, area._replace(colour=colour))
        elif tag in _SHAPES:
            _SHAPES[tag](drawing, one, area, _look(one))


def _look(one: Element) -> Look:
    """The look of the last of its classes that has one."""
    named = [LOOKS[name] for name in one.get("class", "").split() if name in LOOKS]
    return named[-1] if named else _TEXT


def _line(drawing: Drawing, one: Element, area: _Area, look: Look) -> None:
    (x1, x2), (y1, y2) = (
        [area.across(one.get(name, "0")) for name in ("x1", "x2")],
        [area.down(one.get(name, "0")) for name in ("y1", "y2")],
    )
    # The picture counts from above, the drawing from below.
    drawing.add(Line(x1, drawing.height - y1, x2, drawing.height - y2, **_ink(look, area)))


def _rect(drawing: Drawing, one: Element, area: _Area, look: Look) -> None:
    colour = one.get("fill")
    ink = {"fillColor": HexColor(colour), "strokeColor": None} if colour else _ink(look, area)
    wide, high = _length(one.get("width", "0"), area.width), _length(one.get("height", "0"), area.height)
    top = area.down(one.get("y", "0"))
    drawing.add(Rect(area.across(one.get("x", "0")), drawing.height - top - high, wide, high, **ink))


def _circle(drawing: Drawing, one: Element, area: _Area, look: Look) -> None:
    x, y = area.across(one.get("cx", "0")), area.down(one.get("cy", "0"))
    drawing.add(Circle(x, drawing.height - y, float(one.get("r", "0")), **_ink(look, area)))


def _text(drawing: Drawing, one: Element, area: _Area, look: Look) -> None:
    x = area.across(one.get("x", "0")) + float(one.get("dx", "0"))
    y = area.down(one.get("y", "0")) + float(one.get("dy", "0"))
    words = printable(" ".join((one.text or "").split()))
    colour = HexColor(area.colour if look.fill == "current" else look.fill)
    anchor = one.get("text-anchor", "start")
    drawing.add(
        String(
            x, drawing.height - y, words, fontName=look.font, fontSize=look.size, fillColor=colour, textAnchor=anchor
        )
    )


def _ink(look: Look, area: _Area) -> dict[str, Any]:
    def colour(name: str) -> Any:
        return HexColor(area.colour if name == "current" else name) if name else None

    return {
        "fillColor": colour(look.fill),
        "fillOpacity": look.opacity,
        "strokeColor": colour(look.stroke),
        "strokeWidth": look.width,
        "strokeDashArray": list(look.dashes) or None,
    }


_SHAPES: dict[str, Callable[[Drawing, Element, _Area, Look], None]] = {
    "line": _line,
    "rect": _rect,
    "circle": _circle,
    "text": _text,
}
