"""The page of one record: its form, its errors, what the API would do."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.tool_registry import Json
from lib.faults import Conflict, Invalid
from web.staff.setup.edits_of_others import SENTENCE, marks_of_fields, merged_form
from web.staff.setup.fields import OTHER, Field, Shown, errors_of, read_form, shown, shown_again
from web.staff.setup.names import slug_of

SLUG = Field(
    "slug",
    "Name in addresses",
    does="Small letters, digits, - and _. Empty: made from the title. It cannot change later.",
)


class Crumb(NamedTuple):
    """A link above the heading."""

    text: str
    address: str


class Record(NamedTuple):
    """A record as its page shows it.

    Attributes:
        body: What the fields show.
        call: The API's call that stores the same; "" for a record that is not there yet.
        picture: The address of a video, in which a moment can be found.
        history: The address of its history of changes.
    """

    section: str
    heading: str
    crumbs: Sequence[Crumb]
    fields: Sequence[Field]
    body: Json
    call: str = ""
    about: str = ""
    picture: str = ""
    history: str = ""
    template: str = "staff/setup/records/record.html"


Save = Callable[[Json], str]
"""Stores a typed body, and returns the address that follows. Raises Invalid or Conflict."""
Draw = Callable[[Sequence[Shown]], Json]


def answer(request: HttpRequest, record: Record, save: Save, *, draw: Draw | None = None) -> HttpResponse:
    """Show the form, or store what was typed; with errors it comes back as it was typed."""
    stored = shown(record.fields, record.body)
    if request.method != "POST":
        return _page(request, record, stored, draw=draw)
    sent, conflicts = merged_form(request.POST, stored)
    typed, errors = read_form(record.fields, sent, record.body)
    status = 422
    if conflicts:
        errors, status = {**errors, **conflicts, OTHER: SENTENCE}, 409
    if not errors:
        try:
            then = save(typed)
            messages.success(request, "✓ Saved.")
            return redirect(then)
        except (Invalid, Conflict) as error:
            errors, status = errors_of(error, record.fields), error.status
    drawn = shown_again(record.fields, sent, errors)
    return _page(request, record, drawn, errors=errors, status=status, draw=draw)


def _page(
    request: HttpRequest,
    record: Record,
    drawn: Sequence[Shown],
    *,
    errors: dict[str, str] | None = None,
    status: int = 200,
    draw: Draw | None = None,
) -> HttpResponse:
    ctx = {
        "section": record.section,
        "record": record,
        "seen": marks_of_fields(shown(record.fields, record.body)),
        "fields": drawn,
        "errors": errors or {},
        "other": (errors or {}).get("", ""),
        "call": record.call,
        **(draw(drawn) if draw else {}),
    }
    return render(request, record.template, ctx, status=status)


def slug_in(typed: Json, *, of: str, otherwise: str) -> str:
    """The typed slug, taken out of the body; or one made from this field."""
    given = typed.pop(SLUG.path, None)
    return str(given) if given else slug_of(str(typed.get(of) or ""), otherwise=otherwise)
