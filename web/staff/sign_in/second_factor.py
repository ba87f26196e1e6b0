"""The second factor: a code of an app on the phone (TOTP, RFC 6238), or one of ten recovery codes.

With `CROSSWALK_REQUIRE_TOTP`, staff without a second factor must set one up before they see a staff page or the admin.
"""

from collections.abc import Callable
from io import BytesIO
from typing import ClassVar

from allauth.core import context
from allauth.core.internal.cryptokit import compare_user_code
from allauth.mfa import app_settings
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.totp.internal.auth import validate_totp_code
from allauth.mfa.utils import decrypt
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from web.staff.sign_in.records import note_failure

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
"""The names of addresses that stay open for accounts without a second factor."""

Respond = Callable[[HttpRequest], HttpResponseBase]


class SecondFactorRequired:
    """Sends staff without a second factor to set one up, if the setting requires one. 1 query then."""

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
    """Whether sign-in to this account asks for a code. 1 query."""
    return bool(Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists())


class SecondFactorAdapter(DefaultMFAAdapter):
    """The settings of the second factor."""

    error_messages: ClassVar[dict[str, str]] = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": "This code is not right, or it was used before. Wait for the next one, then try again.",
    }

    def get_totp_label(self, user: User) -> str:
        return user.get_username()

    def build_totp_svg(self, url: str) -> str:
        """The QR code, black on white even on a dark page, because phones cannot read it otherwise."""
        # Not at the start of every process: it loads Pillow and lxml.
        import qrcode
        from qrcode.image.svg import SvgPathFillImage

        drawn = BytesIO()
        qrcode.make(url, image_factory=SvgPathFillImage).save(drawn)
        return drawn.getvalue().decode()


def take_code(user: User, code: str) -> str:
    """Accept the code, unless this account has used it already while it was valid.

    allauth remembers a used code for one period. We accept codes one period early or late, so a code is valid for
    three.

    Raises:
        ValidationError: the code was used before.
    """
    digits = "".join(filter(str.isalnum, code)).lower()
    lifetime_s = app_settings.TOTP_PERIOD * (2 * app_settings.TOTP_TOLERANCE + 1)
    if not cache.add(f"second-factor:{user.pk}:{digits}", 1, timeout=lifetime_s):
        raise SecondFactorAdapter().validation_error("incorrect_code")
    return code


class SignInCodes(PasswordResetTokenGenerator):
    """Codes that an operator prints on the server (`manage.py sign_in_code`).

    A code works for one account and an hour, until the account signs in or changes its password.
    """

    key_salt = "crosswalk.sign-in-code"


def opens_the_way(user: User, code: str) -> bool:
    """Whether the code lets the account's owner try a password although too many attempts have failed.

    It may be a code of the app, a recovery code, or one that an operator printed. It is not used up here: after the
    password, an account with a second factor is asked for a code as always. Up to 3 queries.
    """
    if not code:
        return False
    factors = {factor.type: factor.wrap() for factor in Authenticator.objects.filter(user=user)}
    app, recovery = factors.get(Authenticator.Type.TOTP), factors.get(Authenticator.Type.RECOVERY_CODES)
    if app and validate_totp_code(decrypt(app.instance.data["secret"]), code):
        return True
    if recovery and any(compare_user_code(actual=code, expected=unused) for unused in recovery.get_unused_codes()):
        return True
    return SignInCodes().check_token(user, code)


class SignInCodeForm(AuthenticateForm):
    """The form for the code after the password."""

    def clean_code(self) -> str:
        try:
            return take_code(self.user, super().clean_code())
        except ValidationError:
            note_failure(context.request, self.user, step="code")
            raise


class ConfirmCodeForm(ReauthenticateForm):
    """The form for the code before the account's protection changes."""

    def clean_code(self) -> str:
        return take_code(self.user, super().clean_code())


class ActivateForm(ActivateTOTPForm):
    """The form for the first code, which proves that the app has the key."""

    def clean_code(self) -> str:
        return take_code(self.user, super().clean_code())
