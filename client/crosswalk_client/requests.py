"""Requests and their repeats. Nothing here has a line to a server: `transport.py` sends the requests."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar
from urllib.parse import quote, urlsplit

import httpx

from crosswalk_client.errors import BadAnswer, CrosswalkError, Unreachable, error_from

R = TypeVar("R")
IDEMPOTENCY_KEY = "Idempotency-Key"
_STILL_RUNNING = "is still running"


@dataclass(frozen=True)
class Request:
    """A request to the API.

    Attributes:
        path: Below `/api/v1/`; or a whole address, to which no key is sent.
        content: The body, or the file that is sent as the body.
        into: The file that the answer's body is written to.
        most_bytes: A longer body is not written; None writes any.
        after_s: How long to wait before it is sent, as between two questions whether something is done.
    """

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None
    data: Mapping[str, Any] | None = None
    files: Mapping[str, Any] | None = None
    content: bytes | Path | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    into: Path | None = None
    most_bytes: int | None = None
    after_s: float = 0.0

    @property
    def is_signed(self) -> bool:
        """Whether the address itself is the credential."""
        return self.path.startswith(("http://", "https://"))

    @property
    def may_be_repeated(self) -> bool:
        """Whether sending the request again cannot do its work twice."""
        return self.method in ("GET", "PUT") or IDEMPOTENCY_KEY in self.headers


Plan = Generator[Request, httpx.Response, R]
"""Requests one after another, which together are one call: each gets its answer. A refusal is raised inside."""


@dataclass(frozen=True)
class Lines(Generic[R]):
    """A stream of JSON Lines.

    Attributes:
        since: The field of a line that the query parameter `since` takes: a stream that breaks goes on behind the last
            line that came. "" where there is none.
    """

    request: Request
    since: str = ""

    def after(self, line: Any) -> Lines[R]:
        """The rest of the stream behind this line."""
        if not self.since:
            return self
        query = {**self.request.query, "since": line[self.since]}
        return replace(self, request=replace(self.request, query=query))


@dataclass(frozen=True)
class Pages(Generic[R]):
    """A list in pages."""

    request: Request

    def after(self, page: Mapping[str, Any]) -> Pages[R] | None:
        """The next page, asked for at the address of the first: the key goes to no address that an answer names."""
        following = page.get("next")
        if not following:
            return None
        query = dict(httpx.QueryParams(urlsplit(following).query))
        return Pages(replace(self.request, query={**self.request.query, **query}))


def path_of(*parts: object, ends: str = "/") -> str:
    """The parts as a path, each safe in an address.

    >>> path_of("suites", "rooms", "scenarios", "a:b")
    'suites/rooms/scenarios/a:b/'
    """
    return "/".join(quote(str(part), safe=":._-") for part in parts) + ends


def given(**query: Any) -> dict[str, Any]:
    """The query parameters that have a value."""
    return {name: value for name, value in query.items() if value is not None}


def get(path: str, **query: Any) -> Plan[Any]:
    """Ask for something; the answer's JSON."""
    return sent(Request("GET", path, given(**query)))


def put(path: str, body: Any, *, if_match: str | None = None) -> Plan[Any]:
    """Replace something; the answer's JSON."""
    return sent(Request("PUT", path, json=body, headers={"If-Match": if_match} if if_match else {}))


def patch(path: str, changes: Mapping[str, Any], *, if_match: str | None = None) -> Plan[Any]:
    """Change the named fields (JSON merge patch, RFC 7396); the answer's JSON."""
    headers = {"Content-Type": "application/merge-patch+json", **({"If-Match": if_match} if if_match else {})}
    return sent(Request("PATCH", path, json=changes, headers=headers))


def post(path: str, body: Any = None) -> Plan[Any]:
    """Make something, once however often the request is repeated; the answer's JSON."""
    return sent(Request("POST", path, json={} if body is None else body, headers=once()))


def delete(path: str) -> Plan[Any]:
    """Remove something; the answer's JSON, None where there is none."""
    return sent(Request("DELETE", path))


def download(path: str, into: Path, *, most_bytes: int | None = None, **query: Any) -> Plan[Path]:
    """Write the answer's body to a file, which is complete or not there.

    Raises:
        BadAnswer: the body has more than `most_bytes`.
    """
    yield Request("GET", path, given(**query), into=into, most_bytes=most_bytes)
    return into


