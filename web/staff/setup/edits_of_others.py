"""Two people edit one thing at once: a form says what it showed, so that nobody's change is lost.

A field that another person changed, and that this person left as it was, keeps the other's value. A field that both
changed is a conflict: nothing is saved, and the page says what the other wrote beside what was typed. So is a field in
a row of a list, if another person changed any row of this list.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from hashlib import sha256
from typing import Any, Concatenate, NamedTuple, ParamSpec

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict

from web.staff.setup.fields import Shown

SEEN = "seen"
"""The field of a form with the marks of the texts that it showed."""
SENTENCE = (
    "Somebody else saved this page while you had it open. What you typed is still here; what they changed besides is "
    "taken over. Look at the marked fields, then save again."
)
LONGEST = 200
_ROW = re.compile(r"(.+?)/[0-9]+(?:/|$)")
P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def saved_in_turn(rows: "Callable[[str], QuerySet[Any]]") -> "Callable[[View[P]], View[P]]":
    """Lock the thing that a posted form changes, from before its stored texts are read until what was typed is saved.

    Without the lock, two forms saved at the same moment would both be compared with the texts from before, and the
    second would overwrite the first.

    Args:
        rows: The row to lock, by the `slug` in the address.
    """

    def wrapped(view: "View[P]") -> "View[P]":
        @wraps(view)
        def in_turn(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if request.method != "POST":
                return view(request, *args, **kwargs)
            with transaction.atomic():
                list(rows(str(kwargs["slug"])).select_for_update().values_list("pk"))
                return view(request, *args, **kwargs)

        return in_turn

    return wrapped


class Merged(NamedTuple):
    """The texts of a form with the changes of others, and the sentences about fields that both changed."""

    texts: dict[str, str]
    conflicts: dict[str, str]


def marks_of(texts: Mapping[str, str]) -> str:
    """The texts that a form showed, short enough for a field of it."""
    return json.dumps({name: _mark(text) for name, text in texts.items()}, separators=(",", ":"))


def marks_of_fields(stored: Iterable[Shown]) -> str:
    return marks_of({one.field.path: one.text for one in stored})


def merged(seen: str, typed: Mapping[str, str], stored: Mapping[str, str]) -> Merged:
    """The typed texts with what others changed meanwhile.

    Args:
        seen: The marks that the form brought back; without them nothing is compared.
        stored: The texts that the form would show now.

    >>> seen = marks_of({"title": "Doors", "pay": "1", "lease": "60"})
    >>> merged(seen, {"title": "Red doors", "pay": "1", "lease": "90"}, {"title": "Doors", "pay": "2", "lease": "60"})
    Merged(texts={'title': 'Red doors', 'pay': '2', 'lease': '90'}, conflicts={})
    >>> merged(seen, {"title": "Red doors"}, {"title": "Gates"}).conflicts
    {'title': 'Meanwhile this became “Gates”. Save again to put yours in its place.'}
    """
    marks, texts = _read(seen), dict(typed)
    conflicts: dict[str, str] = {}
    if not marks:
        return Merged(texts, conflicts)
    # A row that the form did not have was empty in it.
    changed = {name for name, now in stored.items() if _mark(now) != marks.get(name, _EMPTY)}
    moved = {_list_of(name) for name in changed} - {""}
    for name, now in stored.items():
        typed_mark = _mark(typed.get(name, ""))
        if typed_mark == marks.get(name, _EMPTY):
            if name in changed:
                texts[name] = now
        elif typed_mark == _mark(now):
            continue
        elif name in changed:
            became = f"became “{now[:LONGEST]}”" if now.strip() else "was emptied"
            conflicts[name] = f"Meanwhile this {became}. Save again to put yours in its place."
        elif _list_of(name) in moved:
            conflicts[name] = "Rows of this list have changed meanwhile. See that this is in its row, then save again."
    return Merged(texts, conflicts)


def _list_of(name: str) -> str:
    """The list to whose numbered rows a field belongs; "" where it belongs to none. Rows after one that was taken out
    move up, so a row is not the same row once its list has changed."""
    found = _ROW.match(name)
    return found[1] if found else ""


def merged_form(form: QueryDict, stored: Sequence[Shown]) -> tuple[QueryDict, dict[str, str]]:
    """A posted form of fields with what others changed meanwhile, and the conflicts by the paths of the fields."""
    paths = [one.field.path for one in stored]
    found = merged(
        form.get(SEEN, ""),
        {path: form.get(path, "") for path in paths if path in form},
        {one.field.path: one.text for one in stored},
    )
    changed = form.copy()
    for path, text in found.texts.items():
        changed[path] = text
    return changed, found.conflicts


def _mark(text: str) -> str:
    plain = text.replace("\0", "").replace("\r\n", "\n").strip()
    return sha256(plain.encode()).hexdigest()[:12]


_EMPTY = _mark("")


def _read(seen: str) -> dict[str, str]:
    try:
        found = json.loads(seen)
    except ValueError:
        return {}
    return {str(name): str(mark) for name, mark in found.items()} if isinstance(found, dict) else {}
