"""Sign-in with the organisation's own service (OpenID Connect), and the rules for accounts that may use it.

Only the settings name the trusted service, never a row in the database. The first sign-in finds an account by the
e-mail address that the service has verified. From then on the account is tied to the person's id at the service, so an
address that is given to another person later opens nothing.

Source: OpenID Connect Core 1.0, sections 3.1.3.7 (the token), 5.3.2 (both answers name one person).
"""

import logging
from typing import Any
from urllib.parse import urljoin

from allauth.account.utils import get_next_redirect_url, user_email, user_username
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, get_adapter
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin, SocialToken
from allauth.socialaccount.providers import registry
from allauth.socialaccount.providers.base import AuthError
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from requests import RequestException

from web.staff.sign_in import refusals
from web.staff.sign_in.records import note

logger = logging.getLogger(__name__)

SERVICE = "oidc"
"""The name of the one configured service in allauth."""

# As an app in the settings it would be loaded, with the packages that it needs, by every process at its start.
registry.register(OpenIDConnectProvider)


class Refused(Exception):
    """The person may not sign in; `sentence` is the reason."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def account_of(login: SocialLogin) -> User | None:
    """The account that this sign-in opens; None if a new account may be created.

    Raises:
        Refused: there is no account for the person, or it belongs to somebody else.
    """
    email = vouched_email(login.account.extra_data)
    # The database may treat different letters as equal (such as a dotless i), so Python compares again.
    found = [user for user in User.objects.filter(email__iexact=email) if user.email.lower() == email]
    if not found and login.is_existing:
        raise Refused(refusals.OTHER_IDENTITY)
    if not found and settings.OIDC_STAFF_DOMAIN and email.rpartition("@")[2] == settings.OIDC_STAFF_DOMAIN:
        return None
    if len(found) != 1 or not (found[0].is_active and found[0].is_staff):
        raise Refused(refusals.NO_ACCOUNT)
    account = found[0]
    if account.is_superuser:
        raise Refused(refusals.SUPERUSER)
    if login.is_existing:
        theirs = login.user.pk == account.pk
    else:
        theirs = not SocialAccount.objects.filter(user=account, provider=SERVICE).exists()
    if not theirs:
        raise Refused(refusals.OTHER_IDENTITY)
    return account


def vouched_email(claims: dict[str, dict[str, Any]]) -> str:
    """The e-mail address that the service has verified, in lower case.

    Raises:
        Refused: there is no address, or it is not verified.
    """
    token = claims["id_token"]
    said = claims.get("userinfo") or token
    if said.get("sub") != token.get("sub"):
        raise Refused(refusals.SERVICE_FAILED)
    email = said.get("email")
    # Some services write the boolean as a string, and the string "false" is true in Python.
    if not isinstance(email, str) or "@" not in email or said.get("email_verified") not in (True, "true"):
        raise Refused(refusals.UNVERIFIED)
    return email.lower()


class ServiceAdapter(DefaultSocialAccountAdapter):
    """The settings of sign-in with the service."""

    def list_apps(
        self, request: HttpRequest, provider: str | None = None, client_id: str | None = None
    ) -> list[SocialApp]:
        """The service in the settings, or none. Services in the database are ignored."""
        if not settings.OIDC_SERVER_URL:
            return []
        service = SocialApp(
            provider="openid_connect",
            provider_id=SERVICE,
            name=settings.OIDC_NAME,
            client_id=settings.OIDC_CLIENT_ID,
            secret=settings.OIDC_CLIENT_SECRET,
            settings={"server_url": settings.OIDC_SERVER_URL, "oauth_pkce_enabled": True},
        )
        return [service]

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Refuse the sign-in, or connect it to its account."""
        try:
            account = account_of(sociallogin)
        except Refused as why:
            logger.warning("staff.sign_in_refused", extra={"service": settings.OIDC_NAME, "why": why.sentence})
            raise ImmediateHttpResponse(refusals.sign_in_refused(request, why.sentence)) from why
        if account is not None and not sociallogin.is_existing:
            with transaction.atomic():
                sociallogin.connect(request, account)
                note("account.service_connected", account)

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return True  # Only sign-ins that `account_of` accepts get this far.

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]) -> User:
        """Name a new account by its e-mail address, because the person's name at the service may be taken here."""
        user: User = super().populate_user(request, sociallogin, data)
        user_username(user, user_email(user))
        return user

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: object = None) -> User:
        """Create the account: a staff account without a role, which shows nothing, and never a superuser."""
        user: User = sociallogin.user
        user.is_staff, user.is_superuser = True, False
        with transaction.atomic():
            super().save_user(request, sociallogin, form)
            note("account.made", user)
        return user

    def on_authentication_error(
        self, request: HttpRequest, provider: object, error: str | None = None, exception: object = None, **_: object
    ) -> None:
        """Show our page for every failure. The log has the reason."""
        if error == AuthError.CANCELLED:
            raise ImmediateHttpResponse(refusals.sign_in_refused(request, refusals.CANCELLED))
        logger.warning("staff.oidc_failed", extra={"error": str(error), "exception": repr(exception)})
        raise ImmediateHttpResponse(refusals.sign_in_refused(request, refusals.SERVICE_FAILED))


class Service(OpenIDConnectOAuth2Adapter):
    """The connection to the service, with our public address, and with a check of the token's signature."""

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        return urljoin(settings.PUBLIC_URL, reverse("staff-sign-in-oidc-back"))

    def complete_login(self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any) -> SocialLogin:
        # allauth checks the signature only if the browser brought the token. We always check it: an attacker who
        # controls the service's address must not be able to sign anybody in.
        self.did_fetch_access_token = False
        if "id_token" not in kwargs["response"]:
            raise OAuth2Error("the service sent no id_token")
        try:
            return super().complete_login(request, app, token, **kwargs)
        except (KeyError, TypeError, ValueError) as error:
            raise OAuth2Error(f"the service sent something unreadable: {error!r}") from error


@never_cache
@require_GET
def go_to_service(request: HttpRequest) -> HttpResponseBase:
    """Redirect the browser to the service, only to sign in. A link can never connect an account to a service."""
    provider = _service(request)
    try:
        return provider.redirect(request, process="login", next_url=get_next_redirect_url(request))  # type: ignore[no-any-return]
    except (RequestException, KeyError, ValueError) as error:
        logger.warning("staff.oidc_failed", extra={"error": "start", "exception": repr(error)})
        return refusals.sign_in_refused(request, refusals.SERVICE_FAILED, status=502)


@never_cache
@require_GET
def come_back(request: HttpRequest) -> HttpResponse:
    """The address to which the service returns the browser, with a code that we exchange for the person's identity."""
    _service(request)
    view = OAuth2CallbackView.adapter_view(Service(request, SERVICE))
    return view(request)  # type: ignore[no-any-return]


def _service(request: HttpRequest) -> Any:
    if not settings.OIDC_SERVER_URL:
        raise Http404("no sign-in service is set")
    provider = get_adapter().get_provider(request, SERVICE)
    provider.oauth2_adapter_class = Service
    return provider
