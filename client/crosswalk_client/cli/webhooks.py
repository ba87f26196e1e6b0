"""`crosswalk webhook`: addresses to which the server sends events."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace

from crosswalk_client.cli.common import Subparsers, client_of, command
from crosswalk_client.cli.output import result

PATIENCE_S = 20.0
"""How long the answer to a test event is waited for."""


def add_to(commands: Subparsers, common: ArgumentParser) -> None:
    whole = commands.add_parser("webhook", help="let the server send events to an address, and test it")
    inside = whole.add_subparsers(dest="what", metavar="add|test|rotate|remove", required=True)
    add_ = command(
        inside,
        common,
        "add",
        add,
        help="let events be sent to an address; the secret is shown this once",
        examples="crosswalk webhook add https://ci.example.org/hook --events run.complete 'episode.*'",
    )
    add_.add_argument("address", help="where your program takes them, https://…")
    add_.add_argument("--events", nargs="+", required=True, metavar="TYPE", help="types, or `prefix.*`")
    for name, run, sentence in (
        ("test", test, "let the server send a test event now; 0 if the address accepts it"),
        ("rotate", rotate, "replace the secret; the new one is shown this once"),
        ("remove", remove, "let no more events be sent"),
    ):
        example = f"crosswalk webhook {name} 6b1e…    # as `add` wrote it"
        command(inside, common, name, run, help=sentence, examples=example).add_argument("webhook", help="its id")


def add(asked: Namespace) -> int:
    with client_of(asked) as client:
        made = client.webhooks.post(asked.address, asked.events)
    result(asked, made, f"webhook {made['webhook']}\nsecret  {made['secret']}")
    return 0


def test(asked: Namespace) -> int:
    """Let a test event be sent, and wait for the receiver's answer; 0 if it was accepted."""
    with client_of(asked) as client:
        told = client.webhooks.test(asked.webhook)
        ends = time.monotonic() + PATIENCE_S
        while told["tried_at"] is None and time.monotonic() < ends:
            time.sleep(0.5)
            found = (one for one in client.webhooks.deliveries(asked.webhook) if one["delivery"] == told["delivery"])
            told = next(found, told)
    answer, problem = told["answer"], told["problem"]
    said = f"The address answered {answer['status']}." if answer else problem or "It is not sent yet."
    result(asked, told, said)
    return 0 if told["status"] == "delivered" else 1


def rotate(asked: Namespace) -> int:
    with client_of(asked) as client:
        told = client.webhooks.rotate(asked.webhook)
    result(asked, told, f"secret  {told['secret']}")
    return 0


def remove(asked: Namespace) -> int:
    with client_of(asked) as client:
        client.webhooks.delete(asked.webhook)
    result(asked, {"removed": asked.webhook}, f"{asked.webhook} gets no more events.")
    return 0
