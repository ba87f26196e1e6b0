"""Personal data in free text: e-mail addresses, telephone numbers and links, found by their shape alone.

A filter for people who look at what it finds, not a proof: it does not find names or streets. It leaves alone what
reports are full of: numbers of frames, times, dates, sizes.
"""

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from common.redaction import REMOVED

Kind = Literal["email", "link", "phone"]


class Flag(NamedTuple):
    """The place of a piece of personal data: `text[start:end]`, in characters."""

    kind: Kind
    start: int
    end: int


# Bounded on every side: a text of 5,000 letters must not be tried from each of them to its end.
_EMAIL = re.compile(
    r"(?<![\w.%+'-])[\w.%+'-]{0,63}[\w%+-]\s?(?:@|\(at\)|\[at\])\s?"
    r"(?:[\w-]{1,63}(?:\.|\s?(?:\(dot\)|\[dot\])\s?)){1,8}[a-z]{2,24}\b",
    re.IGNORECASE,
)
_LINK = re.compile(r"\b(?:https?://|www\.)[^\s<>\"']+", re.IGNORECASE)
# Endings that are no English word and no ending of a file: "done.It", "notes.md" and "clip.mov" are no links.
_ENDINGS = (
    "com|org|net|edu|gov|mil|info|biz|name|io|dev|app|ai|co|xyz|online|site|shop|blog|tech|cloud|page|eu|uk|de|"
    "fr|es|pt|nl|ch|se|dk|fi|pl|cz|sk|hu|ro|bg|gr|ie|lu|lt|lv|ee|hr|rs|ua|ru|tr|il|ae|sa|ir|pk|bd|lk|jp|cn|kr|"
    "tw|hk|sg|ph|vn|th|au|nz|ca|mx|br|ar|cl|pe|za|ng|ke|eg|gg|gl|ly|fm|tv|cc|ws"
)
_HOST = r"(?<![\w@./-])(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}"
_PATH = r"[^\s<>\"']*"
# Any ending of two letters, but only with a path behind it: "t.me/anna".
_BARE = re.compile(rf"{_HOST}(?:{_ENDINGS})(?![\w-]|\.\w)(?:/{_PATH})?|{_HOST}[a-z]{{2}}/[\w~]{_PATH}")
_TRAILING = ".,;:!?)]}'\""

# Dates and times look like telephone numbers to a machine, so they are taken out of the way first.
_DATE_OR_TIME = re.compile(
    r"\b\d{4}([-/.])\d{1,2}\1\d{1,2}\b|\b\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d{2})\b|\b\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?"
)
_INTERNATIONAL = re.compile(r"(?<![\w+.])(?:\+\s?|00)[1-9](?:[\s().-]{0,3}\d){6,14}(?!\w)")
_WITH_ZERO = re.compile(r"(?<![\w.,:-])\(?0[1-9](?:[\s()./-]{0,2}\d){7,10}(?!\w)")
_THREE_THREE_FOUR = re.compile(
    r"(?<![\w.,:-])(?:1[\s.-])?(?:\([2-9]\d{2}\)\s?|[2-9]\d{2}[-.])[2-9]?\d{2,3}[-.\s]\d{4}(?![\w-]|[.,]\d)"
    r"|(?<![\w.,:-])(?<!\d\s)[2-9]\d{2}\s[2-9]\d{2}\s\d{4}(?![\w-]|[.,]\d|\s\d)"
)
_CUED = re.compile(
    r"\b(?:tel|phone|telephone|mobile|cell|whatsapp|signal|telegram|call me|text me|ring me|reach me)\b\D{0,12}?"
    r"(\(?\d(?:[\s().-]{0,2}\d){6,14})(?!\w)",
    re.IGNORECASE,
)
_COUNTS_THINGS = re.compile(
    r"(?:frames?|pixels?|px|positions?|coordinates?|voxels?|blocks?|steps?)\W{0,3}$", re.IGNORECASE
)


def flags(text: str) -> list[Flag]:
    """Places that look like personal data, in the order of the text; no two overlap.

    >>> flags("write to ann@example.org")
    [Flag(kind='email', start=9, end=24)]
    >>> flags("at frame 373 of 8999, 12.433 s, on 2026-11-21 at 12:30:15")
    []
    """
    found = [Flag("email", *match.span()) for match in _EMAIL.finditer(text)]
    for pattern in (_LINK, _BARE):
        found += [Flag("link", match.start(), _end(text, match)) for match in pattern.finditer(text)]
    plain = _DATE_OR_TIME.sub(lambda match: "#" * len(match.group()), text)
    for pattern in (_INTERNATIONAL, _WITH_ZERO, _THREE_THREE_FOUR):
        for match in pattern.finditer(plain):
            if not _COUNTS_THINGS.search(plain[: match.start()]):
                found.append(Flag("phone", *match.span()))
    found += [Flag("phone", *match.span(1)) for match in _CUED.finditer(plain)]
    return _apart(found)


def redact(text: str, places: Iterable[Flag]) -> str:
    """The text with these places removed.

    >>> redact("write to ann@example.org", [Flag("email", 9, 24)])
    'write to [removed]'
    """
    for flag in sorted(places, key=lambda flag: flag.start, reverse=True):
        text = f"{text[: flag.start]}{REMOVED}{text[flag.end :]}"
    return text


def _end(text: str, match: "re.Match[str]") -> int:
    """The end of a link, without the punctuation of the sentence around it."""
    return match.start() + len(match.group().rstrip(_TRAILING))


def _apart(found: list[Flag]) -> list[Flag]:
    """Of flags that overlap, the one that begins first, and of those the longest; an e-mail address is no link as
    well."""
    kept: list[Flag] = []
    for flag in sorted(found, key=lambda flag: (flag.start, -flag.end)):
        if not kept or flag.start >= kept[-1].end:
            kept.append(flag)
    return kept
