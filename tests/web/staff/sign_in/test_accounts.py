"""Signing in with a password, and out; what is refused, and how often one may try."""

from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import NoReverseMatch, reverse

from audit.models import AuditEvent
from config import settings as own_settings
from tests.support.sign_in import PASSWORD, SIGN_IN, is_signed_in, make_staff, said, try_password
from web.staff.sign_in.second_factor import SignInCodes


def test_staff_come_in_and_go_on_to_where_they_wanted(db: None) -> None:
    make_staff()
    client = Client()
    asked = client.get("/staff/workers/?page=2")
    assert asked["Location"] == "/staff/sign-in/?next=/staff/workers/%3Fpage%3D2"
    assert 'name="next" value="/staff/workers/?page=2"' in client.get(asked["Location"]).content.decode()
    assert try_password(client, next="/staff/workers/?page=2")["Location"] == "/staff/workers/?page=2"
    assert is_signed_in(client)
    assert client.post("/staff/sign-out/")["Location"] == SIGN_IN
    assert not is_signed_in(client)


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "javascript:alert(1)",
        "http://127.0.0.1:9/",
        "http://localhost/",
    ],
)
def test_nobody_is_sent_on_to_another_site(elsewhere: str, db: None) -> None:
    make_staff()
    client = Client()
    assert "example" not in client.get(SIGN_IN, {"next": elsewhere}).content.decode()
    assert try_password(client, next=elsewhere)["Location"] == "/staff/"
    client.get(SIGN_IN)
    assert client.post("/staff/sign-out/", {"next": elsewhere})["Location"] == SIGN_IN


@pytest.mark.parametrize(
    ("name", "password"), [("erin", "wrong"), ("nobody", PASSWORD), ("Erin", PASSWORD), ("off", PASSWORD)]
)
def test_whatever_is_wrong_gets_one_answer(name: str, password: str, db: None) -> None:
    make_staff()
    make_staff("off", is_active=False)
    client = Client()
    assert "The user and the password do not match" in said(try_password(client, name, password))
    assert not is_signed_in(client)


def test_the_session_gets_another_id_at_sign_in(db: None) -> None:
    make_staff()
    client = Client()
    session = client.session
    session["planted"] = True
    session.save()
    before = session.session_key
    try_password(client)
    assert client.session.session_key != before
    assert not Session.objects.filter(pk=before).exists()


def test_after_five_failures_even_the_right_password_must_wait(db: None) -> None:
    make_staff()
    make_staff("frank")
    client = Client()
    for _ in range(5):
        assert "do not match" in said(try_password(client, password="wrong"))
    assert "Please wait five minutes" in said(try_password(client))
    assert not is_signed_in(client)
    assert try_password(client, "frank").status_code == 302


@pytest.fixture
def locked(db: None) -> User:
    """An account that a stranger keeps locked."""
    account = make_staff()
    for number in range(6):
        try_password(Client(REMOTE_ADDR=f"192.0.2.{number}"), password="wrong")
    return account


def test_a_code_of_the_server_opens_an_account_that_a_stranger_keeps_locked(locked: User) -> None:
    client = Client()
    refused = try_password(client)
    assert "Please wait five minutes" in said(refused)
    assert "manage.py sign_in_code" in said(refused)
    out = StringIO()
    call_command("sign_in_code", "erin", stdout=out)
    code = out.getvalue().strip()
    assert "do not match" in said(try_password(client, password="wrong", code=code))
    assert try_password(client, code=code).status_code == 302
    assert is_signed_in(client)
    other = Client()
    assert "Please wait five minutes" in said(try_password(other, code=code)), "it opens once"
    assert not is_signed_in(other)


@pytest.mark.parametrize("code", ["", "000000", "12345678", "c0ffee-0123456789abcdef"])
def test_a_wrong_code_opens_nothing(locked: User, code: str) -> None:
    client = Client()
    assert "Please wait five minutes" in said(try_password(client, code=code))
    assert not is_signed_in(client)


def test_a_code_of_the_server_is_for_one_account(locked: User) -> None:
    frank = make_staff("frank")
    assert "Please wait five minutes" in said(try_password(Client(), code=SignInCodes().make_token(frank)))


def test_a_code_of_the_server_is_printed_for_staff_alone(db: None) -> None:
    make_staff("off", is_active=False)
    for name in ("nobody", "off"):
        with pytest.raises(CommandError, match="no active staff account"):
            call_command("sign_in_code", name)


def test_sign_ins_and_failures_are_in_the_audit_log(db: None) -> None:
    account = make_staff()
    client = Client(REMOTE_ADDR="192.0.2.7")
    try_password(client, password="wrong")
    try_password(client, "my-password-in-the-wrong-field")
    try_password(client)
    events = AuditEvent.objects.order_by("pk").values_list("verb", "actor", "subject", "detail__address")
    assert list(events) == [
        ("sign_in.failed", "system", str(account.pk), "192.0.2.7"),
        ("sign_in.failed", "system", "unknown", "192.0.2.7"),
        ("sign_in.done", "staff:erin", str(account.pk), "192.0.2.7"),
    ]
    assert "my-password" not in str(AuditEvent.objects.values())


