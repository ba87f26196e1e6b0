"""`crosswalk run`: continuations by an agent on this machine."""

from __future__ import annotations

import json
import re
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import TYPE_CHECKING

from crosswalk_client.cli.common import Subparsers, client_of, command
from crosswalk_client.cli.output import result, say
from crosswalk_client.cli.running.works import add_options, import_from_here, make_agent, post_work, works

if TYPE_CHECKING:
    from crosswalk_client.runner.continuations import Work


def add_to(commands: Subparsers, common: ArgumentParser) -> None:
    made = command(
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
    made.add_argument("--agent", required=True, metavar="MODULE:CLASS", help="the class that acts")
    made.add_argument("--as", dest="slug", metavar="AGENT", help="the agent on the server; else the class's name")
    made.add_argument("--continuations", type=int, metavar="N", help="of each scenario (as the suite says, else 10)")
    made.add_argument("--parallel", type=int, default=1, metavar="N", help="processes side by side (1)")
    add_options(made)


def run(asked: Namespace) -> int:
    import_from_here()
    slug = asked.slug or _slug(asked.agent.rpartition(":")[2])
    with client_of(asked) as client:
        wanted = works(client, asked, slug, agent_class=asked.agent, count=asked.continuations)
        if asked.post:
            make_agent(client, slug)
        complete: list[Work] = []
        refused: dict[str, str] = {}
        began = time.monotonic()
        for work, problem in _made(wanted, parallel=max(asked.parallel, 1)):
            problem = problem or (post_work(client, work) if asked.post else "")
            if problem:
                refused[work.name] = problem
                say(f"{work.name}: {problem}")
            else:
                complete.append(work)
    pace = _real_time_factor(complete)
    told = {
        "agent": slug,
        "wanted": len(wanted),
        "complete": len(complete),
        "real_time_factor": pace,
        "problems": refused,
    }
    took = f"{time.monotonic() - began:.0f} s" + (f", at {pace:g} times real time each" if pace else "")
    result(asked, told, f"{len(complete)} of {len(wanted)} continuations are complete, after {took}.")
    return 0 if len(complete) == len(wanted) else 1


def _made(works: list[Work], *, parallel: int) -> Iterator[tuple[Work, str]]:
    """Each work when it is made, with what went wrong; those made earlier first."""
    from crosswalk_client.runner.continuations import make

    yield from ((work, "") for work in works if work.is_done)
    waiting = [work for work in works if not work.is_done]
    # Fresh processes: simulators keep state in libraries and threads that a fork would break.
    with ProcessPoolExecutor(parallel, mp_context=get_context("spawn"), initializer=import_from_here) as pool:
        running = {pool.submit(make, work): work for work in waiting}
        try:
            for done in as_completed(running):
                error = done.exception()
                yield running[done], "" if error is None else f"{type(error).__name__}: {error}"
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _real_time_factor(works: list[Work]) -> float | None:
    """The median of how much faster than its recording each continuation was made; None where there is none."""
    found = sorted(json.loads(work.data.read_text())["metadata"]["real_time_factor"] for work in works)
    return found[len(found) // 2] if found else None


def _slug(name: str) -> str:
    """A slug of a class's name.

    >>> _slug("MyWalker2")
    'my-walker2'
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()[:63]
