"""Signing in by the organisation's own service, end to end against one of ours; and everybody who may not."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from allauth.socialaccount.models import SocialAccount, SocialApp
from cryptography.hazmat.primitives.asymmetric import rsa
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from audit.models import AuditEvent
from tests.support.sign_in import (
    CLIENT,
    CODE,
    SECRET,
    Service,
    account_changes,
    app_code,
    is_signed_in,
    keeps_to_the_policy,
    make_key,
    make_staff,
    running_service,
    said,
    try_password,
    turn_on,
)
from web.staff.sign_in import refusals

START = "/staff/sign-in/service/"
BACK = "/staff/sign-in/service/back/"
ERIN = {"sub": "erin-1", "email": "Erin@example.org", "email_verified": True, "given_name": "Erin"}


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return make_key()


@pytest.fixture
def service(key: rsa.RSAPrivateKey, settings: Any, db: None) -> Iterator[Service]:
    """The service that the settings name, where Erin has just signed in."""
    with running_service(key) as found:
        settings.OIDC_SERVER_URL = found.url
        settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = CLIENT, SECRET
        settings.OIDC_NAME = "Example University"
        settings.PUBLIC_URL = "http://testserver"
        found.person = dict(ERIN)
        yield found


@pytest.fixture
def erin(service: Service) -> User:
    return make_staff(email="erin@Example.org")


def come_in(service: Service, client: Client | None = None, **query: str) -> tuple[Client, Any]:
    """A browser goes to the service and is sent back; it and the answer that it gets."""
    client = client or Client()
    sent = client.get(START, query)
    assert sent.status_code == 302, said(sent)
    return client, client.get(service.send_back(sent["Location"]))


def test_the_sign_in_page_names_the_service(service: Service, settings: Any) -> None:
    page = Client().get("/staff/sign-in/", {"next": "/staff/workers/?page=2"})
    keeps_to_the_policy(page)
    assert "Sign in with Example University" in said(page)
    assert f'href="{START}?next=%2Fstaff%2Fworkers%2F%3Fpage%3D2"' in page.content.decode()
    settings.OIDC_SERVER_URL = ""
    assert "Example University" not in said(Client().get("/staff/sign-in/"))
    assert [Client().get(path).status_code for path in (START, BACK)] == [404, 404]


def test_staff_come_in_by_their_verified_address(service: Service, erin: User) -> None:
    client, answer = come_in(service, next="/staff/workers/")
    assert answer["Location"] == "/staff/workers/"
    assert client.session["_auth_user_id"] == str(erin.pk)
    assert client.get("/staff/account/").status_code == 200
    erin.refresh_from_db()
    assert erin.check_password("a-long-password")
    assert account_changes() == ["account.service_connected"]
    again, _ = come_in(service)
    assert again.session["_auth_user_id"] == str(erin.pk)
    assert SocialAccount.objects.get().uid == "erin-1"


def test_the_session_gets_another_id(service: Service, erin: User) -> None:
    client = Client()
    sent = client.get(START)
    before = client.session.session_key
    client.get(service.send_back(sent["Location"]))
    assert is_signed_in(client)
    assert client.session.session_key != before


def test_nobody_is_sent_on_to_another_site(service: Service, erin: User) -> None:
    assert come_in(service, next="https://evil.example/")[1]["Location"] == "/staff/"


def test_the_second_factor_is_asked_for_here_too(service: Service, erin: User) -> None:
    phone = Client()
    try_password(phone)
    secret, _ = turn_on(phone)
    client, answer = come_in(service, next="/staff/workers/")
    assert answer["Location"] == CODE
    assert not is_signed_in(client)
    assert client.post(CODE, {"code": app_code(secret, steps_ahead=1)})["Location"] == "/staff/workers/"
    assert is_signed_in(client)


# Who may not -----------------------------------------------------------------------------------------------------


def is_refused(service: Service, sentence: str) -> None:
    users = set(User.objects.values_list("username", flat=True))
    client, answer = come_in(service)
    assert answer.status_code == 403
    assert sentence in said(answer)
    assert not is_signed_in(client)
    assert set(User.objects.values_list("username", flat=True)) == users


@pytest.mark.parametrize(
    ("accounts", "domain"),
    [
        ([], ""),
        ([{"is_staff": False}], ""),
        ([{"is_active": False}], ""),
        ([{"is_staff": False}], "example.org"),
        ([{"is_active": False}], "example.org"),
        ([{}, {"username": "erin2"}], ""),
    ],
    ids=str,
)
def test_who_has_no_staff_account_of_that_address_is_refused(
    accounts: list[dict[str, Any]], domain: str, service: Service, settings: Any
) -> None:
    settings.OIDC_STAFF_DOMAIN = domain
    for account in accounts:
        make_staff(**{"name": account.pop("username", "erin"), "email": "erin@example.org", **account})
    is_refused(service, refusals.NO_ACCOUNT)


@pytest.mark.parametrize(
    ("person", "sentence"),
    [
        ({"email": "erin@sub.example.org"}, refusals.NO_ACCOUNT),
        ({"email": "erin@example.org.evil.test"}, refusals.NO_ACCOUNT),
        ({"email": "erin@evilexample.org"}, refusals.NO_ACCOUNT),
        ({"email_verified": False}, refusals.UNVERIFIED),
    ],
    ids=str,
)
def test_only_verified_addresses_of_that_very_domain_make_accounts(
    person: dict[str, Any], sentence: str, service: Service, settings: Any
) -> None:
    settings.OIDC_STAFF_DOMAIN = "example.org"
    service.person.update(person)
    is_refused(service, sentence)


@pytest.mark.parametrize(
    ("part", "changes", "sentence"),
    [
        ("person", {"email_verified": False}, refusals.UNVERIFIED),
        ("person", {"email_verified": "false"}, refusals.UNVERIFIED),
        ("person", {"email_verified": None}, refusals.UNVERIFIED),
        ("person", {"email": None}, refusals.UNVERIFIED),
        ("person", {"email": "erin"}, refusals.UNVERIFIED),
        ("person", {"email": ["erin@example.org"]}, refusals.UNVERIFIED),
        ("token", {"aud": "another-client"}, refusals.SERVICE_FAILED),
        ("token", {"iss": "https://evil.example"}, refusals.SERVICE_FAILED),
        ("token", {"exp": 1_000_000_000}, refusals.SERVICE_FAILED),
        ("token", {"sub": "somebody-else"}, refusals.SERVICE_FAILED),
        ("leaves_out", {"id_token"}, refusals.SERVICE_FAILED),
        ("leaves_out", {"access_token"}, refusals.SERVICE_FAILED),
    ],
    ids=str,
)
def test_an_answer_that_proves_nothing_is_refused(
    part: str, changes: Any, sentence: str, service: Service, erin: User
) -> None:
    getattr(service, part).update(changes)
    is_refused(service, sentence)


def test_a_service_that_signs_or_answers_otherwise_is_refused(service: Service, erin: User, settings: Any) -> None:
    rightly = service.signs_with
    service.signs_with = make_key()
    is_refused(service, refusals.SERVICE_FAILED)
    service.signs_with = rightly
    service.refuses = "access_denied"
    is_refused(service, refusals.CANCELLED)
    service.refuses = "server_error"
    is_refused(service, refusals.SERVICE_FAILED)
    service.refuses = ""
    sub = service.person.pop("sub")
    is_refused(service, refusals.SERVICE_FAILED)
    service.person["sub"] = sub
    settings.OIDC_CLIENT_SECRET = "wrong"
    is_refused(service, refusals.SERVICE_FAILED)


def test_a_superuser_signs_in_with_the_password_only(service: Service, erin: User) -> None:
    User.objects.filter(pk=erin.pk).update(is_superuser=True)
    is_refused(service, refusals.SUPERUSER)


def test_letters_that_only_look_alike_open_nothing(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL may hold a dotless i for an I; here every account is found, as if the database held all letters so."""
    make_staff(email="iris@example.org")
    monkeypatch.setattr(User.objects, "filter", lambda **_: User.objects.all())
    service.person["email"] = "\u0131ris@example.org"
    is_refused(service, refusals.NO_ACCOUNT)


