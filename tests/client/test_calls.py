"""Calls through both clients: what is repeated, how streams and uploads go on, which errors are raised."""

import asyncio
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from crosswalk_client import (
    AsyncClient,
    Client,
    Conflict,
    CrosswalkError,
    Invalid,
    NoAddress,
    NotFound,
    NotInstalled,
    Retry,
    TooManyRequests,
    Unavailable,
    UnknownField,
    Unreachable,
)
from crosswalk_client.api import uploads
from crosswalk_client.settings import Settings, is_readable_by_others, profiles_file, settings, write_profile

QUICK = Retry(times=3, first_s=0.001, longest_s=0.001, most_wait_s=0.05)
Handler = Callable[[httpx.Request], httpx.Response]
Call = Callable[[Any], Any]


def blocking(handler: Handler, call: Call) -> Any:
    with Client("http://x.example/api/v1/", "k", retry=QUICK, http=_http(httpx.Client, handler)) as client:
        found = call(client)
        return list(found) if hasattr(found, "__next__") else found


def awaiting(handler: Handler, call: Call) -> Any:
    async def run() -> Any:
        http = _http(httpx.AsyncClient, handler)
        async with AsyncClient("http://x.example/api/v1/", "k", retry=QUICK, http=http) as client:
            found = call(client)
            return [one async for one in found] if hasattr(found, "__anext__") else await found

    return asyncio.run(run())


def _http(kind: Any, handler: Handler) -> Any:
    return kind(transport=httpx.MockTransport(handler))


both = pytest.mark.parametrize("ask", [blocking, awaiting])


class Server:
    """Answers with the given answers one after another, and keeps the requests."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def problem(status: int, code: str, **headers: str) -> httpx.Response:
    body = {"code": code, "detail": "So it is.", "errors": [{"pointer": "#/title", "detail": "Too long."}]}
    return httpx.Response(status, json=body, headers={"X-Request-Id": "q-1", **headers})


@both
def test_a_harmless_call_is_repeated_until_it_succeeds(ask: Any) -> None:
    server = Server(problem(503, "unavailable", **{"Retry-After": "0"}), httpx.ReadError("cut"), problem(429, "x"))
    server.answers.append(httpx.Response(201, json={"upload": "u"}))
    assert ask(server, lambda client: client.agents.post_metric("a", metric="m", value=1.0)) == {"upload": "u"}
    keys = {request.headers["Idempotency-Key"] for request in server.requests}
    assert (len(server.requests), len(keys)) == (4, 1)
    assert {request.headers["Authorization"] for request in server.requests} == {"Api-Key k"}
    assert str(server.requests[0].url) == "http://x.example/api/v1/agents/a/metrics/"


@both
def test_a_call_that_could_act_twice_is_repeated_only_where_it_never_arrived(ask: Any) -> None:
    server = Server(httpx.ConnectError("refused"), httpx.ReadError("cut"))
    with pytest.raises(Unreachable, match="cut"):
        ask(server, lambda client: client.webhooks.delete("w"))
    assert len(server.requests) == 2


@both
@pytest.mark.parametrize(
    ("status", "code", "headers", "kind"),
    [
        (404, "not_found", {}, NotFound),
        (409, "conflict", {}, Conflict),
        (422, "invalid", {}, Invalid),
        (422, "unknown_field", {}, UnknownField),
        (501, "not_installed", {}, NotInstalled),
        (503, "unavailable", {"Retry-After": "3600"}, Unavailable),
        (429, "too_many_requests", {"Retry-After": "3600"}, TooManyRequests),
    ],
)
def test_a_refusal_is_raised_with_what_the_server_said(
    ask: Any, status: int, code: str, headers: dict[str, str], kind: type[CrosswalkError]
) -> None:
    with pytest.raises(kind) as raised:
        ask(Server(problem(status, code, **headers)), lambda client: client.suites.get("s"))
    error = raised.value
    assert (error.status, error.code, error.request_id) == (status, code, "q-1")
    assert error.errors == (("#/title", "Too long."),)


@both
def test_a_proxy_that_answers_with_a_page_is_said_to_be_no_crosswalk(ask: Any) -> None:
    for answer in (httpx.Response(200, html="<p>Welcome</p>"), httpx.Response(302, headers={"Location": "/login"})):
        with pytest.raises(CrosswalkError) as raised:
            ask(Server(answer), lambda client: client.suites.get("s"))
        assert raised.value.code == "bad_answer"


class Cut(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body whose line breaks at its end."""

    def __init__(self, *pieces: bytes) -> None:
        self._pieces = pieces

    def __iter__(self) -> Any:
        yield from self._pieces
        raise httpx.RemoteProtocolError("cut")

    async def __aiter__(self) -> Any:
        for piece in self._pieces:
            yield piece
        raise httpx.RemoteProtocolError("cut")


def line(name: str) -> bytes:
    # U+2028 ends a line for str.splitlines, and does not in JSON Lines.
    return json.dumps({"annotation": name, "answer": {"text": "a\u2028b"}}, ensure_ascii=False).encode() + b"\n"


@both
def test_a_stream_that_breaks_goes_on_behind_its_last_line(ask: Any) -> None:
    server = Server(
        httpx.Response(200, stream=Cut(line("a") + line("b")[:9], line("b")[9:] + line("c")[:5])),
        problem(503, "unavailable"),
        httpx.Response(200, content=line("c")),
    )
    found = ask(server, lambda client: client.projects.annotations("p"))
    assert [one["annotation"] for one in found] == ["a", "b", "c"]
    assert [request.url.params.get("since") for request in server.requests] == [None, "b", "b"]
    cut = Server(httpx.Response(200, stream=Cut(line("a"))))
    with pytest.raises(Unreachable):
        ask(cut, lambda client: client.projects.consensus("p"))


