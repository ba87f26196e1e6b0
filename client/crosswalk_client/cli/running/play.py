"""`crosswalk play`: a person takes over where an agent would, until the same deadline."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from crosswalk_client.cli.common import Subparsers, client_of, command
from crosswalk_client.cli.output import Fault, result, say
from crosswalk_client.cli.running.works import add_keys, add_options, import_from_here, make_agent, post_work, works

if TYPE_CHECKING:
    from crosswalk_client.runner.continuations import Work
    from crosswalk_client.runner.keyboard import Keys
    from crosswalk_client.runner.screen import Screen

PERSON = "crosswalk_client.runner.keyboard:Person"
INTERRUPTED = 130


def add_to(commands: Subparsers, common: ArgumentParser) -> None:
    made = command(
        commands,
        common,
        "play",
        play,
        help="take over yourself where an agent would, until the same deadline, and post what you do",
        examples="""
            crosswalk play --suite rooms@v1 --as people
            crosswalk play --suite drives@v1 --as ana --kind expert --continuations 3 --idle '[0,0,0]' \\
                --press 'left=[-1,0,0]' --press 'right=[1,0,0]' --press 'up=[0,1,0]'

            Space takes over. Escape stops, and the same command goes on with the next continuation. The ranking
            shows who plays as a line of people or of experts, and gives them no rank.
        """,
    )
    made.add_argument("--as", dest="slug", required=True, metavar="NAME", help="who plays, as an agent on the server")
    made.add_argument("--kind", choices=("human", "expert"), default="human", help="of people who play (human)")
    made.add_argument("--continuations", type=int, default=1, metavar="N", help="of each scenario (1)")
    add_keys(made)
    add_options(made)


def play(asked: Namespace) -> int:
    from crosswalk_client.runner.keyboard import GivenUp, window
    from crosswalk_client.runner.recipe import Unusable

    import_from_here()
    with client_of(asked) as client:
        wanted = works(client, asked, asked.slug, agent_class=PERSON, count=asked.continuations)
        if asked.post:
            make_agent(client, asked.slug, kind=asked.kind)
        complete, refused, stopped = list[str](), dict[str, str](), False
        try:
            with window() as screen:
                for work in wanted:
                    _play(work, screen, asked)
                    if problem := post_work(client, work) if asked.post else "":
                        refused[work.name] = problem
                        say(f"{work.name}: {problem}")
                    else:
                        complete.append(work.name)
        except GivenUp:
            stopped = True
        except Unusable as error:
            raise Fault(str(error)) from None
    told = {"agent": asked.slug, "wanted": len(wanted), "complete": len(complete), "problems": refused}
    words = f"{len(complete)} of {len(wanted)} continuations are complete."
    result(asked, told, f"{words} The same command goes on from there." if stopped else words)
    return INTERRUPTED if stopped else 1 if refused else 0


def _play(work: Work, screen: Screen, asked: Namespace) -> None:
    """Let the person make the continuation, unless it is there.

    Raises:
        GivenUp: the person stopped; nothing of this continuation is kept.
        Unusable: the recipe cannot be replayed here.
    """
    from crosswalk_client.runner.continuations import make, most_steps
    from crosswalk_client.runner.keyboard import Person, keys_of
    from crosswalk_client.runner.recipe import recipe_of

    if work.is_done:
        return
    recipe = recipe_of(work.scenario)
    keys: Keys = keys_of(recipe.environment, given=dict(asked.keys), idle=asked.idle)
    steps = most_steps(work.scenario, recipe)
    person = Person(screen, keys, work.scenario["instruction"], recipe.fps, steps)
    make(work, player=person, notes={"played": "by key" if keys.idle is None else "in real time"})
