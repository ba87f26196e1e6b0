"""The parts that `run`, `play` and `record` share: options, the continuations of a version, and posting them."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosswalk_client.cli.common import told_if_missing
from crosswalk_client.cli.output import Fault
from crosswalk_client.client import Client
from crosswalk_client.errors import CrosswalkError, NotFound

if TYPE_CHECKING:
    from crosswalk_client.runner.continuations import Work

ADAPTER = "crosswalk_client.runner.environments:Gymnasium"
CONTINUATIONS = 10


def add_options(made: ArgumentParser) -> None:
    """Add the options that `run` and `play` share."""
    made.add_argument("--suite", required=True, metavar="S@V", help="a suite and its frozen version, as rooms@v1")
    made.add_argument("--scenario", action="append", default=[], metavar="K", help="only this one; may be repeated")
    made.add_argument("--seed", type=int, default=0, metavar="I", help="of continuation 0; the others count on (0)")
    made.add_argument("--post", action=BooleanOptionalAction, default=True, help="post what was made (yes)")
    made.add_argument("--out", type=Path, default=Path("runs"), metavar="FOLDER", help="where recordings are (runs)")
    made.add_argument("--adapter", default=ADAPTER, metavar="MODULE:CLASS", help="for other environments")
    made.add_argument("--any-version", action="store_true", help="mark, and do not refuse, other package versions")


def add_keys(made: ArgumentParser) -> None:
    """Add the options of who plays at the keyboard."""
    made.add_argument(
        "--press",
        dest="keys",
        type=named_value,
        action="append",
        default=[],
        metavar="KEY=JSON",
        help="the action of a key, as left=0 or up=[0,1,0]; those of MiniGrid and BabyAI are known",
    )
    made.add_argument(
        "--idle",
        type=json.loads,
        metavar="JSON",
        help="the action while no key is held: the world goes on at its pace; left out, it waits for a key",
    )


def works(client: Client, asked: Namespace, slug: str, *, agent_class: str, count: int | None) -> list[Work]:
    """The continuations to make, scenario by scenario.

    Args:
        count: How many of each scenario; None: as many as the suite says, else `CONTINUATIONS`.

    Raises:
        Fault: a scenario cannot be continued here.
    """
    from crosswalk_client.runner.recipe import Unusable

    try:
        return list(_works(client, asked, slug, agent_class, count))
    except Unusable as error:
        raise Fault(str(error)) from None


def _works(client: Client, asked: Namespace, slug: str, agent_class: str, count: int | None) -> Iterator[Work]:
    from crosswalk_client.runner.continuations import Work
    from crosswalk_client.runner.recipe import other_versions, recipe_of

    suite, _, version = asked.suite.partition("@")
    if not version:
        raise Fault("Name a frozen version: --suite SUITE@VERSION.")
    with told_if_missing(client, f"version {version!r} of the suite {suite!r}", suite=suite):
        keys = client.suites.version(suite, version)["scenarios"]
    if unknown := set(asked.scenario) - set(keys):
        raise Fault(f"The version has no scenario {', '.join(sorted(unknown))}.")
    found: Any = client.suites.get(suite)
    of_each = count or found.get("continuations") or CONTINUATIONS
    for key in asked.scenario or keys:
        scenario: dict[str, Any] = {**client.suites.scenario(suite, key)}
        others = other_versions(recipe_of(scenario))
        if others and not asked.any_version:
            named = ", ".join(f"{name} {here or 'missing'}" for name, here in others.items())
            raise Fault(f"{key} was made with other versions than are here ({named}): --any-version runs it, marked.")
        for number in range(of_each):
            stem = asked.out / suite / version / slug / f"{key}-{number}"
            yield Work(scenario, slug, suite, agent_class, asked.adapter, number, asked.seed + number, stem)


def post_work(client: Client, work: Work) -> str:
    """Post what was made; what went wrong, or ""."""
    data = json.loads(work.data.read_text())
    try:
        client.episodes.post(work.video, trajectory=work.trajectory, **data)
    except (CrosswalkError, OSError) as error:
        return str(error)
    return ""


def make_agent(client: Client, slug: str, *, kind: Any = "agent") -> None:
    """Make the agent if the server does not know it.

    Raises:
        Fault: it is there and is of another kind.
    """
    try:
        found = client.agents.get(slug)
    except NotFound:
        client.agents.put(slug, name=slug, kind=kind)
        return
    if found.get("kind", "agent") != kind:
        raise Fault(f"{slug} is there already, and of the kind {found.get('kind')!r}; name another one.")


def import_from_here() -> None:
    """Let modules of the working folder be imported, as `python -m` does."""
    if "" not in sys.path:
        sys.path.insert(0, "")


def named_value(text: str) -> tuple[str, Any]:
    """The name and the value of `NAME=JSON`; what is not JSON is a text.

    >>> named_value("size=8"), named_value("mode=easy")
    (('size', 8), ('mode', 'easy'))
    """
    name, found, value = text.partition("=")
    if not found:
        raise ArgumentTypeError(f"{text!r} is not NAME=JSON")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
