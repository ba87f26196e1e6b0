"""The fonts of our PDF files: Bitstream Vera comes with ReportLab, so a file is the same on every machine."""

from functools import cache
from unicodedata import normalize

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

PLAIN, BOLD, LEANING = "Vera", "Vera-Bold", "Vera-Italic"
UNKNOWN = "?"
_FILES = {PLAIN: "Vera.ttf", BOLD: "VeraBd.ttf", LEANING: "VeraIt.ttf"}
_INSTEAD = str.maketrans({"Σ": "∑", "✓": "+", "✕": "×", "\u00a0": " ", "\u202f": " "})


@cache
def use_fonts() -> frozenset[int]:
    """Make the fonts known to ReportLab; returns the characters that they have."""
    for name, file in _FILES.items():
        pdfmetrics.registerFont(TTFont(name, file))
    pdfmetrics.registerFontFamily(PLAIN, normal=PLAIN, bold=BOLD, italic=LEANING, boldItalic=BOLD)
    return frozenset(pdfmetrics.getFont(PLAIN).face.charToGlyph)


def printable(text: str) -> str:
    """The text in characters that the fonts have: a letter without its accent, else a question mark.

    >>> printable("Σ of Żółw: √2 − 1"), printable("日本")
    ('∑ of Zółw: √2 − 1', '??')
    """
    known = use_fonts()
    return "".join(one if ord(one) in known else _plainer(one, known) for one in text.translate(_INSTEAD))


def _plainer(one: str, known: frozenset[int]) -> str:
    letter = normalize("NFD", one)[0]
    return letter if ord(letter) in known else UNKNOWN
