"""The second factor: setting it up, signing in with it, losing the phone, and the rule that everybody has one."""

import base64
import re
import time
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client
from django.urls import reverse

from audit.models import AuditEvent
from tests.support.sign_in import (
    ACTIVATE,
    CODE,
    PASSWORD,
    SIGN_IN,
    account_changes,
    app_code,
    codes_on,
    found,
    is_signed_in,
    keeps_to_the_policy,
    make_staff,
    said,
    try_password,
    turn_on,
)

OFF = "/staff/account/second-factor/off/"
RECOVERY = "/staff/account/recovery-codes/"


@pytest.fixture
def erin(db: None) -> Client:
    """Signed in with a password; no second factor yet."""
    make_staff()
    client = Client()
    try_password(client)
    return client


def try_code(client: Client, code: str) -> Any:
    return client.post(CODE, {"code": code})


def after_the_password() -> Client:
    client = Client()
    assert try_password(client, next="/staff/workers/")["Location"] == CODE
    assert not is_signed_in(client)
    return client


def test_turning_it_on_shows_a_picture_and_the_recovery_codes_once(erin: Client) -> None:
    page = erin.get(ACTIVATE)
    picture = base64.b64decode(found(r'src="data:image/svg\+xml;base64,([^"]+)"', page.content.decode())).decode()
    assert picture.startswith("<?xml")
    assert 'fill="white"' in picture
    keeps_to_the_policy(page)
    _, codes = turn_on(erin)
    assert len(set(codes)) == 10
    assert "✓ on" in said(erin.get("/staff/account/"))
    assert "10 recovery codes left" in said(erin.get("/staff/account/"))
    again = erin.get(RECOVERY)
    assert "are not shown again" in said(again)
    assert not any(code in again.content.decode() for code in codes)
    keeps_to_the_policy(again)
    assert account_changes() == ["account.second_factor_on"]


def test_the_codes_can_be_downloaded_from_the_page_that_shows_them(erin: Client) -> None:
    page = erin.get(ACTIVATE).content.decode()
    code = app_code(found(r'class="secret">(\w+)<', page))
    answer = erin.post(ACTIVATE, {"code": code}, follow=True)
    keeps_to_the_policy(answer)
    assert found(r'href="data:text/plain;charset=utf-8,([^"]+)"', answer.content.decode()) == "".join(
        f"{code}%0A" for code in codes_on(answer)
    )


def test_a_wrong_first_code_turns_nothing_on(erin: Client) -> None:
    secret = found(r'class="secret">(\w+)<', erin.get(ACTIVATE).content.decode())
    wrong = erin.post(ACTIVATE, {"code": f"{(int(app_code(secret)) + 1) % 1_000_000:06}"})
    assert "This code is not right" in said(wrong)
    assert secret in wrong.content.decode()
    assert not Authenticator.objects.exists()


def test_signing_in_then_asks_for_a_code(erin: Client) -> None:
    secret, _ = turn_on(erin)
    client = after_the_password()
    keeps_to_the_policy(client.get(CODE))
    assert client.get("/staff/workers/").status_code == 302
    wrong = try_code(client, f"{(int(app_code(secret, steps_ahead=1)) + 1) % 1_000_000:06}")
    assert "This code is not right" in said(wrong)
    assert not is_signed_in(client)
    before = client.session.session_key
    assert try_code(client, app_code(secret, steps_ahead=1))["Location"] == "/staff/workers/"
    assert is_signed_in(client)
    assert client.session.session_key != before


def test_the_code_page_is_nothing_without_the_password(db: None) -> None:
    assert Client().get(CODE)["Location"] == SIGN_IN
    assert try_code(Client(), "123456")["Location"] == SIGN_IN


def test_a_code_is_taken_once_and_stays_used_while_it_could_still_be_right(
    erin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = found(r'class="secret">(\w+)<', erin.get(ACTIVATE).content.decode())
    first, code = app_code(secret), app_code(secret, steps_ahead=1)
    erin.post(ACTIVATE, {"code": first})
    assert "was used before" in said(try_code(after_the_password(), first)), "the one that turned it on is used too"
    assert try_code(after_the_password(), code).status_code == 302
    thief = after_the_password()
    for typed in (code, f"{code[:3]} {code[3:]}"):
        assert "was used before" in said(try_code(thief, typed))
    assert not is_signed_in(thief)
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + 31)
    assert "was used before" in said(try_code(after_the_password(), code))


def test_a_recovery_code_opens_once(erin: Client) -> None:
    _, codes = turn_on(erin)
    assert try_code(after_the_password(), codes[3]).status_code == 302
    assert "9 recovery codes left" in said(erin.get("/staff/account/"))
    thief = after_the_password()
    assert "This code is not right" in said(try_code(thief, codes[3]))
    assert not is_signed_in(thief)
    assert try_code(thief, codes[4]).status_code == 302


@pytest.mark.parametrize("kind", ["app", "recovery"])
def test_a_code_opens_an_account_that_a_stranger_keeps_locked(erin: Client, kind: str) -> None:
    secret, codes = turn_on(erin)
    for number in range(6):
        try_password(Client(REMOTE_ADDR=f"192.0.2.{number}"), password="wrong")
    client = Client()
    assert "Please wait five minutes" in said(try_password(client))
    code = app_code(secret, steps_ahead=1) if kind == "app" else codes[0]
    assert try_password(client, code=code)["Location"] == CODE
    assert try_code(client, code).status_code == 302, "it was not used up"
    assert is_signed_in(client)


