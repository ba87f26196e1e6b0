"""The sign-in page, and the page of the own account."""

from typing import Any

from allauth.account.utils import get_next_redirect_url
from allauth.account.views import LoginView, PasswordChangeView
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.views import GenerateRecoveryCodesView
from allauth.mfa.totp.views import ActivateTOTPView, DeactivateTOTPView
from django.conf import settings
from django.db import transaction
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from web.staff.decorators import own_account
from web.staff.sign_in.records import note


class SignIn(LoginView):
    """Sign-in with user name and password, or with the organisation's service."""

    template_name = "staff/sign_in/sign_in.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return {
            **super().get_context_data(**kwargs),
            "next": get_next_redirect_url(self.request) or "",
            "asks_code": _is_locked(kwargs.get("form")),
            "service": settings.OIDC_NAME if settings.OIDC_SERVER_URL else "",
        }


def _is_locked(form: Form | None) -> bool:
    """Whether the posted form was refused because too many attempts had failed."""
    faults = form.non_field_errors().as_data() if form and form.is_bound else []
    return any(fault.code == "too_many_login_attempts" for fault in faults)


@own_account
def account(request: HttpRequest) -> HttpResponse:
    """The own account: how it is protected, and links to change that. 1 query."""
    factors = {factor.type: factor for factor in Authenticator.objects.filter(user=request.user.pk)}
    recovery = factors.get(Authenticator.Type.RECOVERY_CODES)
    ctx = {
        "app": factors.get(Authenticator.Type.TOTP),
        "recovery_codes_left": len(recovery.wrap().get_unused_codes()) if recovery else 0,
        "has_password": request.user.is_authenticated and request.user.has_usable_password(),
        "service": settings.OIDC_NAME,
        "must_have_app": settings.REQUIRE_TOTP,
    }
    return render(request, "staff/sign_in/account.html", ctx)


class OnRecord:
    """Writes the change of an allauth view and its line in the audit log in one transaction."""

    verb: str
    request: HttpRequest

    def form_valid(self, form: Form) -> HttpResponse:
        with transaction.atomic():
            answer: HttpResponse = super().form_valid(form)  # type: ignore[misc]
            note(self.verb, self.request.user)  # type: ignore[arg-type]  # for staff only
        return answer


class ChangePassword(OnRecord, PasswordChangeView):
    template_name = "staff/sign_in/password.html"
    verb = "account.password_changed"


class TurnOn(OnRecord, ActivateTOTPView):
    template_name = "staff/sign_in/activate.html"
    verb = "account.second_factor_on"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return {**super().get_context_data(**kwargs), "must_have_app": settings.REQUIRE_TOTP}


class TurnOff(OnRecord, DeactivateTOTPView):
    template_name = "staff/sign_in/deactivate.html"
    verb = "account.second_factor_off"


class NewRecoveryCodes(OnRecord, GenerateRecoveryCodesView):
    template_name = "staff/sign_in/new_recovery_codes.html"
    verb = "account.recovery_codes_replaced"
