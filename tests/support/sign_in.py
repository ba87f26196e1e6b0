"""Staff who sign in through the page, the app on their phone, and a sign-in service (OpenID Connect provider)."""

import base64
import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from audit.models import AuditEvent
from tests.support.pages import text_of

PASSWORD = "a-long-password"
SIGN_IN = "/staff/sign-in/"
CODE = "/staff/sign-in/code/"
ACTIVATE = "/staff/account/second-factor/"


def make_staff(name: str = "erin", **changes: Any) -> User:
    return User.objects.create_user(name, password=PASSWORD, **{"is_staff": True, **changes})


def try_password(client: Client, name: str = "erin", password: str = PASSWORD, **more: str) -> Any:
    return client.post(SIGN_IN, {"login": name, "password": password, **more})


def account_changes() -> list[str]:
    """The changes of accounts in the audit log, the oldest first; sign-ins are left out."""
    events = AuditEvent.objects.filter(verb__startswith="account.")
    return list(events.order_by("pk").values_list("verb", flat=True))


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def app_code(secret: str, *, steps_ahead: int = 0) -> str:
    """The code that an authenticator app shows for this key.

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
    scripts = re.findall(r"<script(?![^>]*application/json)[^>]*>", html)
    assert scripts
    for script in scripts:
        nonce = re.search(r'nonce="([^"]+)"', script)
        assert nonce is not None
        assert f"'nonce-{nonce[1]}'" in policy
        assert "src=" in script
    assert not re.search(r"<style|\sstyle=|\son\w+=", html)
    assert "no-store" in answer["Cache-Control"]


CLIENT, SECRET = "crosswalk", "client-secret"
Json = dict[str, Any]


def make_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@dataclass
class Service:
    """The service and its next answers; `token` and `userinfo` add to or change the claims of one answer."""

    url: str
    key: rsa.RSAPrivateKey
    signs_with: rsa.RSAPrivateKey
    person: Json = field(default_factory=dict)
    token: Json = field(default_factory=dict)
    userinfo: Json = field(default_factory=dict)
    leaves_out: set[str] = field(default_factory=set)
    asked: dict[str, dict[str, str]] = field(default_factory=dict)
    refuses: str = ""

    def send_back(self, location: str, *, state: str | None = None) -> str:
        """The address, with a code, to which the browser returns after the person agreed at `location`."""
        address = urlsplit(location)
        assert f"{address.scheme}://{address.netloc}{address.path}" == f"{self.url}/authorize"
        asked = dict(parse_qsl(address.query))
        assert (asked["client_id"], asked["response_type"]) == (CLIENT, "code")
        assert {"openid", "email"} <= set(asked["scope"].split())
        assert asked["code_challenge_method"] == "S256"
        back = {"state": asked["state"] if state is None else state}
        if self.refuses:
            back["error"] = self.refuses
        else:
            back["code"] = secrets.token_urlsafe()
            self.asked[back["code"]] = asked
        return f"{asked['redirect_uri']}?{urlencode(back)}"

    def answer(self, path: str, body: dict[str, list[str]], authorization: str) -> Json | None:
        match path:
            case "/.well-known/openid-configuration":
                return self.configuration()
            case "/jwks":
                public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
                return {"keys": [{**public, "kid": "first", "use": "sig", "alg": "RS256"}]}
            case "/token":
                return self.tokens({name: values[0] for name, values in body.items()})
            case "/userinfo" if authorization == "Bearer access":
                return {**self.person, **self.userinfo}
        return None

    def configuration(self) -> Json:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "userinfo_endpoint": f"{self.url}/userinfo",
            "jwks_uri": f"{self.url}/jwks",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        }

    def tokens(self, body: dict[str, str]) -> Json | None:
        asked = self.asked.pop(body["code"], None)
        digest = hashlib.sha256(body.get("code_verifier", "").encode()).digest()
        right = asked is not None and (
            body["client_id"] == CLIENT
            and body["client_secret"] == SECRET
            and body["redirect_uri"] == asked["redirect_uri"]
            and base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == asked["code_challenge"]
        )
        if not right:
            return None
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 300, **self.person, **self.token}
        signed = jwt.encode(claims, self.signs_with, algorithm="RS256", headers={"kid": "first"})
        said = {"access_token": "access", "token_type": "Bearer", "expires_in": 300, "id_token": signed}
        return {name: value for name, value in said.items() if name not in self.leaves_out}


@contextmanager
def running_service(key: rsa.RSAPrivateKey) -> Iterator[Service]:
    """The service on a port of this machine, until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/authorize?"):  # A browser's visit: the person says yes at once.
                self.send_response(302)
                self.send_header("Location", service.send_back(service.url + self.path))
                self.end_headers()
            else:
                self._answer({})

        def do_POST(self) -> None:
            self._answer(parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode()))

        def _answer(self, body: dict[str, list[str]]) -> None:
            found = service.answer(self.path, body, self.headers.get("Authorization", ""))
            self.send_response(400 if found is None else 200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(found or {"error": "invalid_request"}).encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service = Service(f"http://127.0.0.1:{server.server_port}", key, key)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