@both
def test_pages_are_asked_for_at_the_address_of_the_first(ask: Any) -> None:
    server = Server(
        httpx.Response(200, json={"next": "http://evil.example/api/v1/agents/?cursor=c2", "results": [1, 2]}),
        httpx.Response(200, json={"next": None, "results": [3]}),
    )
    assert ask(server, lambda client: client.agents.list()) == [1, 2, 3]
    assert [str(one.url) for one in server.requests][1] == "http://x.example/api/v1/agents/?cursor=c2"


@both
def test_an_upload_that_was_cut_off_sends_the_remaining_parts_alone(ask: Any, tmp_path: Path) -> None:
    video, notes = tmp_path / "v.mp4", tmp_path / "notes" / "v.json"
    video.write_bytes(b"abcdefgh")
    parts: list[dict[str, Any]] = [
        {"number": n, "url": f"http://s3.example/{n}?signed", "method": "PUT", "headers": {}} for n in (1, 2, 3)
    ]
    begun = {"upload": "u", "part_bytes": 3, "parts": parts}
    first = Server(httpx.Response(201, json=begun), httpx.Response(200, headers={"ETag": '"e1"'}))
    first.answers += [httpx.ReadError("cut")] * 4
    with pytest.raises(Unreachable):
        ask(first, lambda client: client.uploads.send(video, notes=notes))
    assert all("Authorization" not in one.headers for one in first.requests if one.url.host == "s3.example")
    seen: list[tuple[int, int]] = []
    tags = [httpx.Response(200, headers={"ETag": f'"e{n}"'}) for n in (2, 3)]
    second = Server(*tags, httpx.Response(200, json={"upload": "u"}))
    send: Call = lambda client: client.uploads.send(video, notes=notes, progress=lambda *at: seen.append(at))  # noqa: E731
    assert ask(second, send) == "u"
    assert [one.content for one in second.requests[:2]] == [b"def", b"gh"]
    assert json.loads(second.requests[2].content)["parts"][0] == {"number": 1, "etag": '"e1"'}
    assert (seen, notes.exists()) == ([(3, 8), (6, 8), (8, 8)], False)
    announced = json.loads(first.requests[0].content)
    assert announced == {"filename": "v.mp4", "bytes": 8, "sha256": hashlib.sha256(b"abcdefgh").hexdigest()}


def test_the_key_of_a_profile_goes_to_its_own_server_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr("crosswalk_client.settings.keyring", lambda: None)
    write_profile("default", Settings("https://a.example", "key-a"))
    assert not is_readable_by_others(profiles_file())
    assert settings(environment={}) == Settings("https://a.example", "key-a")
    assert settings("https://b.example", environment={}).key == ""
    named = {"CROSSWALK_URL": "https://b.example/api/v1", "CROSSWALK_KEY": "key-b"}
    assert settings(environment=named) == Settings("https://b.example", "key-b")
    assert settings(profile="default", environment=named).key == "key-a"
    with pytest.raises(NoAddress, match="lab"):
        settings(profile="lab", environment={})
    with pytest.raises(NoAddress), Client("https://b.example") as client:
        client.suites.get("s")


def test_the_key_of_a_profile_is_in_the_keyring_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ring:
        name = "a ring"
        kept: dict[tuple[str, str], str] = {}

        def get_keyring(self) -> "Ring":
            return self

        def set_password(self, service: str, entry: str, secret: str) -> None:
            self.kept[service, entry] = secret

        def get_password(self, service: str, entry: str) -> str | None:
            return self.kept.get((service, entry))

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr("crosswalk_client.settings.keyring", Ring)
    assert write_profile("lab", Settings("https://a.example", "key-a")) == "the keyring (a ring)"
    assert "key-a" not in profiles_file().read_text()
    assert settings(profile="lab", environment={}).key == "key-a"


def _copy(state: str, progress: float, **more: Any) -> httpx.Response:
    known = {"upload": "u1", "address": "s3://b/a.mp4", "bytes": 100, "sha256": None, "problem": None}
    return httpx.Response(200, json={**known, "state": state, "progress": progress, **more})


@both
def test_a_copy_from_a_bucket_is_waited_for_and_then_named(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "ASK_EVERY_S", 0.001)
    told: list[tuple[int, int]] = []
    server = Server(_copy("copying", 0.0), _copy("copying", 0.5), _copy("complete", 1.0), httpx.Response(201, json={}))
    ask(
        server,
        lambda client: client.episodes.post_from_bucket(
            "s3://b/a.mp4", agent="w", progress=lambda *at: told.append(at)
        ),
    )
    paths = [f"{request.method} {request.url.path.removeprefix('/api/v1/')}" for request in server.requests]
    assert paths == ["POST imports/", "GET imports/u1/", "GET imports/u1/", "POST episodes/"]
    assert json.loads(server.requests[-1].content)["upload"] == "u1"
    assert told == [(0, 100), (50, 100), (100, 100)]


@both
def test_a_copy_from_a_bucket_that_fails_is_raised(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "ASK_EVERY_S", 0.001)
    gone = {"code": "invalid", "detail": "The bucket has no such file."}
    server = Server(_copy("copying", 0.0), _copy("failed", 0.0, problem=gone))
    with pytest.raises(Invalid, match="no such file"):
        ask(server, lambda client: client.uploads.copy("s3://b/a.mp4"))


@both
def test_an_older_server_has_copied_when_it_answers(ask: Any) -> None:
    server = Server(httpx.Response(201, json={"upload": "u1", "bytes": 100, "sha256": "0"}))
    assert ask(server, lambda client: client.uploads.copy("s3://b/a.mp4"))["upload"] == "u1"
