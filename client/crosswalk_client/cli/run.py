"""`crosswalk run` and `crosswalk record`: continuations by an agent on this machine, and scenarios for them."""

from __future__ import annotations

import json
import re
import sys
import time
from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosswalk_client.cli.common import Subparsers, client_of, command, told_if_missing
from crosswalk_client.cli.output import Fault, result, say
from crosswalk_client.client import Client
from crosswalk_client.errors import CrosswalkError, NotFound

if TYPE_CHECKING:
    from crosswalk_client.runner.continuations import Work

ADAPTER = "crosswalk_client.runner.environments:Gymnasium"
CONTINUATIONS = 10


def add_to(commands: Subparsers, common: ArgumentParser) -> None:
    run_ = command(
        commands,
        common,
        "run",
        run,
        help="let an agent continue every scenario of a version here, and post what it does",
        examples="""
            crosswalk run --agent my_agents:Walker --suite rooms@v1 --continuations 10 --parallel 4
            crosswalk run --agent my_agents:Walker --suite rooms@v1 --scenario red-box --no-post --out runs

            The class is made with seed= and instruction=, and has act(observation). The same command goes on
            where it stopped; the status is 0 when all is made and posted.
        """,
    )
    run_.add_argument("--agent", required=True, metavar="MODULE:CLASS")
    run_.add_argument("--as", dest="slug", metavar="AGENT", help="the agent on the server; else the class's name")
    run_.add_argument("--suite", required=True, metavar="S@V")
    run_.add_argument("--scenario", action="append", default=[], metavar="K", help="only this one; may be repeated")
    run_.add_argument("--continuations", type=int, metavar="N", help="of each scenario (as the suite says, else 10)")
    run_.add_argument("--seed", type=int, default=0, metavar="I", help="of continuation 0; the others count on (0)")
    run_.add_argument("--post", action=BooleanOptionalAction, default=True, help="post what was made (yes)")
    run_.add_argument("--out", type=Path, default=Path("runs"), metavar="FOLDER", help="where recordings are (runs)")
    run_.add_argument("--parallel", type=int, default=1, metavar="N", help="processes side by side (1)")
    run_.add_argument("--adapter", default=ADAPTER, metavar="MODULE:CLASS", help="for other environments")
    run_.add_argument("--any-version", action="store_true", help="mark, and do not refuse, other package versions")
    record_ = command(
        commands,
        common,
        "record",
        record,
        help="make a scenario: a policy plays the context in an environment, which is kept as a recipe",
        examples="""
            crosswalk record MiniGrid-Empty-8x8-v0 --import minigrid --steps 5 --seed 3 --suite rooms \\
                --scenario corner --instruction "go to the green square" --continuation-s 10
        """,
    )
    record_.add_argument("environment", help="the name under which Gymnasium makes it")
    record_.add_argument("--import", dest="imports", action="append", default=[], metavar="MODULE")
    record_.add_argument("--argument", action="append", default=[], metavar="NAME=JSON", help="of the environment")
    record_.add_argument("--wrapper", action="append", default=[], metavar="MODULE:CLASS", help="the innermost first")
    record_.add_argument("--policy", default="random", metavar="MODULE:CLASS", help="who plays the context (random)")
    record_.add_argument("--steps", type=int, required=True, help="of the context")
    record_.add_argument("--seed", type=int, default=0)
    record_.add_argument("--fps", type=float, default=10.0, help="steps a second of the recording (10)")
    record_.add_argument("--suite", required=True)
    record_.add_argument("--scenario", required=True, metavar="K")
    record_.add_argument("--instruction", required=True)
    record_.add_argument("--continuation-s", type=float, required=True, metavar="SECONDS")
    record_.add_argument("--category", default="recorded")
    record_.add_argument("--skill", default="recorded")
    record_.add_argument("--freeze", metavar="VERSION", help="freeze the suite's scenarios as this version")
    record_.add_argument("--adapter", default=ADAPTER, metavar="MODULE:CLASS", help="for other environments")