def once() -> dict[str, str]:
    """A header that makes a repeated POST harmless."""
    return {IDEMPOTENCY_KEY: f"client-{secrets.token_hex(16)}"}


def sent(request: Request) -> Plan[Any]:
    """The plan of one request; the answer's JSON."""
    return json_of((yield request))


def json_of(answer: httpx.Response) -> Any:
    """The answer's JSON; None for an empty answer."""
    if not answer.content:
        return None
    try:
        return answer.json()
    except ValueError:
        raise BadAnswer(
            f"{answer.request.url} answers with {answer.headers.get('content-type', 'no type')}, not with JSON.",
            status=answer.status_code,
            request_id=answer.headers.get("x-request-id", ""),
        ) from None


# Repeating -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Retry:
    """How often and when a harmless request is repeated.

    Attributes:
        times: Most repeats of one request.
        first_s, longest_s: The pause before the first repeat, which doubles each time, and the longest one.
        most_wait_s: The longest `Retry-After` that is waited for; a longer one is raised at once.
    """

    times: int = 5
    first_s: float = 0.5
    longest_s: float = 30.0
    most_wait_s: float = 120.0
    draw: Callable[[], float] = random.random

    def pause_s(self, number: int) -> float:
        """The pause before repeat `number`, 0 for the first: half of it by chance, so that many clients spread."""
        whole: float = min(self.longest_s, self.first_s * 2**number)
        return whole / 2 + self.draw() * whole / 2


@dataclass(frozen=True)
class Pause:
    seconds: float


Step: TypeAlias = Request | Pause
Outcome: TypeAlias = httpx.Response | httpx.TransportError | None
PASSING = frozenset({408, 425, 429, 502, 503, 504, 507})
"""Statuses of refusals that pass by themselves."""


def steps(plan: Plan[R], retry: Retry) -> Generator[Step, Outcome, R]:
    """The requests and pauses of a plan. Each request gets its answer, or the error of the line."""
    try:
        request = next(plan)
        while True:
            if request.after_s:
                yield Pause(request.after_s)
            try:
                answer = yield from attempts(request, retry)
            except CrosswalkError as error:
                request = plan.throw(error)
            else:
                request = plan.send(answer)
    except StopIteration as done:
        result: R = done.value
        return result


def attempts(request: Request, retry: Retry) -> Generator[Step, Outcome, httpx.Response]:
    """One request with its repeats.

    Raises:
        CrosswalkError: the last answer refuses, or none came.
    """
    for number in range(retry.times + 1):
        outcome = yield request
        if isinstance(outcome, httpx.Response) and outcome.is_success:
            return outcome
        error = failure(outcome)
        pause_s = _pause(request, outcome, error, retry, number)
        if pause_s is None:
            raise error
        yield Pause(pause_s)
    raise AssertionError("the last attempt answers or raises")


def failure(outcome: Outcome) -> CrosswalkError:
    """The exception for an answer that refuses, or for a line that broke."""
    if isinstance(outcome, httpx.Response):
        return error_from(
            outcome.status_code,
            outcome.content,
            request_id=outcome.headers.get("x-request-id", ""),
            retry_after_s=_seconds(outcome.headers.get("retry-after", "")),
        )
    return Unreachable(f"The server cannot be reached: {outcome or type(outcome).__name__}.")


def _pause(request: Request, outcome: Outcome, error: CrosswalkError, retry: Retry, number: int) -> float | None:
    """How long to wait before the request is sent again; None if it is not."""
    never_sent = isinstance(outcome, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
    if number >= retry.times or not (request.may_be_repeated or never_sent or error.status == 429):
        return None
    if isinstance(outcome, httpx.Response) and outcome.status_code not in PASSING and not _runs_still(error):
        return None
    asked = error.retry_after_s
    if asked is not None and asked > retry.most_wait_s:
        return None
    return max(asked or 0.0, retry.pause_s(number))


def _runs_still(error: CrosswalkError) -> bool:
    """Whether the first attempt of this request, whose line broke, is not finished."""
    return error.status == 409 and _STILL_RUNNING in error.detail


def _seconds(header: str) -> float | None:
    return float(header) if header.strip().isdigit() else None
