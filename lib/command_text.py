"""The text of a command: cleaned of markup, normalised for comparison, and checked whether it is a command.

Text that workers paste contains markup: tags, entities broken by spaces, whole styles. `clean` removes it; annotators
see the cleaned text, and the command keeps the raw text. `plain` is equal for commands that have the same words.
`fault_of` finds texts that are not commands, so annotators do not see them; doubtful texts count as commands.
"""

import html
import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from lib.logical_form.spans import MOST_CHARACTERS, MOST_TOKENS, tokenise

LONGEST_PLAIN: Final = 500
FAULTS: Final[Mapping[str, str]] = {
    "empty": "There are no words.",
    "markup": "It is markup that came with something pasted.",
    "too_long": f"It has more than {MOST_TOKENS} words.",
    "no_words": "It is mostly no words.",
    "unsafe": "It speaks of violence against people, or insults them.",
}
"""The reasons why a text is not a valid command: code to sentence."""

_TAGS: Final = (
    "a|abbr|article|aside|b|big|blockquote|body|br|button|center|code|dd|div|dl|dt|em|figure|font|footer|form|h[1-6]"
    "|head|header|hr|html|i|iframe|img|input|label|li|link|main|mark|meta|nav|o:p|ol|option|p|path|pre|s|script|section"
    "|select|small|span|strike|strong|style|sub|sup|svg|table|tbody|td|textarea|tfoot|th|thead|title|tr|u|ul|video"
)
_ENTITY: Final = re.compile(r"&\s?(#\s?x?[0-9a-f]{1,6}|[a-z][a-z0-9]{1,20})\s?;", re.IGNORECASE)
_NO_BREAK: Final = re.compile(r"&\s?nbsp\b\s?;?", re.IGNORECASE)
_UNSEEN: Final = re.compile(r"<!--.*?(?:-->|$)|<\s*(script|style)\b[^<>]*>.*?<\s*/\s*\1\s*>", re.IGNORECASE | re.DOTALL)
_TAG: Final = re.compile(rf"<\s*/?\s*(?:{_TAGS})\b[^<>]*>", re.IGNORECASE)
# The text may have been cut in the middle of a tag.
_CUT_OFF: Final = re.compile(rf"<\s*/?\s*(?:(?:{_TAGS})\s+[a-z-]+\s*=[^<>]*|[a-z]{{0,9}})$", re.IGNORECASE)
_SPACE: Final = re.compile(r"\s+")
_DEEPEST: Final = 3
"""How many times the entities of a text are decoded: `&amp;lt;` needs two."""


def clean(text: str) -> str:
    """The text as one line, without pasted markup and invisible characters.

    >>> clean("<div >Build the& nbsp ;square</div ><br>")
    'Build the square'
    >>> clean("if x < y then dig & fill ; stop")
    'if x < y then dig & fill ; stop'
    """
    found = _without_entities(text)
    less = _TAG.sub(" ", _UNSEEN.sub(" ", found))
    if less != found or "</" in less:
        less = _CUT_OFF.sub(" ", less.rstrip())
    less = unicodedata.normalize("NFKC", less)
    less = "".join(" " if unicodedata.category(c) == "Cc" else c for c in less if unicodedata.category(c) != "Cf")
    return _SPACE.sub(" ", less).strip()


def _without_entities(text: str) -> str:
    for _ in range(_DEEPEST):
        before, text = text, _ENTITY.sub(_character, _NO_BREAK.sub(" ", text))
        if text == before:
            break
    return text


def _character(entity: "re.Match[str]") -> str:
    """The character of an HTML entity; the unchanged text where it is not an entity."""
    name = f"&{entity[1].replace(' ', '')};"
    found = html.unescape(name)
    return found if found != name else entity[0]


_APART: Final = re.compile(r"(?<=\w) '(?=(?:s|re|ve|ll|d|m|t)\b)")
_MARKS: Final = re.compile(r"(?<=\d)\.(?=\d)|(?<=\w)['-](?=\w)|(?<!\w)-(?=\d)|[^\W_]|\s")
"""Letters, digits and spaces, and the marks that change the meaning: decimal points, apostrophes, hyphens, minus."""
_MEANINGFUL: Final = frozenset({"Mn", "Mc", "Me", "So"})
"""Unicode categories of accents, which belong to letters, and of pictures, which replace words."""


