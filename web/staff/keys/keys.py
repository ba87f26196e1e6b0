"""The API keys: the list, and making, rotating and revoking them. For admins of all projects."""

from datetime import timedelta
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from agents.keys import create_key, revoke_key, rotate_key
from agents.models import ApiKey
from annotation.access import roles
from annotation.access.roles import Role
from lib.faults import Conflict, Invalid, NotFound
from web.staff.decorators import staff_actor, staff_only
from web.staff.grid.columns import WIDE, Column, by
from web.staff.grid.filters import text
from web.staff.grid.listing import Act, Given, Listing, Shown
from web.staff.grid.page import drawn, respond
from web.staff.keys.key_form import LIVES, Typed, errors_by_field, owners, typed_in

OVERLAPS = {"0": "at once", "1": "in an hour", "24": "in a day", "168": "in a week", "720": "in 30 days"}
"""After how many hours the old key of a rotation ends, and the words for it."""


class Row(NamedTuple):
    """A key in the list, with its state now."""

    key: ApiKey
    state: str


COLUMNS: tuple[Column[Row], ...] = (
    Column("key", "Key", lambda row: row.key.name, WIDE, is_fixed=True),
    Column("owner", "Owner", lambda row: row.key.owner.get_username() if row.key.owner else "", is_usual=False),
    Column("state", "State", lambda row: row.state),
    Column("may", "May", lambda row: row.key.scopes, WIDE),
    Column("used", "Last used", lambda row: row.key.used_at),
    Column("newest", "Made", lambda row: row.key.created_at, is_usual=False),
    Column("acts", "Act", lambda row: None),
)


@staff_only
@require_http_methods(["GET", "POST"])
def key_list(request: HttpRequest) -> HttpResponseBase:
    """List the keys, the newest first; a posted form makes one, or revokes the chosen ones."""
    roles.check_everywhere(request.user, Role.ADMIN)
    if request.method != "POST" or "act" in request.POST:
        return _list_page(request, Typed(owner=request.user.get_username()))
    typed, now = typed_in(request), timezone.now()
    try:
        life = typed.life()
        key = create_key(
            name=typed.name,
            scopes=typed.scopes,
            owner=typed.owner_account(),
            limits=typed.limits(),
            expires_at=now + life if life else None,
            by=staff_actor(request),
            at=now,
        )
    except Invalid as error:
        return _list_page(request, typed, errors=errors_by_field(error.faults), status=error.status)
    return _shown_once(request, typed.name, key)


def _list_page(
    request: HttpRequest, typed: Typed, *, errors: dict[str, str] | None = None, status: int = 200
) -> HttpResponseBase:
    now = timezone.now()
    search = text(request, "Name")
    rows = ApiKey.objects.select_related("owner")

    def end(key: ApiKey, given: Given) -> bool:
        return revoke_key(key, by=staff_actor(request), at=timezone.now())

    listing = Listing(
        name="keys",
        what="key",
        rows=rows.filter(name__icontains=search.value) if search else rows,
        columns=COLUMNS,
        made=lambda found: [Row(key, key.state(at=now)) for key in found],
        orders={"newest": by("created_at", "id")},
        filters=[search],
        cells="staff/keys/_key_cells.html",
        acts=[
            Act(
                "revoke",
                "Revoke",
                "revoked: their programs get 401 from now on",
                end,
                takes_reason=False,
                is_final=True,
            )
        ],
    )

    def more(grid: Shown) -> dict[str, Any]:
        return {
            "section": "keys",
            "typed": typed,
            "errors": errors or {},
            "scopes": ApiKey.Scope.choices,
            "owners": owners(),
            "lives": LIVES.items(),
            "overlaps": OVERLAPS.items(),
        }

    if errors is not None:
        return drawn(request, listing, "staff/keys/keys.html", more, status=status)
    return respond(request, listing, "staff/keys/keys.html", more)


def _shown_once(request: HttpRequest, name: str, key: str, *, note: str = "") -> HttpResponse:
    """The page with the text of a new key, which is stored nowhere."""
    ctx = {"section": "keys", "name": name, "key": key, "note": note}
    return render(request, "staff/keys/key_made.html", ctx)


@staff_only
@require_POST
def rotate(request: HttpRequest, pk: int) -> HttpResponse:
    """Make the key that follows this one."""
    old = _key_for(request, pk)
    overlap = request.POST.get("overlap", "")
    if overlap not in OVERLAPS:
        raise Invalid("Choose when the old key ends.")
    key = rotate_key(old, overlap=timedelta(hours=int(overlap)), by=staff_actor(request), at=timezone.now())
    return _shown_once(request, old.name, key, note=f"The old key ends {OVERLAPS[overlap]}.")


@staff_only
@require_POST
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """End a key for good."""
    key = _key_for(request, pk)
    if not revoke_key(key, by=staff_actor(request), at=timezone.now()):
        raise Conflict("This key was revoked before.")
    messages.success(request, f"{key} is revoked. Its programs get 401 from now on.")
    return redirect("staff-keys")


def _key_for(request: HttpRequest, pk: int) -> ApiKey:
    """The key, for an admin of all projects. 1 query.

    Raises:
        Forbidden: the account is no such admin.
        NotFound: there is no such key.
    """
    roles.check_everywhere(request.user, Role.ADMIN)
    found = ApiKey.objects.filter(pk=pk).first()
    if found is None:
        raise NotFound
    return found
