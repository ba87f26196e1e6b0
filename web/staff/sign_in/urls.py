"""The addresses of sign-in. Of django-allauth only the needed views are here: no sign-up, no mail, no password reset.

Some addresses have two names: our name, and the one that allauth uses for redirects.
"""

from collections.abc import Callable

from allauth.account.views import LogoutView
from allauth.account.views import ReauthenticateView as ConfirmByPassword
from allauth.mfa.base.views import AuthenticateView
from allauth.mfa.base.views import ReauthenticateView as ConfirmByCode
from allauth.mfa.recovery_codes.views import ViewRecoveryCodesView
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from web.staff.decorators import own_account
from web.staff.sign_in import oidc, pages

CONFIRM = "staff/sign_in/confirm.html"
CODE = never_cache(AuthenticateView.as_view(template_name="staff/sign_in/code.html"))
CODES = ViewRecoveryCodesView.as_view(template_name="staff/sign_in/recovery_codes.html")


def _named(route: str, view: Callable[..., HttpResponseBase], *names: str) -> list[URLPattern]:
    return [path(route, view, name=name) for name in names]


urlpatterns = [
    *_named("sign-in/", pages.SignIn.as_view(), "staff-sign-in", "account_login"),
    path("sign-in/code/", CODE, name="mfa_authenticate"),
    path("sign-in/service/", oidc.go_to_service, name="staff-sign-in-oidc"),
    path("sign-in/service/back/", oidc.come_back, name="staff-sign-in-oidc-back"),
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
        own_account(ConfirmByCode.as_view(template_name=CONFIRM)),
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