def plain(text: str) -> str:
    """The text for comparison: without case, punctuation and markup.

    >>> plain("Build a House, please!") == plain("build a house please")
    True
    >>> plain("Build a \N{HOUSE BUILDING}!") == plain("build a \N{EUROPEAN CASTLE}")
    False
    >>> plain("Move -3.5 steps, you 're slow'")
    "move -3.5 steps you're slow"
    """
    found = clean(text).replace("\u2019", "'").replace("`", "'").casefold()
    found = _APART.sub("'", found)
    kept, end = [], 0
    for match in _MARKS.finditer(found):
        kept.append(_meaningful(found[end : match.start()]))
        kept.append(match[0])
        end = match.end()
    kept.append(_meaningful(found[end:]))
    return _SPACE.sub(" ", "".join(kept)).strip()[:LONGEST_PLAIN].strip()


def _meaningful(marks: str) -> str:
    """The marks between two words that are kept (see `_MEANINGFUL`); a space if none of them is."""
    kept = "".join(c for c in marks if unicodedata.category(c) in _MEANINGFUL)
    return kept or " " * bool(marks)


# Faults ------------------------------------------------------------------------------------------------------------

_RESIDUE: Final = re.compile(
    r"\b(?:style|class|href|src|face|id|align|color)\s?=\s?[\"'#]"
    r"|\b(?:font|background|text|box|list|letter|line|border|white|word)\s?-\s?"
    r"(?:size|sizing|family|align|color|style|weight|spacing|height|image|space|variant|decoration|radius)\s?:"
    r"|\brgba?\s?\(|\b(?:margin|padding|color|display)\s?:\s?(?:#|rgb|\d|none|inherit|auto)"
    rf"|<\s?/|/\s?>|<\s?!|<\s?(?:{_TAGS})\b[^<>]*=|javascript\s?:|\{{\s?\"?\w+\"?\s?:",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_USUAL: Final = frozenset(" .,;:!?'\"()-/&+%#")
_PEOPLE: Final = (
    r"(?:people|persons?|m[ae]n|wom[ae]n|humans?|humanity|child|children|kids?|bab(?:y|ies)|boys?|girls?|guys?"
    r"|every(?:one|body)|some(?:one|body)|any(?:one|body)|workers?"
    r"|(?:black|white|jew|jewish|muslim|christian|arab|gay|immigrant|refugee)s?)"
)
_SOME: Final = r"(?:(?:all|of|the|those|these|that|this|every|some|any|an?|other|innocent|little|old|young)\s)*"
_UNSAFE: Final = re.compile(
    rf"\b(?:kill|murder|stab|strangle|torture|behead|rape)(?:s|ing)?\s{_SOME}"
    rf"(?:{_PEOPLE}|me|you|(?:my|your|him|her)self|him|her|them all)\b(?!\s(?:a|an|some)\b)"
    rf"|\b(?:shoot|slaughter|execute|poison|lynch|gas|burn|hurt|bomb|drown|hang)(?:s|ing)?\s{_SOME}{_PEOPLE}\b"
    r"|\bfuck(?:ing)?\s(?:you|off|yourself|him|her|them)\b|\b(?:go|just)\s(?:and\s)?die\b|\bsuicide\b"
    r"|\b(?:cunt|whore|slut|nigger|faggot|swastika|hitler|nazi|porn|penis|rapist)s?\b"
)


def fault_of(text: str) -> str:
    """The code of `FAULTS` for a text that is not a valid command; "" for a valid one.

    >>> [fault_of(text) for text in ("dig a hole & nbsp ;", "< br >", " ", "34473")]
    ['', 'markup', 'empty', 'no_words']
    """
    cleaned, words = clean(text), plain(text)
    if not words:
        return "markup" if _WORD.search(text) else "no_words" if cleaned else "empty"
    if _RESIDUE.search(cleaned):
        return "markup"
    if len(tokenise(cleaned)) > MOST_TOKENS or len(cleaned) > MOST_CHARACTERS:
        return "too_long"
    odd = sum(not (c.isalnum() or c in _USUAL) for c in cleaned)
    if not _WORD.search(cleaned) or odd > sum(c.isalpha() for c in cleaned):
        return "no_words"
    return "unsafe" if _UNSAFE.search(words) else ""
