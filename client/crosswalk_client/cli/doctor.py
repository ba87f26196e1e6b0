"""`crosswalk doctor`: what is wrong with the address, the key, the clock and the versions."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx

from crosswalk_client.cli.common import Subparsers, command
from crosswalk_client.cli.output import result
from crosswalk_client.client import Client
from crosswalk_client.errors import CrosswalkError, Forbidden, Unauthorized
from crosswalk_client.requests import Retry
from crosswalk_client.settings import Settings, is_readable_by_others, profiles_file, settings
from crosswalk_client.version import VERSION

MOST_SKEW_S = 60
HERE = ("localhost", "127.0.0.1", "::1")


class Finding(NamedTuple):
    """One check; `ok` is None for what is worth knowing and no fault."""

    check: str
    ok: bool | None
    sentence: str


def add_to(commands: Subparsers, common: ArgumentParser) -> None:
    command(
        commands,
        common,
        "doctor",
        doctor,
        help="say what is wrong with the address, the key, the clock and the versions",
        examples="crosswalk doctor\ncrosswalk doctor --profile lab --json",
    )


def doctor(asked: Namespace) -> int:
    """Make every check; 0 if nothing is wrong."""
    findings = list(_findings(asked))
    marks = {True: "ok   ", False: "WRONG", None: "     "}
    words = "\n".join(f"{marks[one.ok]}  {one.check:8}  {one.sentence}" for one in findings)
    result(asked, [one._asdict() for one in findings], words)
    return 1 if any(one.ok is False for one in findings) else 0


def _findings(asked: Namespace) -> Iterator[Finding]:
    yield Finding("program", None, f"crosswalk {VERSION} on Python {sys.version.split()[0]}; {_extras()}")
    if is_readable_by_others(profiles_file()):
        yield Finding("profile", False, f"Others may read {profiles_file()}: chmod 600 it.")
    try:
        known = settings(asked.url, profile=asked.profile)
    except CrosswalkError as error:
        yield Finding("address", False, error.detail)
        return
    yield from _address(known)
    try:
        alive = httpx.get(f"{known.url}/healthz", timeout=10)
    except httpx.HTTPError as error:
        yield Finding("server", False, f"{known.url} does not answer: {error}.")
        return
    yield from _server(known, alive)
    yield from _clock(alive)
    yield from _key(known)


def _extras() -> str:
    found = [name for name in ("pyarrow", "pandas", "gymnasium", "keyring") if find_spec(name)]
    return f"installed beside it: {', '.join(found) or 'none of its extras'}."


def _address(known: Settings) -> Iterator[Finding]:
    parts = urlsplit(known.url)
    if parts.scheme == "http" and parts.hostname not in HERE:
        yield Finding("address", False, f"{known.url} is not encrypted: the key can be read on the way.")
    else:
        yield Finding("address", True, known.url)


def _server(known: Settings, alive: httpx.Response) -> Iterator[Finding]:
    if alive.is_redirect:
        yield Finding("server", False, f"The address moved: use {alive.headers.get('location', 'the new one')}.")
        return
    if not alive.is_success:
        yield Finding("server", False, f"{known.url}/healthz answers {alive.status_code}: is this Crosswalk?")
        return
    try:
        document = httpx.get(f"{known.url}/api/v1/schema/", params={"format": "json"}, timeout=30).json()
        version = f"Crosswalk's API {document['info']['version']}, {len(document['paths'])} paths."
        yield Finding("server", True, version)
    except (httpx.HTTPError, ValueError, KeyError):
        yield Finding("server", False, f"{known.url}/api/v1/schema/ is no OpenAPI document: is this Crosswalk?")
    ready = httpx.get(f"{known.url}/readyz", timeout=30)
    if not ready.is_success:
        yield Finding("ready", False, f"The server is not ready: {ready.text[:300]}")


def _clock(alive: httpx.Response) -> Iterator[Finding]:
    try:
        there = parsedate_to_datetime(alive.headers["date"])
    except (KeyError, ValueError):
        return
    skew_s = abs((datetime.now(timezone.utc) - there).total_seconds())
    if skew_s > MOST_SKEW_S:
        yield Finding("clock", False, f"This clock and the server's are {skew_s:.0f} s apart.")


def _key(known: Settings) -> Iterator[Finding]:
    if not known.key:
        yield Finding("key", False, "No key is known: run `crosswalk init`, or set CROSSWALK_KEY.")
        return
    with Client(known.url, known.key, retry=Retry(times=0)) as client:
        try:
            next(client.agents.list(), None)
        except Unauthorized:
            yield Finding("key", False, "The server does not accept the key: it is unknown, revoked or expired.")
        except Forbidden:
            yield Finding("key", False, "The key lacks the scope `read`.")
        except CrosswalkError as error:
            yield Finding("key", False, str(error))
        else:
            yield Finding("key", True, "The server accepts the key.")
