"""The line formats of commands with their forms, read and written: ours (JSON Lines) and droidlet's. Pure.

| shape | a line |
|---|---|
| `jsonl` | `{"text": …, "form": …}`, `lf` in place of `form`; may have `id`, `context`, `agent_form`, `marked` |
| `pairs` | `COMMAND|FORM` |
| `ids` | `ID|COMMAND|FORM` |
| `tabs` | `COMMAND`, a tab, `FORM` |

A form is a JSON object. It begins after the last separator from which the rest of the line is a JSON object. That is
never inside another form, because text that begins within a string has one quote too few. So a command may itself
contain a `|` or a `{`.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from annotation.datasets.forms_locate import located
from lib.logical_form import Form
from lib.logical_form.spans import MOST_CHARACTERS, MOST_TOKENS, tokenise
from lib.logical_form.upgrade import Change, upgraded
from lib.logical_form.validate import Fault, faults_of
from lib.name_patterns import EXTERNAL_ID
from lib.strict_json import parse_json, unstorable

JSONL, PAIRS, IDS, TABS = "jsonl", "pairs", "ids", "tabs"
SHAPES = (JSONL, PAIRS, IDS, TABS)
AUTO = "auto"
MOST_LINE = 100_000
"""Most characters of a line; real forms are shorter."""
_MOST_SEPARATORS = 50
"""Most places of one line that are tried as the beginning of its form."""
_SEPARATORS = {PAIRS: "|", IDS: "|", TABS: "\t"}
_SPELLINGS = ("form", "lf")
_KEYS = frozenset({*_SPELLINGS, "id", "text", "context", "agent_form", "marked"})


class Row(NamedTuple):
    """A command with its form, as a line states it."""

    text: str
    form: Any
    id: str = ""
    context: Any = ()
    agent_form: Any = None
    marked: Any = None


class Line(NamedTuple):
    """A line that was read: accepted if it has a row, repaired if it also has changes, otherwise refused with faults.

    Attributes:
        number: Counted from 1 among all lines.
    """

    number: int
    row: Row | None
    changes: tuple[Change, ...] = ()
    faults: tuple[Fault, ...] = ()


class Unreadable(ValueError):
    """A line does not have the expected shape."""


class Unwritable(ValueError):
    """A row cannot be written in this shape."""


# Reading -------------------------------------------------------------------------------------------------------


def read_lines(content: str, shape: str = AUTO) -> Iterator[Line]:
    """Each line that is not empty, its form in the present spelling and checked against the grammar and its command.

    Only a line feed ends a line: other characters that end lines elsewhere may be part of a command.
    """
    lines = [(number, line.strip("\r")) for number, line in enumerate(content.split("\n"), start=1)]
    full = [(number, line) for number, line in lines if line.strip()]
    found = shape_of(line for _, line in full) if shape == AUTO else shape
    for number, line in full:
        if len(line) > MOST_LINE:
            yield Line(number, None, faults=(Fault("", f"A line has at most {MOST_LINE} characters."),))
            continue
        try:
            row = parsed(line, found)
        except Unreadable as error:
            yield Line(number, None, faults=(Fault("", str(error)),))
            continue
        yield checked(number, row)


def shape_of(lines: Iterable[str]) -> str:
    """The shape that these lines seem to have, the same for all of them.

    If every line has two fields before the form and the first looks like an id, it is taken as an id. Name the shape if
    commands themselves contain a `|`.
    """
    known = list(lines)
    objects = sum(line.lstrip().startswith("{") and _object(line) is not None for line in known)
    pairs = [pair for line in known if (pair := _split(line, "|")) is not None]
    tabs = sum(_split(line, "\t") is not None for line in known)
    if objects >= max(len(pairs), tabs):
        return JSONL
    if tabs > len(pairs):
        return TABS
    return IDS if all(_is_id(head.partition("|")[0].strip()) and "|" in head for head, _ in pairs) else PAIRS


def parsed(line: str, shape: str) -> Row:
    """The parts of a line; its form is not checked.

    Raises:
        Unreadable: the line does not have this shape.
    """
    if shape == JSONL:
        return _row_of_json(line)
    mark = _SEPARATORS[shape]
    found = _split(line, mark)
    if found is None:
        name = "a tab" if mark == "\t" else "|"
        raise Unreadable(f"There is no form at the end of this line: {name} and a JSON object are missed.")
    head, form = found
    if shape != IDS:
        return Row(head.strip(), form)
    name, bar, text = head.partition("|")
    if not bar:
        raise Unreadable("A line of this shape is ID|COMMAND|FORM; this one has no ID.")
    return Row(text.strip(), form, id=name.strip())


def checked(number: int, row: Row) -> Line:
    """The row with its form upgraded and bare words replaced by spans, or its faults.

    The agent's form is read in the same way but may be wrong, because it is kept for comparison.
    """
    reason = _fault_of(row)
    if reason is not None:
        return Line(number, None, faults=(reason,))
    tokens = tokenise(row.text)
    form, renamed = upgraded(row.form)
    form, placed = located(form, tokens)
    faults = faults_of(form, words=len(tokens))
    if faults:
        return Line(number, None, faults=tuple(faults))
    agent_form = None if row.agent_form is None else as_read(row.agent_form, row.text)
    return Line(number, row._replace(form=form, agent_form=agent_form), changes=(*renamed, *placed))


def as_read(form: Any, text: str) -> Any:
    """A form, valid or not, upgraded and with spans as in `checked`, for comparison with other forms of its command."""
    found, _ = upgraded(form)
    return located(found, tokenise(text))[0]


def _row_of_json(line: str) -> Row:
    try:
        found = parse_json(line)
    except ValueError as error:
        raise Unreadable(f"This line is not JSON: {error}.") from None
    if not isinstance(found, dict):
        raise Unreadable("A line is a JSON object.")
    spelt = [name for name in _SPELLINGS if name in found]
    if len(spelt) != 1 or "text" not in found:
        raise Unreadable("A line has a text and a form (or lf).")
    # Further fields are ignored, so that the lines of an export can be imported unchanged.
    known = {name: value for name, value in found.items() if name in _KEYS and name not in _SPELLINGS}
    known["id"] = known.get("id") or ""
    if not isinstance(known["text"], str) or not isinstance(known["id"], str):
        raise Unreadable("Text and id are text.")
    return Row(**known, form=found[spelt[0]])


def _fault_of(row: Row) -> Fault | None:
    """The first fault of a row apart from its form; None if there is none."""
    words = len(tokenise(row.text))
    if not words:
        return Fault("", "The command has no words.")
    if words > MOST_TOKENS or len(row.text) > MOST_CHARACTERS:
        return Fault("", f"A command has at most {MOST_TOKENS} words and {MOST_CHARACTERS} characters.")
    if row.id and not _is_id(row.id):
        return Fault("", "An id has letters, digits, . _ : and - only; 128 at most.")
    if row.agent_form is not None and not isinstance(row.agent_form, dict):
        return Fault("", "The agent's form is a JSON object, or null.")
    if row.marked is not None and not isinstance(row.marked, bool):
        return Fault("", "marked is true, false or null.")
    strange = unstorable([row.text, row.form, row.context, row.agent_form])
    return Fault("", strange[0].detail) if strange else None


def _split(line: str, mark: str) -> tuple[str, Form] | None:
    """The text before the form, and the form; None if the line has no form."""
    if len(line) > MOST_LINE:
        return None
    places = [match.start() for match in re.finditer(re.escape(mark) + r" *\{", line)]
    for found in reversed(places[-_MOST_SEPARATORS:]):
        form = _object(line[found + 1 :])
        if form is not None:
            return line[:found], form
    return None


def _object(text: str) -> Form | None:
    try:
        found = parse_json(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _is_id(text: str) -> bool:
    return re.fullmatch(EXTERNAL_ID, text) is not None


# Writing -------------------------------------------------------------------------------------------------------


def written(row: Row, shape: str) -> str:
    """The row as one line without its end. `parsed` reads it back unchanged, except for white space in its command.

    In droidlet's shapes, tabs and line ends of a command become spaces, because they end fields and lines there. The
    number of words stays the same, so spans stay right.

    Raises:
        Unwritable: the shape needs an id, and the row has no valid one.
    """
    if shape == JSONL:
        return _json({name: value for name, value in row._asdict().items() if value not in ("", None, ())})
    text = " ".join(re.split(r"[\t\n\r]+", row.text)).strip()
    form = _json(row.form)
    if shape == IDS:
        if not _is_id(row.id):
            raise Unwritable("This row has no id.")
        return f"{row.id}|{text}|{form}"
    return f"{text}{_SEPARATORS[shape]}{form}"


def _json(value: Any) -> str:
    # JSON escapes line ends and tabs in strings.
    return json.dumps(value, ensure_ascii=False)
