"""Staff who sign in through the page, their browsers, and the app on their phone."""

import base64
import hashlib
import hmac
import re
import time
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from tests.pages import text_of

PASSWORD = "a-long-password"
SIGN_IN = "/staff/sign-in/"
CODE = "/staff/sign-in/code/"
ACTIVATE = "/staff/account/second-factor/"


def make_staff(name: str = "erin", **changes: Any) -> User:
    return User.objects.create_user(name, password=PASSWORD, **{"is_staff": True, **changes})


def try_password(client: Client, name: str = "erin", password: str = PASSWORD, **more: str) -> Any:
    return client.post(SIGN_IN, {"login": name, "password": password, **more})


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def app_code(secret: str, *, steps_ahead: int = 0) -> str:
    """What an authenticator app shows for this key.

    Source: RFC 6238 section 4, on the truncation of RFC 4226 section 5.3; written anew so that allauth's is tested.
    """
    counter = int(time.time()) // 30 + steps_ahead
    digest = hmac.new(base64.b32decode(secret), counter.to_bytes(8, "big"), hashlib.sha1).digest()
    at = digest[19] & 15
    return f"{(int.from_bytes(digest[at : at + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"


def turn_on(client: Client) -> tuple[str, list[str]]:
    """Set up the second factor of a signed-in browser, as the pages ask; its key and the recovery codes shown."""
    page = client.get(ACTIVATE).content.decode()
    secret = found(r'class="secret">(\w+)<', page)
    answer = client.post(ACTIVATE, {"code": app_code(secret)}, follow=True)
    return secret, codes_on(answer)


def codes_on(page: Any) -> list[str]:
    return re.findall(r"(?:^|>)(\d{8})$", page.content.decode(), re.MULTILINE)


def said(answer: "HttpResponse | Any") -> str:
    return text_of(answer.content.decode())


def found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match is not None, f"no {pattern} on the page"
    return match[1]


def keeps_to_the_policy(answer: Any) -> None:
    """No script without the page's nonce, no style in the page, nothing unsafe in the header."""
    html, policy = answer.content.decode(), answer["Content-Security-Policy"]
    assert "unsafe" not in policy
    scripts = re.findall(r"<script[^>]*>", html)
    assert scripts
    for script in scripts:
        nonce = re.search(r'nonce="([^"]+)"', script)
        assert nonce is not None
        assert f"'nonce-{nonce[1]}'" in policy
        assert "src=" in script
    assert not re.search(r"<style|\sstyle=|\son\w+=", html)
    assert "no-store" in answer["Cache-Control"]