def test_no_counter_is_pushed_out_by_filling_the_cache(db: None, settings: Any) -> None:
    own: Any = own_settings.CACHES["default"]
    options = {**own["OPTIONS"], "MAX_ENTRIES": 5}
    settings.CACHES = {"default": {**own, "LOCATION": "small", "OPTIONS": options}}
    call_command("createcachetable")
    make_staff()
    for _ in range(5):
        try_password(Client(), password="wrong")
    for number in range(20):
        # Django drops the first keys of the alphabet.
        cache.set(f"z{number}", number, timeout=60)
    assert "Please wait five minutes" in said(try_password(Client()))


def test_many_attempts_from_one_place_get_a_page_that_says_so(db: None, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"login": "1/m/ip"}
    client = Client()
    try_password(client)
    limited = try_password(client)
    assert limited.status_code == 429
    assert "Too many attempts" in said(limited)
    assert try_password(Client(REMOTE_ADDR="192.0.2.7")).status_code == 200


@pytest.mark.parametrize(
    ("proxies", "address", "forwarded", "statuses"),
    [
        (1, "127.0.0.1", ["192.0.2.7", "192.0.2.7, 192.0.2.8", "192.0.2.9, 192.0.2.8"], [200, 200, 429]),
        (0, "", ["", ""], [200, 429]),
    ],
)
def test_attempts_are_counted_by_what_the_proxy_says_and_without_an_address_together(
    proxies: int, address: str, forwarded: list[str], statuses: list[int], db: None, settings: Any
) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"login": "1/m/ip"}
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = proxies
    client = Client(REMOTE_ADDR=address)
    answers = [client.post(SIGN_IN, {}, headers={"X-Forwarded-For": one} if one else {}) for one in forwarded]
    assert [answer.status_code for answer in answers] == statuses


def test_the_counters_are_in_the_database_and_made_before_serving(db: None, settings: Any) -> None:
    settings.CACHES = {"default": {**own_settings.CACHES["default"], "LOCATION": "made_by_prepare"}}
    call_command("prepare")
    assert "made_by_prepare" in connection.introspection.table_names()
    assert cache.add("attempts", 1)
    assert not cache.add("attempts", 2)


@pytest.mark.parametrize("name", ["account_signup", "account_reset_password", "account_email", "socialaccount_signup"])
def test_there_is_no_way_to_make_an_account_or_reset_a_password_by_oneself(name: str) -> None:
    with pytest.raises(NoReverseMatch):
        reverse(name)


def test_the_admin_has_no_sign_in_of_its_own(db: None) -> None:
    make_staff(is_superuser=True)
    client = Client()
    assert client.get("/admin/login/?next=/admin/auth/")["Location"] == "/staff/sign-in/?next=/admin/auth/"
    posted = client.post("/admin/login/", {"username": "erin", "password": PASSWORD})
    assert posted["Location"] == "/staff/sign-in/?next=/admin/"
    assert not is_signed_in(client)
    try_password(client)
    assert client.get("/admin/login/")["Location"] == "/admin/"
    eve = Client()
    eve.force_login(User.objects.create_user("eve"))
    assert "may not use the admin" in said(eve.get("/admin/login/"))


def change(client: Client, old: str, new: str, again: str | None = None) -> Any:
    body = {"oldpassword": old, "password1": new, "password2": again or new}
    return client.post("/staff/account/password/", body, follow=True)


def test_changing_the_password_signs_out_the_other_browsers(db: None) -> None:
    make_staff()
    here, there = Client(), Client()
    for client in (here, there):
        try_password(client)
    assert "Your password is changed" in said(change(here, PASSWORD, "another-long-password"))
    assert here.get("/staff/account/").status_code == 200
    assert there.get("/staff/account/").status_code == 302
    assert try_password(Client(), password="another-long-password").status_code == 302
    assert ("account.password_changed", "staff:erin") in AuditEvent.objects.values_list("verb", "actor")
    assert mail.outbox == []


@pytest.mark.parametrize(
    ("old", "new", "again", "sentence"),
    [
        ("wrong", "another-long-password", None, "not your current password"),
        (PASSWORD, "short", None, "too short"),
        (PASSWORD, "nine-long", None, "at least 10 characters"),
        (PASSWORD, "1q2w3e4r5t6y", None, "too common"),
        (PASSWORD, "another-long-password", "yet-another-password", "same password each time"),
    ],
)
def test_a_password_is_changed_only_by_its_owner_to_a_good_one(
    old: str, new: str, again: str | None, sentence: str, db: None
) -> None:
    make_staff()
    client = Client()
    try_password(client)
    assert sentence in said(change(client, old, new, again))
    assert User.objects.get().check_password(PASSWORD)


def test_an_account_without_a_password_is_told_so(db: None) -> None:
    account = make_staff()
    account.set_unusable_password()
    account.save(update_fields=["password"])
    client = Client()
    client.force_login(account)
    assert "has no password here" in said(client.get("/staff/account/"))
    assert client.get("/staff/account/password/")["Location"] == "/staff/account/"
