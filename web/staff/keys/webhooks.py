"""The webhooks: making one, and what became of each delivery. For admins of all projects."""

import json
from typing import NamedTuple

from django.contrib import messages
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import roles
from annotation.access.roles import Role
from events.deliveries import resend
from events.kinds import TYPES
from events.log import as_json
from events.models import Delivery, Webhook
from events.webhooks import (
    Made,
    delete_webhook,
    make_webhook,
    restart_webhook,
    rotate_webhook,
    try_webhook,
    webhook_for,
)
from lib.faults import Conflict, Invalid, NotFound
from web.http.keyset_pages import Part, counted, window
from web.staff.decorators import ROWS, chosen, staff_actor, staff_only

MOST_COUNTED = 10_000


class Shown(NamedTuple):
    """A delivery with the body that is sent."""

    delivery: Delivery
    body: str


@staff_only
@require_http_methods(["GET", "POST"])
def webhook_list(request: HttpRequest) -> HttpResponse:
    """List the webhooks, the newest first; a posted form makes one, which gets what happens in all projects."""
    roles.check_everywhere(request.user, Role.ADMIN)
    if request.method != "POST":
        return _list_page(request)
    url, events = request.POST.get("url", "").strip(), request.POST.getlist("events")
    try:
        made = make_webhook(url=url, events=events, key=None, by=staff_actor(request), at=timezone.now())
    except (Invalid, Conflict) as error:
        errors = {fault.pointer.split("/")[1]: fault.detail for fault in error.faults} or {"url": error.detail}
        return _list_page(request, url=url, events=events, errors=errors, status=error.status)
    return _shown_once(request, made)


def _list_page(
    request: HttpRequest,
    *,
    url: str = "",
    events: list[str] | None = None,
    errors: dict[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    waiting = Count("deliveries", filter=Q(deliveries__status=Delivery.Status.WAITING))
    parked = Count("deliveries", filter=Q(deliveries__status=Delivery.Status.PARKED))
    ctx = {
        "section": "webhooks",
        "hooks": Webhook.objects.select_related("key").annotate(waiting=waiting, parked=parked).order_by("-pk"),
        "types": list(TYPES.items()),
        "url": url,
        "events": events or [],
        "errors": errors or {},
    }
    return render(request, "staff/keys/webhooks.html", ctx, status=status)


def _shown_once(request: HttpRequest, made: Made) -> HttpResponse:
    """The page with the secret, which is shown only here."""
    return render(request, "staff/keys/webhook_made.html", {"section": "webhooks", **made._asdict()})


@staff_only
@require_safe
def webhook(request: HttpRequest, public_id: str) -> HttpResponse:
    """One webhook and its deliveries, the newest first."""
    hook = _hook_for(request, public_id)
    status = chosen(request, "status", Delivery.Status.values)
    rows: QuerySet[Delivery] = hook.deliveries.select_related("event")
    if status:
        rows = rows.filter(status=status)
    page = window(request, [Part(rows, ("pk",), is_descending=True, prefix=("webhook",))], size=ROWS)
    ctx = {
        "section": "webhooks",
        "hook": hook,
        "window": page,
        "deliveries": [Shown(one, _pretty(one)) for one in page.rows],
        "total": counted(rows, most=MOST_COUNTED),
        "status": status,
        "statuses": Delivery.Status.choices,
        "now": timezone.now(),
    }
    return render(request, "staff/keys/webhook.html", ctx)


def _pretty(delivery: Delivery) -> str:
    return json.dumps(as_json(delivery.event), indent=2, ensure_ascii=False)


@staff_only
@require_POST
def act(request: HttpRequest, public_id: str) -> HttpResponse:
    """Test, rotate, restart or delete a webhook."""
    hook, by, now = _hook_for(request, public_id), staff_actor(request), timezone.now()
    match request.POST.get("act"):
        case "test":
            try_webhook(hook, by=by, at=now)
            messages.success(request, "A test is on its way: the list shows the answer in some seconds.")
        case "rotate":
            return _shown_once(request, rotate_webhook(hook, by=by, at=now))
        case "restart":
            restart_webhook(hook, by=by, at=now)
            messages.success(request, "It is sent to again.")
        case "delete":
            delete_webhook(hook, by=by, at=now)
            messages.success(request, f"{hook.url} is sent nothing more.")
            return redirect("staff-webhooks")
        case _:
            raise Invalid("Choose what to do.")
    return redirect("staff-webhook", hook.public_id)


@staff_only
@require_POST
def send_again(request: HttpRequest, public_id: str, delivery: str) -> HttpResponse:
    """Send a delivery again."""
    hook = _hook_for(request, public_id)
    found = hook.deliveries.filter(public_id=delivery).first()
    if found is None:
        raise NotFound
    resend(found, at=timezone.now())
    messages.success(request, "It is sent again in a moment.")
    return redirect("staff-webhook", hook.public_id)


def _hook_for(request: HttpRequest, public_id: str) -> Webhook:
    """The webhook, for an admin of all projects; 404 if there is none. 1 query."""
    roles.check_everywhere(request.user, Role.ADMIN)
    return webhook_for(None, public_id)