def test_another_person_or_another_address_than_at_first_is_refused(service: Service, erin: User) -> None:
    come_in(service)
    service.person["sub"] = "another-1"
    is_refused(service, refusals.OTHER_IDENTITY)
    service.person.update(ERIN, email="erin.married@example.org")
    is_refused(service, refusals.OTHER_IDENTITY)
    make_staff("frank", email="erin.married@example.org")
    is_refused(service, refusals.OTHER_IDENTITY)


def test_an_admin_takes_the_connection_away_and_the_next_sign_in_makes_it_anew(
    service: Service, erin: User, dora: Client
) -> None:
    come_in(service)
    row = SocialAccount.objects.get()
    dora.post(reverse("admin:socialaccount_socialaccount_delete", args=[row.pk]), {"post": "yes"})
    assert AuditEvent.objects.filter(verb="account.service_removed", actor="staff:dora").count() == 1
    service.person["sub"] = "erin-2"
    client, _ = come_in(service)
    assert is_signed_in(client)


# New accounts of a domain ----------------------------------------------------------------------------------------


def test_a_domain_may_make_accounts_that_see_nothing_yet(service: Service, settings: Any) -> None:
    settings.OIDC_STAFF_DOMAIN = "example.org"
    make_staff("erin", email="other@example.net")
    service.person["preferred_username"] = "admin"
    client, answer = come_in(service)
    assert answer["Location"] == "/staff/"
    made = User.objects.get(email="erin@example.org")
    assert made.username == "erin@example.org"
    assert (made.is_staff, made.is_superuser, made.has_usable_password()) == (True, False, False)
    assert not made.groups.exists()
    assert not made.user_permissions.exists()
    assert client.session["_auth_user_id"] == str(made.pk)
    assert account_changes() == ["account.made"]
    again, _ = come_in(service)
    assert again.session["_auth_user_id"] == str(made.pk)
    assert User.objects.count() == 2


