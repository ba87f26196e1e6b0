"""The settings of staff accounts in django-allauth. Only admins create accounts, and nothing is sent by mail."""

import logging
import time
from typing import Any, ClassVar

from allauth.account import app_settings
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.authentication import get_authentication_records
from allauth.core import context
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from web.staff.sign_in.records import note_failure, note_sign_in
from web.staff.sign_in.refusals import NO_ACCOUNT, sign_in_refused
from web.staff.sign_in.second_factor import opens_the_way

logger = logging.getLogger(__name__)

# allauth names a message by its template. A message that is not in this table is not shown.
SAID: dict[str, str] = {
    "account/messages/password_changed.txt": "✓ Your password is changed. Other browsers were signed out.",
    "mfa/messages/totp_activated.txt": "✓ Two-factor sign-in is on.",
    "mfa/messages/totp_deactivated.txt": "✓ Two-factor sign-in is off.",
}


class AccountAdapter(DefaultAccountAdapter):
    """The settings of sign-in with a user name and a password."""

    error_messages: ClassVar[dict[str, str]] = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": "The user and the password do not match. Both are case-sensitive.",
        "too_many_login_attempts": "Too many attempts failed. Please wait five minutes, then try again.",
        "rate_limited": "Too many attempts failed. Please wait five minutes, then try again.",
        "enter_current_password": "This is not your current password.",
        "incorrect_password": "The password is not right.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def is_safe_url(self, url: str | None) -> bool:
        """Whether a redirect to the address is allowed.

        Only to this host and port, not to every host in the settings.
        """
        request = context.request
        return url_has_allowed_host_and_scheme(
            url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
        )

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Whether a new proof is needed before the second factor may change.

        A sign-in in the last minutes counts as proof.
        """
        records = get_authentication_records(context.request, context.request.user)
        proofs = [float(record["at"]) for record in records if record["method"] in {"password", "mfa"}]
        return bool(time.time() - max(proofs, default=0) >= app_settings.REAUTHENTICATION_TIMEOUT)

    def pre_authenticate(self, request: HttpRequest, **credentials: str) -> None:
        """Refuse the attempt if too many have failed, unless a code shows that the account's owner makes it.

        Otherwise a stranger who fails again and again would keep the owner out for good.
        """
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError:
            account = _account_named(credentials)
            if account is None or not opens_the_way(account, request.POST.get("code", "").strip()):
                raise

    def login(self, request: HttpRequest, user: User) -> None:
        super().login(request, user)
        note_sign_in(request, user)
        logger.info("staff.signed_in", extra={"account": user.pk})

    def authentication_failed(self, request: HttpRequest, **credentials: str) -> None:
        note_failure(request, _account_named(credentials), step="password")
        logger.warning("staff.sign_in_failed", extra={"address": self.get_client_ip(request)})

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("staff-account")

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        return sign_in_refused(request, NO_ACCOUNT)

    def get_client_ip(self, request: HttpRequest) -> str:
        """The address by which attempts are counted.

        Behind a Unix socket there is none, so all attempts are counted together.
        """
        try:
            return str(super().get_client_ip(request))
        except PermissionDenied:
            return "unknown"

    def add_message(
        self, request: HttpRequest, level: int, message_template: str | None = None, *args: Any, **kwargs: Any
    ) -> None:
        sentence = SAID.get(message_template or "")
        if sentence:
            messages.add_message(request, level, sentence)


def _account_named(credentials: dict[str, str]) -> User | None:
    return User.objects.filter(username=credentials.get("username", "")).first()
