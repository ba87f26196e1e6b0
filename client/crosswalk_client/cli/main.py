"""The parser of the command line: every command with its help and its examples, and how errors end the program."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from crosswalk_client.cli import (
    campaigns,
    compare,
    completion,
    doctor,
    export,
    people,
    profiles,
    ranking,
    server,
    suites,
    watch,
    webhooks,
)
from crosswalk_client.cli.output import Fault, say
from crosswalk_client.cli.posting import command as post
from crosswalk_client.cli.running import play, record, run
from crosswalk_client.errors import CrosswalkError
from crosswalk_client.version import VERSION

Command = Callable[[argparse.Namespace], int]
INTERRUPTED = 130


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes end the program with a status of its own: `compare` gives 2 another meaning."""

    mistake = 2

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(self.mistake, f"{self.prog}: {message}\n")


def parser() -> Parser:
    whole = Parser(
        prog="crosswalk",
        description="Post recordings of agents to a Crosswalk server, and learn what people say of them.",
        epilog="Begin with `crosswalk init`. The key comes from a profile or from CROSSWALK_KEY, never an argument.",
    )
    whole.add_argument("--version", action="version", version=f"crosswalk {VERSION}")
    commands = whole.add_subparsers(dest="command", metavar="COMMAND", required=True)
    common = common_options()
    judged = (profiles, doctor, suites, post, watch, ranking, compare)
    for module in (*judged, record, run, play, export, people, webhooks, campaigns, server):
        module.add_to(commands, common)
    completion.add_to(commands, whole)
    return whole


def common_options() -> argparse.ArgumentParser:
    """The options that every command has."""
    common = argparse.ArgumentParser(add_help=False)
    group = common.add_argument_group("of every command")
    group.add_argument("--url", help="the server's address; else CROSSWALK_URL, else that of the profile")
    group.add_argument("--profile", help="the profile to use; else CROSSWALK_PROFILE, else `default`")
    group.add_argument("--json", action="store_true", help="write the result as JSON")
    return common


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the status with which the program ends."""
    asked = parser().parse_args(arguments)
    failed: int = getattr(asked, "failed", 1)
    run: Command = asked.run
    try:
        return run(asked)
    except Fault as fault:
        say(f"crosswalk: {fault}")
        return fault.code if failed == 1 else failed
    except CrosswalkError as error:
        say(f"crosswalk: {error}")
        return failed
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            # Whoever read the output has ended: nothing more can be written, not even at the end of the program.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        say(f"crosswalk: {error}")
        return failed
    except KeyboardInterrupt:
        return INTERRUPTED
