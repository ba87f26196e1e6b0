"""The second factor: a code of an app on the phone (TOTP, RFC 6238), or one of ten recovery codes.

`CROSSWALK_REQUIRE_TOTP` makes it the rule: staff without one get no staff page and no admin before they set one up.
"""

from collections.abc import Callable
from io import BytesIO
from typing import ClassVar

import qrcode
from allauth.mfa import app_settings
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from qrcode.image.svg import SvgPathFillImage

GUARDED = ("/staff/", "/admin/")
OPEN = {
    "staff-sign-in",
    "staff-sign-in-oidc",
    "staff-sign-in-oidc-back",
    "staff-sign-out",
    "account_reauthenticate",
    "mfa_authenticate",
    "mfa_reauthenticate",
    "mfa_activate_totp",
}
"""The names of the guarded addresses that also those may open who have no second factor yet."""

Respond = Callable[[HttpRequest], HttpResponseBase]


class SecondFactorRequired:
    """Middleware: where the setting asks for it, staff without a second factor are sent to set one up. 1 query then."""

    def __init__(self, get_response: Respond) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_view(self, request: HttpRequest, *_: object) -> HttpResponse | None:
        if not settings.REQUIRE_TOTP or not request.path.startswith(GUARDED):
            return None
        user = request.user
        match = request.resolver_match
        if not (user.is_authenticated and user.is_staff) or (match is not None and match.view_name in OPEN):
            return None
        if has_second_factor(user):
            return None
        return redirect("mfa_activate_totp")


def has_second_factor(user: User) -> bool:
    """Whether signing in to this account asks for a code. 1 query."""
    return bool(Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists())


class SecondFactorAdapter(DefaultMFAAdapter):
    """What we decide of the second factor."""

    error_messages: ClassVar[dict[str, str]] = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": "This code is not right, or it was used before. Wait for the next one, then try again.",
    }

    def get_totp_label(self, user: User) -> str:
        return user.get_username()

    def build_totp_svg(self, url: str) -> str:
        """The QR code, black on white also on a dark page: phones read it no other way."""
        drawn = BytesIO()
        qrcode.make(url, image_factory=SvgPathFillImage).save(drawn)
        return drawn.getvalue().decode()


def take_code(user: User, code: str) -> str:
    """The code, if it was not taken from this account while it could still be right; else a ValidationError.

    allauth remembers a used code for one period, but we let a code be one period early or late, so it is right for
    three.
    """
    digits = "".join(filter(str.isalnum, code)).lower()
    lifetime_s = app_settings.TOTP_PERIOD * (2 * app_settings.TOTP_TOLERANCE + 1)
    if not cache.add(f"second-factor:{user.pk}:{digits}", 1, timeout=lifetime_s):
        raise SecondFactorAdapter().validation_error("incorrect_code")
    return code


class SignInCodeForm(AuthenticateForm):
    """The code that is asked for after the password."""

    def clean_code(self) -> str:
        return take_code(self.user, super().clean_code())


class ConfirmCodeForm(ReauthenticateForm):
    """The code that is asked for before the account's protection changes."""

    def clean_code(self) -> str:
        return take_code(self.user, super().clean_code())


class ActivateForm(ActivateTOTPForm):
    """The first code, which shows that the app has the key."""

    def clean_code(self) -> str:
        return take_code(self.user, super().clean_code())