def run(asked: Namespace) -> int:
    from crosswalk_client.runner.recipe import Unusable

    _import_from_here()
    slug = asked.slug or _slug(asked.agent.rpartition(":")[2])
    with client_of(asked) as client:
        try:
            works = list(_works(client, asked, slug))
        except Unusable as error:
            raise Fault(str(error)) from None
        if asked.post:
            _make_agent(client, slug)
        posted, refused = 0, dict[str, str]()
        began = time.monotonic()
        for work, problem in _made(works, parallel=max(asked.parallel, 1)):
            name = f"{work.scenario['key']} {work.continuation}"
            problem = problem or (_post(client, work) if asked.post else "")
            if problem:
                refused[name] = problem
                say(f"{name}: {problem}")
            else:
                posted += 1
    told = {"agent": slug, "wanted": len(works), "complete": posted, "problems": refused}
    words = f"{posted} of {len(works)} continuations are complete, after {time.monotonic() - began:.0f} s."
    result(asked, told, words)
    return 0 if posted == len(works) else 1


def record(asked: Namespace) -> int:
    from crosswalk_client.runner import recording
    from crosswalk_client.runner.recipe import IN_METADATA, Unusable

    _import_from_here()
    try:
        recipe = recording.record(
            asked.environment,
            policy=asked.policy,
            steps=asked.steps,
            seed=asked.seed,
            fps=asked.fps,
            imports=asked.imports,
            arguments=dict(_argument(one) for one in asked.argument),
            wrappers=asked.wrapper,
            instruction=asked.instruction,
            adapter_class=asked.adapter,
        )
    except Unusable as error:
        raise Fault(str(error)) from None
    with client_of(asked) as client, told_if_missing(client, "scenarios", suite=asked.suite):
        made = client.suites.put_scenario(
            asked.suite,
            asked.scenario,
            instruction=asked.instruction,
            category=asked.category,
            skill=asked.skill,
            takeover_s=len(recipe.actions) / recipe.fps,
            continuation_s=asked.continuation_s,
            metadata={IN_METADATA: recipe.as_json()},
        )
        if asked.freeze:
            client.suites.put_version(asked.suite, asked.freeze)
    result(asked, made, f"{asked.scenario}: {len(recipe.actions)} steps of context, replayed and equal.")
    return 0


def _works(client: Client, asked: Namespace, slug: str) -> Iterator[Work]:
    """The continuations to make, scenario by scenario."""
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
    count = asked.continuations or found.get("continuations") or CONTINUATIONS
    for key in asked.scenario or keys:
        scenario: dict[str, Any] = {**client.suites.scenario(suite, key)}
        others = other_versions(recipe_of(scenario))
        if others and not asked.any_version:
            named = ", ".join(f"{name} {here or 'missing'}" for name, here in others.items())
            raise Fault(f"{key} was made with other versions than are here ({named}): --any-version runs it, marked.")
        for number in range(count):
            stem = asked.out / suite / version / slug / f"{key}-{number}"
            yield Work(scenario, slug, suite, asked.agent, asked.adapter, number, asked.seed + number, stem)


def _made(works: list[Work], *, parallel: int) -> Iterator[tuple[Work, str]]:
    """Each work when it is made, with what went wrong; those made earlier first."""
    from crosswalk_client.runner.continuations import make

    yield from ((work, "") for work in works if work.is_done)
    waiting = [work for work in works if not work.is_done]
    # Fresh processes: simulators keep state in libraries and threads that a fork would break.
    with ProcessPoolExecutor(parallel, mp_context=get_context("spawn"), initializer=_import_from_here) as pool:
        running = {pool.submit(make, work): work for work in waiting}
        try:
            for done in as_completed(running):
                error = done.exception()
                yield running[done], "" if error is None else f"{type(error).__name__}: {error}"
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _post(client: Client, work: Work) -> str:
    """Post what was made; what went wrong, or ""."""
    data = json.loads(work.data.read_text())
    try:
        client.episodes.post(work.video, trajectory=work.trajectory, **data)
    except (CrosswalkError, OSError) as error:
        return str(error)
    return ""


def _make_agent(client: Client, slug: str) -> None:
    try:
        client.agents.get(slug)
    except NotFound:
        client.agents.put(slug, name=slug)


def _import_from_here() -> None:
    """Let modules of the working folder be imported, as `python -m` does."""
    if "" not in sys.path:
        sys.path.insert(0, "")


def _slug(name: str) -> str:
    """A slug of a class's name.

    >>> _slug("MyWalker2")
    'my-walker2'
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()[:63]


def _argument(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
