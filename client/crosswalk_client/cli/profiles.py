"""`crosswalk init`: keep the address and the key of a server in a profile."""

from __future__ import annotations

import getpass
import os
import sys
from argparse import ArgumentParser, Namespace

from crosswalk_client.cli.common import Subparsers, command
from crosswalk_client.cli.output import Fault, result, say
from crosswalk_client.client import Client
from crosswalk_client.requests import Retry
from crosswalk_client.settings import DEFAULT, Settings, plain_address, write_profile


def add_to(commands: Subparsers, common: ArgumentParser) -> None:
    made = command(
        commands,
        common,
        "init",
        init,
        help="keep the address and the key of a server in a profile",
        examples="""
            crosswalk init --url https://crowd.example.org      # asks for the key
            crosswalk init --url http://127.0.0.1:8000 --key-stdin < key.txt
            CROSSWALK_KEY=… crosswalk init --url https://crowd.example.org --profile lab
        """,
    )
    made.add_argument("--key-stdin", action="store_true", help="read the key from the standard input")
    made.add_argument("--no-check", action="store_true", help="keep both without asking the server")


def init(asked: Namespace) -> int:
    url = asked.url or os.environ.get("CROSSWALK_URL") or _ask("Address of the server: ")
    kept = Settings(plain_address(url), _key(asked))
    if not kept.key:
        raise Fault("No key was given.")
    if not asked.no_check:
        with Client(kept.url, kept.key, retry=Retry(times=1)) as client:
            next(client.agents.list(), None)
    name = asked.profile or DEFAULT
    where = write_profile(name, kept)
    words = f"The profile {name!r} is kept; its key is in {where}."
    result(asked, {"profile": name, "url": kept.url, "key_in": where}, words)
    return 0


def _key(asked: Namespace) -> str:
    if asked.key_stdin:
        return sys.stdin.readline().strip()
    if found := os.environ.get("CROSSWALK_KEY"):
        say("The key is that of CROSSWALK_KEY.")
        return found
    if not sys.stdin.isatty():
        raise Fault("The key is asked for at a terminal; else use --key-stdin, or set CROSSWALK_KEY.")
    return getpass.getpass("Key (it is not shown): ").strip()


def _ask(question: str) -> str:
    if not sys.stdin.isatty():
        raise Fault("Name the address: --url https://…")
    return input(question).strip()
