"""The drawing of a scene as an SVG file. Pure."""

from html import escape

from annotation.voxels.picture import Picture

MARK = "#c4008f"
"""Colour of a mask: far from every colour of the palette but one, and told by hatching besides."""


def svg_of(picture: Picture, *, title: str) -> str:
    """The drawing as a file. It has no scripts and no styles, so any page may show it as a picture."""
    left, top, width, height = picture.box
    box = f"{left:g} {top:g} {width:g} {height:g}"
    line = 'stroke="#000" stroke-opacity="0.28" stroke-width="0.5" stroke-linejoin="round"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{width:g}" height="{height:g}" role="img">',
        f"<title>{escape(title)}</title>",
        '<defs><pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(60)">'
        f'<path d="M0 1H4" stroke="{MARK}" stroke-width="1.3"/></pattern></defs>',
    ]
    for shape in picture.shapes:
        parts.append(f'<path fill="{shape.fill}" {line} d="{shape.d}"/>')
        if shape.is_marked:
            parts.append(f'<path fill="url(#hatch)" d="{shape.d}"/>')
    for d, dashes in ((picture.hidden, ' stroke-dasharray="4 3"'), (picture.outline, "")):
        if d:
            edge = f'fill="none" stroke-linejoin="round"{dashes} d="{d}"'
            parts.append(
                f'<path stroke="#fff" stroke-width="4" {edge}/><path stroke="{MARK}" stroke-width="2" {edge}/>'
            )
    for pin in picture.pins:
        parts.append(
            f'<path stroke="#fff" stroke-width="3.5" d="M{pin.x:g} {pin.y:g}V{pin.y_head:g}"/>'
            f'<path stroke="#111" stroke-width="1.5" d="M{pin.x:g} {pin.y:g}V{pin.y_head:g}"/>'
            f'<circle cx="{pin.x:g}" cy="{pin.y_head:g}" r="7" fill="#fff" stroke="#111"/>'
            f'<text x="{pin.x:g}" y="{pin.y_head + 3.6:g}" font-family="sans-serif" font-size="10" font-weight="bold" '
            f'text-anchor="middle" fill="#111">{pin.letter}</text>'
        )
    return "\n".join([*parts, "</svg>"])