def test_a_failed_code_is_in_the_audit_log(erin: Client) -> None:
    turn_on(erin)
    try_code(after_the_password(), "wrong")
    failed = AuditEvent.objects.get(verb="sign_in.failed")
    assert failed.detail["step"] == "code"


def test_guessing_codes_is_limited(erin: Client) -> None:
    secret, codes = turn_on(erin)
    client = after_the_password()
    for _ in range(5):
        assert "This code is not right" in said(try_code(client, "wrong"))
    assert "Please wait five minutes" in said(try_code(client, app_code(secret, steps_ahead=1)))
    assert "Please wait five minutes" in said(try_code(client, codes[0]))
    assert not is_signed_in(client)


def test_new_recovery_codes_end_the_old_ones(erin: Client) -> None:
    _, old = turn_on(erin)
    page = erin.get(f"{RECOVERY}new/")
    assert "The 10 that you have left stop working" in said(page)
    keeps_to_the_policy(page)
    new = codes_on(erin.post(f"{RECOVERY}new/", follow=True))
    assert len(set(new) - set(old)) == 10
    client = after_the_password()
    assert "This code is not right" in said(try_code(client, old[0]))
    assert try_code(client, new[0]).status_code == 302


def test_it_can_be_turned_off(erin: Client) -> None:
    turn_on(erin)
    keeps_to_the_policy(erin.get(OFF))
    assert "Two-factor sign-in is off" in said(erin.post(OFF, follow=True))
    assert not Authenticator.objects.exists()
    client = Client()
    assert try_password(client)["Location"] == "/staff/"
    assert is_signed_in(client)
    assert account_changes() == ["account.second_factor_on", "account.second_factor_off"]


@pytest.mark.parametrize("path", [ACTIVATE, OFF, f"{RECOVERY}new/"])
def test_some_minutes_after_the_sign_in_a_change_asks_for_a_proof(path: str, erin: Client, settings: Any) -> None:
    if path != ACTIVATE:
        turn_on(erin)
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 0
    asked = erin.get(path)
    assert asked["Location"] == f"/staff/account/confirm/?next={path.replace('/', '%2F')}"
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 300
    page = erin.get(asked["Location"])
    assert f'name="next" value="{path}"' in page.content.decode()
    wrong = erin.post(asked["Location"], {"password": "wrong"})
    assert "The password is not right" in said(wrong)
    assert erin.post(asked["Location"], {"password": PASSWORD, "next": path})["Location"] == path
    assert erin.get(path).status_code == 200


def test_the_proof_may_be_a_code(erin: Client, settings: Any) -> None:
    secret, _ = turn_on(erin)
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 0
    assert "With a code instead" in said(erin.get("/staff/account/confirm/"))
    page = erin.get("/staff/account/confirm/code/")
    keeps_to_the_policy(page)
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 300
    body = {"code": app_code(secret, steps_ahead=1), "next": OFF}
    assert erin.post("/staff/account/confirm/code/", body)["Location"] == OFF


# Where everybody must have one ---------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/staff/", "/staff/jobs/", "/staff/account/", "/admin/", "/admin/agents/agent/"])
def test_where_it_is_the_rule_staff_first_set_one_up(path: str, db: None, settings: Any) -> None:
    make_staff(is_superuser=True)
    client = Client()
    try_password(client)
    assert client.get(path).status_code == 200
    settings.REQUIRE_TOTP = True
    assert client.get(path)["Location"] == ACTIVATE
    assert client.post(path)["Location"] == ACTIVATE
    assert "asks every member of staff" in said(client.get(ACTIVATE))
    turn_on(client)
    assert client.get(path).status_code == 200


def test_where_it_is_the_rule_the_ways_out_and_through_the_proof_are_open(erin: Client, settings: Any) -> None:
    settings.REQUIRE_TOTP = True
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 0
    assert erin.get(erin.get(ACTIVATE)["Location"]).status_code == 200
    assert erin.post("/staff/sign-out/")["Location"] == SIGN_IN
    assert erin.get("/staff/")["Location"].startswith(SIGN_IN)


def test_the_rule_is_for_staff_only(db: None, settings: Any) -> None:
    settings.REQUIRE_TOTP = True
    make_staff("eve", is_staff=False)
    client = Client()
    try_password(client, "eve")
    assert "not a staff account" in said(client.get("/staff/"))
    assert Client().get("/healthz").status_code == 200


# In the admin ----------------------------------------------------------------------------------------------------


def test_an_admin_takes_a_lost_second_factor_away_on_record(erin: Client, dora: Client) -> None:
    turn_on(erin)
    rows = list(Authenticator.objects.values_list("pk", flat=True))
    listed = reverse("admin:mfa_authenticator_changelist")
    page = dora.get(reverse("admin:mfa_authenticator_change", args=[rows[0]])).content.decode()
    assert Authenticator.objects.get(type="totp").data["secret"] not in page
    assert "seed" not in page
    assert dora.get(reverse("admin:mfa_authenticator_add")).status_code == 403
    dora.post(listed, {"action": "delete_selected", "_selected_action": rows, "post": "yes"})
    assert not Authenticator.objects.exists()
    removed = AuditEvent.objects.filter(verb="account.second_factor_removed", actor="staff:dora")
    assert removed.count() == 2
    assert try_password(Client())["Location"] == "/staff/"


@pytest.mark.parametrize("model", ["socialaccount_socialapp", "socialaccount_socialtoken", "account_emailaddress"])
def test_no_row_of_the_admin_makes_another_way_in(model: str, dora: Client) -> None:
    assert not re.search(model.replace("_", "/"), dora.get("/admin/").content.decode())
