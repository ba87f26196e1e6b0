"""The addresses of the admin, under a wider content security policy than any other page has."""

from collections.abc import Sequence

from csp.constants import SELF
from csp.decorators import csp_replace
from django.contrib import admin
from django.urls import URLPattern, URLResolver

AdminUrls = tuple[list[URLPattern | URLResolver], str, str]

# Unfold's pages carry inline scripts and styles without a nonce, and its Alpine build evaluates the expressions in
# their attributes. So, under /admin/ alone (staff, behind the same session): inline and evaluated scripts, inline
# styles, and scripts from our own address instead of by nonce. All else (frames, forms, connections) stays as it was.
WIDER = {
    "script-src": [SELF, "'unsafe-inline'", "'unsafe-eval'"],
    "style-src": [SELF, "'unsafe-inline'"],
}


def admin_urls() -> AdminUrls:
    """What `path("admin/", …)` takes: the admin's addresses, each answering with the wider policy."""
    patterns, app_name, name = admin.site.urls
    _widen(patterns)
    return patterns, app_name, name


def _widen(patterns: Sequence[URLPattern | URLResolver]) -> None:
    widen = csp_replace(WIDER)
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            _widen(pattern.url_patterns)
        else:
            pattern.callback = widen(pattern.callback)