# A service that is not what it should be -------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["", "made-up"])
def test_a_way_back_that_was_not_begun_here_is_refused(state: str, service: Service, erin: User) -> None:
    client = Client()
    back = service.send_back(client.get(START)["Location"], state=state)
    answer = client.get(back)
    assert answer.status_code == 403
    assert refusals.SERVICE_FAILED in said(answer)
    assert not is_signed_in(client)


def test_a_way_back_of_another_browser_is_refused(service: Service, erin: User) -> None:
    attacker, victim = Client(), Client()
    victim.get(START)
    back = service.send_back(attacker.get(START)["Location"])
    assert victim.get(back).status_code == 403
    assert not is_signed_in(victim)


def test_a_way_back_is_good_once(service: Service, erin: User) -> None:
    client = Client()
    back = service.send_back(client.get(START)["Location"])
    client.get(back)
    client.post("/staff/sign-out/")
    assert client.get(back).status_code == 403
    assert not is_signed_in(client)


def test_a_code_of_another_sign_in_does_not_fit(service: Service, erin: User) -> None:
    """PKCE: a code that was stolen on its way cannot be put into another browser's sign-in."""
    stolen = service.send_back(Client().get(START)["Location"])
    thief = Client()
    own = service.send_back(thief.get(START)["Location"])
    mixed = {"state": parse_qs(urlsplit(own).query)["state"][0], "code": parse_qs(urlsplit(stolen).query)["code"][0]}
    answer = thief.get(f"{BACK}?{urlencode(mixed)}")
    assert refusals.SERVICE_FAILED in said(answer)
    assert not is_signed_in(thief)


def test_a_service_that_is_down_gets_a_sentence(service: Service, settings: Any) -> None:
    settings.OIDC_SERVER_URL = "http://127.0.0.1:9"
    answer = Client().get(START)
    assert answer.status_code == 502
    assert refusals.SERVICE_FAILED in said(answer)
    keeps_to_the_policy(answer)


def test_nobody_ties_a_signed_in_account_to_a_service_by_a_link(service: Service, erin: User) -> None:
    victim = Client()
    victim.force_login(make_staff("frank"))
    service.person = {"sub": "attacker-1", "email": "erin@example.org", "email_verified": True}
    come_in(service, victim, process="connect", action="reauthenticate", scope="admin", auth_params="prompt=none")
    assert victim.session["_auth_user_id"] == str(erin.pk)
    assert [row.user for row in SocialAccount.objects.all()] == [erin]


def test_a_service_in_the_database_is_not_trusted(service: Service, erin: User) -> None:
    SocialApp.objects.create(
        provider="openid_connect",
        provider_id="oidc",
        name="Evil",
        client_id=CLIENT,
        settings={"server_url": "https://evil.example"},
    )
    sent = Client().get(START)
    assert sent["Location"].startswith(f"{service.url}/authorize?")
    assert "scope=" in sent["Location"]
