"""The parts that commands share: their place in the parser, the client, and how a missing path is told."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from crosswalk_client.cli.output import Fault
from crosswalk_client.client import Client
from crosswalk_client.errors import NotFound

Subparsers: TypeAlias = "argparse._SubParsersAction[Any]"


def command(
    commands: Subparsers,
    common: argparse.ArgumentParser,
    name: str,
    run: Callable[[argparse.Namespace], int],
    *,
    help: str,  # noqa: A002 - as in argparse
    examples: str = "",
) -> Any:
    """Add a command with its sentence and its examples."""
    shown = f"examples:\n{textwrap.indent(textwrap.dedent(examples).strip(), '  ')}" if examples else None
    made = commands.add_parser(
        name,
        parents=[common],
        help=help.replace("%", "%%"),  # argparse takes a plain one for a place to fill
        description=help[0].upper() + help[1:] + ".",
        epilog=shown,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.set_defaults(run=run)
    return made


def client_of(asked: argparse.Namespace) -> Client:
    return Client(asked.url, profile=asked.profile)


@contextmanager
def told_if_missing(client: Client, what: str, *, suite: str = "", project: str = "") -> Iterator[None]:
    """Tell apart, when a path is not there, a thing that is missing from a server that lacks the call.

    Raises:
        Fault: in a sentence.
    """
    try:
        yield
    except NotFound:
        kind, slug = ("suite", suite) if suite else ("project", project)
        try:
            if suite:
                client.suites.get(suite)
            elif project:
                client.projects.get(project)
        except NotFound:
            raise Fault(f"There is no {kind} {slug!r} for this key.") from None
        raise Fault(f"This server has no {what}, or what you name is not there (404).") from None
