"""The projects `live` and `live-evaluation` with their past sessions, and the routes from errors to repairs.

Simulated workers had the sessions with the built-in agent's real mind. Their answers about each command are random,
except after the agent said that it could not do it. Half of the workers first saw what the agent understood. An earlier
collection of commands with known forms gives the funnel something to show.
"""

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from agents.models import Agent
from annotation.models import Annotation, Project
from annotation.pay.approvals import approve, reject
from builder import BUILDER
from builder.parser.sentence import parse
from commands.imports import CommandBody
from demo.play_sessions import play_session
from demo.projects import enrol_crowd, put_demo_project
from interaction.agents import matching
from lib.canonical_json import canonical
from lib.logical_form.normal import normal
from lib.logical_form.spans import tokenise
from routing import tree_versions
from routing.reports import post_commands
from routing.routes import EVERY, RouteBody, put_route

PROJECT, EVALUATION = "live", "live-evaluation"
BEGAN: Final = timedelta(hours=6)
GAP: Final = timedelta(minutes=9)
SEED = 4
SIMULATED: Final = ("ida", "jon", "kim", "lea", "mia", "nils", "olga", "paul"), ("max", "noa")
"""The workers of each of the two projects."""
COMMANDS_A_SESSION = 7
APPROVED, DOUBTED = 5, "Most of these commands ask for the same thing in other words."
"""The number of approved sessions, and the reason why the next one is paid but not counted."""
MARKED = 0.45
"""The probability that an earlier command is marked as misread, if it was misread."""
MISMARKED = 0.05
"""The same if it was read correctly."""
INSTRUCTIONS = [
    "# What you do here\n\nYou meet an **assistant** in a world made of blocks. Tell it in your own words what to do, "
    "watch what it does, and say whether it was right.\n\nA session takes **at least five minutes**. It begins when "
    "you press *Start*.",
    "# Moving around\n\nClick once into the world to look around with the mouse. Walk with **W A S D**, rise with "
    "**Space**, sink with **Shift**; **Esc** lets go of the mouse. Arrow keys and the buttons on the screen work too.",
    "# Giving commands\n\nWrite one command at a time and press **Enter**. You can press **Stop** whenever you like. "
    "What the assistant can do stands left of the world.\n\nBe creative: build on what is there, ask about it, "
    "use different words.",
    "# After each command\n\nA few short questions follow: did it do what you asked? If not, what went wrong? "
    "Answer them as well as you can: the assistant learns from it.",
]
COMMANDS = (
    "build a small red cube in front of me",
    "make a yellow tower next to the cube",
    "what colour is the tower?",
    "come here",
    "dig a hole behind you",
    "fill the hole with stone",
    "destroy the tower",
    "spawn two sheep",
    "point at the sheep",
    "how many red things are there?",
    "build a big blue sphere to the left of the cube",
    "undo that",
    "turn around and dance",
    "copy the red cube to the right of me",
    "that is a fort",
    "where is the fort?",
    "sing me a song",
    "build a camel",
    "make a green wall 6 blocks long",
    "go to the biggest thing",
)
PROMPTS = [
    "Ask it to build something near something else.",
    "Ask a question about what it can see.",
    "Ask it to change something that it has built.",
    "Have it move or turn in some unusual way.",
]


class KnownCommand(NamedTuple):
    """A command with its known form."""

    text: str
    form: dict[str, Any]


class Repairs(NamedTuple):
    """The slugs of the projects that repair errors: of parses, and of masks."""

    parses: str
    masks: str


EXPERIMENT: Final = {
    "name": "first-question",
    "arms": [
        {"name": "done-first", "share": 1, "instructions": None, "pay": None, "settings": {"tree": "default"}},
        {"name": "parse-first", "share": 1, "instructions": None, "pay": None, "settings": {"tree": "parse-first"}},
    ],
}
"""The first question after a command: whether it was done, or whether it was understood."""


def is_loaded() -> bool:
    return Project.objects.filter(slug=PROJECT).exists()


def load(*, known: Sequence[KnownCommand], repairs: Repairs, at: datetime) -> int:
    """Make the projects and routes, and let simulated workers have sessions up to `at`. Returns their number."""
    began = at - BEGAN
    tree_versions.make_first(at=began)
    projects = _make_projects(at=began)
    _make_routes(repairs, at=began)
    chance = random.Random(SEED)
    _post_earlier_commands(known, chance, at=began)
    process = matching.connect(agent=Agent.objects.get(slug=BUILDER), resume="demo", capacity=10, at=began)
    played = 0
    for project, names in zip(projects, SIMULATED, strict=True):
        for enrolment in enrol_crowd(project, names, at=began).values():
            began += GAP
            commands = [COMMANDS[n] for n in sorted(chance.sample(range(len(COMMANDS)), COMMANDS_A_SESSION))]
            play_session(enrolment, process, commands, chance, at=began)
            played += 1
    matching.disconnect(process, at=began)
    _approve_some(projects[0], at=at)
    return played


def _make_projects(*, at: datetime) -> list[Project]:
    shared: dict[str, Any] = {
        "tool": "interaction",
        "instructions": INSTRUCTIONS,
        "redundancy": 1,
        "reference_rate": 0.0,
        "pay": "1.50",
        "at": at,
    }
    settings = {"agent": BUILDER, "sessions": 200, "tree": "default", "minimum_s": 300}
    return [
        put_demo_project(
            slug=PROJECT,
            title="Command an assistant in a world of blocks",
            settings={**settings, "stoplight": {"preset": "default"}},
            experiment=EXPERIMENT,
            **shared,
        ),
        put_demo_project(
            slug=EVALUATION,
            title="Five minutes with an assistant",
            settings={**settings, "tree": "rate", "evaluation": True, "prompts": PROMPTS},
            **shared,
        ),
    ]


def _make_routes(repairs: Repairs, *, at: datetime) -> None:
    for slug, outcome, to in (
        ("all-commands", EVERY, repairs.parses),
        ("vision-errors", "vision_error", repairs.masks),
    ):
        if Project.objects.filter(slug=to).exists():
            body = RouteBody(outcome=outcome, project=to, rate=1.0, sources=[PROJECT])
            put_route(slug=slug, body=body, by=tree_versions.SYSTEM, at=at)


def _post_earlier_commands(known: Sequence[KnownCommand], chance: random.Random, *, at: datetime) -> None:
    """Posts commands of an earlier collection: the builder's parse, the known form, and the worker's mark."""
    bodies = []
    for number, (text, form) in enumerate(known):
        # Forms are compared as JSON, so both are normalised first.
        said, form = normal(parse(tokenise(text))), normal(form)
        is_marked = chance.random() < (MARKED if canonical(said) != canonical(form) else MISMARKED)
        when = at - timedelta(days=3) + number * timedelta(hours=2)
        bodies.append(
            CommandBody(
                command=f"earlier-{number + 1}",
                project=PROJECT,
                text=text,
                parse=said,
                form=form,
                outcome="nlu_error" if is_marked else "ok",
                agent=BUILDER,
                at=when,
            )
        )
    post_commands(bodies=bodies, at=at)


def _approve_some(project: Project, *, at: datetime) -> None:
    """Approves some sessions and rejects one softly; the last ones wait."""
    handed_in = list(Annotation.objects.filter(project=project).order_by("number")[: APPROVED + 1])
    approve(annotations=handed_in[:APPROVED], by=tree_versions.SYSTEM, at=at)
    reject(annotations=handed_in[APPROVED:], reason=DOUBTED, is_soft=True, by=tree_versions.SYSTEM, at=at)
