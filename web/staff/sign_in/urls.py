"""The addresses of sign-in. Of django-allauth only the needed views are here: no sign-up, no mail, no password reset.

Some addresses have two names: our name, and the one that allauth uses for redirects.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from allauth.account.views import LogoutView
from allauth.account.views import ReauthenticateView as ConfirmByPassword
from allauth.mfa.recovery_codes.views import ViewRecoveryCodesView
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.utils.module_loading import import_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from web.staff.decorators import own_account
from web.staff.sign_in import pages

View = Callable[..., HttpResponseBase]


def _loaded_when_asked(name: str, **options: Any) -> View:
    """The view of this name, whose module the first request loads; `options` are those of a class of views.

    These modules load packages for passkeys and for talking to a sign-in service: 15 MB that most processes never need.
    """

    @cache
    def view() -> View:
        found: Any = import_string(name)
        made: View = found.as_view(**options) if options else found
        return made

    def respond(request: HttpRequest, *args: object, **words: object) -> HttpResponseBase:
        return view()(request, *args, **words)

    return respond


CONFIRM = "staff/sign_in/confirm.html"
CODE = never_cache(
    _loaded_when_asked("allauth.mfa.base.views.AuthenticateView", template_name="staff/sign_in/code.html")
)
CONFIRM_BY_CODE = _loaded_when_asked("allauth.mfa.base.views.ReauthenticateView", template_name=CONFIRM)
GO_TO_SERVICE = _loaded_when_asked("web.staff.sign_in.oidc.go_to_service")
COME_BACK = _loaded_when_asked("web.staff.sign_in.oidc.come_back")
CODES = ViewRecoveryCodesView.as_view(template_name="staff/sign_in/recovery_codes.html")


def _named(route: str, view: View, *names: str) -> list[URLPattern]:
    return [path(route, view, name=name) for name in names]


urlpatterns = [
    *_named("sign-in/", pages.SignIn.as_view(), "staff-sign-in", "account_login"),
    path("sign-in/code/", CODE, name="mfa_authenticate"),
    path("sign-in/service/", GO_TO_SERVICE, name="staff-sign-in-oidc"),
    path("sign-in/service/back/", COME_BACK, name="staff-sign-in-oidc-back"),
    path("sign-out/", require_POST(LogoutView.as_view()), name="staff-sign-out"),
    # allauth sends accounts without a password to set one. Here only an admin can do that; the page of the account says
    # so.
    *_named("account/", pages.account, "staff-account", "mfa_index", "account_set_password"),
    path("account/password/", own_account(pages.ChangePassword.as_view()), name="account_change_password"),
    path(
        "account/confirm/",
        own_account(ConfirmByPassword.as_view(template_name=CONFIRM)),
        name="account_reauthenticate",
    ),
    path(
        "account/confirm/code/",
        own_account(CONFIRM_BY_CODE),
        name="mfa_reauthenticate",
    ),
    path("account/second-factor/", own_account(pages.TurnOn.as_view()), name="mfa_activate_totp"),
    path("account/second-factor/off/", own_account(pages.TurnOff.as_view()), name="mfa_deactivate_totp"),
    path("account/recovery-codes/", own_account(CODES), name="mfa_view_recovery_codes"),
    path(
        "account/recovery-codes/new/",
        own_account(pages.NewRecoveryCodes.as_view()),
        name="mfa_generate_recovery_codes",
    ),
]
