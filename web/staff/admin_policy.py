"""The addresses of the admin: only superusers may open them, and they have a wider content security policy."""

from collections.abc import Sequence

from csp.constants import SELF
from csp.decorators import csp_replace
from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, URLResolver, reverse

from lib.faults import Forbidden
from web.staff.decorators import refused

AdminUrls = tuple[list[URLPattern | URLResolver], str, str]

# Unfold's pages contain inline scripts and styles without a nonce, and its build of Alpine evaluates expressions in
# attributes. So pages below /admin/ may use inline and evaluated scripts, inline styles, and scripts from our own
# address. Everything else (frames, forms, connections) stays forbidden there too.
WIDER = {
    "script-src": [SELF, "'unsafe-inline'", "'unsafe-eval'"],
    "style-src": [SELF, "'unsafe-inline'"],
}


def admin_urls() -> AdminUrls:
    """The addresses of the admin, for `path("admin/", …)`. Each is for superusers only and has the wider policy."""
    admin.site.has_permission = _is_superuser  # type: ignore[method-assign]
    patterns, app_name, name = admin.site.urls
    for pattern in patterns:
        if isinstance(pattern, URLPattern) and pattern.name == "login":
            pattern.callback = sign_in_as_staff
    _widen(patterns)
    return patterns, app_name, name


def _is_superuser(request: HttpRequest) -> bool:
    """Whether the account is a superuser.

    The admin shows every row and every worker's name, so no other role is enough.
    """
    return request.user.is_active and request.user.is_superuser


def sign_in_as_staff(request: HttpRequest, extra_context: object = None) -> HttpResponse:
    """Redirect to the sign-in page of staff. The admin's own page asks for no second factor and counts no attempts."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.GET.get("next") or reverse("admin:index"), reverse("staff-sign-in"))
    if not admin.site.has_permission(request):
        why = "You are signed in, but this account may not use the admin: it is for superusers."
        return refused(request, Forbidden(why))
    return redirect("admin:index")


def _widen(patterns: Sequence[URLPattern | URLResolver]) -> None:
    widen = csp_replace(WIDER)
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            _widen(pattern.url_patterns)
        else:
            pattern.callback = widen(pattern.callback)
