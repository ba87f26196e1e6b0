"""`crosswalk campaign start|status|stop`: the learning loop."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from crosswalk_client.cli.common import Subparsers, client_of, command
from crosswalk_client.cli.output import Fault, result, table
from crosswalk_client.errors import NotFound

HEADS = ["n", "tranche", "training", "model", "gate", "deployed", "spent"]


def add_to(commands: Subparsers, common: ArgumentParser) -> None:
    whole = commands.add_parser("campaign", help="start, stop or look at a campaign of the learning loop")
    inside = whole.add_subparsers(dest="what", metavar="start|status|stop", required=True)
    for name, run, sentence in (
        ("start", start, "start a campaign"),
        ("status", status, "show what a campaign waits for, what it spent and its iterations"),
        ("stop", stop, "stop a campaign"),
    ):
        made = command(inside, common, name, run, help=sentence, examples=f"crosswalk campaign {name} nlu-2026")
        made.add_argument("campaign", help="the campaign's name in addresses")


def start(asked: Namespace) -> int:
    with client_of(asked) as client:
        return _told(asked, lambda: client.campaigns.start(asked.campaign))


def status(asked: Namespace) -> int:
    with client_of(asked) as client:
        return _told(asked, lambda: client.campaigns.get(asked.campaign))


def stop(asked: Namespace) -> int:
    with client_of(asked) as client:
        return _told(asked, lambda: client.campaigns.stop(asked.campaign))


def _told(asked: Namespace, call: Any) -> int:
    try:
        found = call() or {}
    except NotFound:
        raise Fault(f"There is no campaign {asked.campaign!r} for this key.") from None
    rows = [[_text(one.get(name)) for name in HEADS] for one in found.get("iterations") or ()]
    facts = [f"{name}: {_text(found[name])}" for name in ("status", "waiting_for", "spent") if found.get(name)]
    result(asked, found, "\n".join([*facts, *((table(HEADS, rows),) if rows else ())]) or asked.campaign)
    return 0


def _text(value: Any) -> str | int | float | None:
    if isinstance(value, dict):
        return " ".join(str(one) for one in value.values())
    return value if value is None or isinstance(value, (str, int, float)) else str(value)
