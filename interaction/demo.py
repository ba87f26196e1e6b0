"""The demo's live sessions: a project where people command the builder, one that measures it, and what came of both.

The past sessions were given by simulated workers to the real mind of the built-in agent, in their own time; what they
say of each command is drawn by chance, except where the agent itself said that it could not. Half of them were shown
first what the agent understood. Before that, commands were collected whose true forms are known by now, so the funnel
has something to show.
"""

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from agents.models import Agent
from annotation.approvals import approve, reject
from annotation.demo_projects import let_in, put_demo_project
from annotation.logical_form.normal import normal
from annotation.logical_form.spans import tokenise
from annotation.models import Annotation, Project
from common.values import canonical
from interaction import matching
from interaction.builder import BUILDER
from interaction.builder.parser import parse
from interaction.demo_play import play_session
from interaction.past_commands import CommandBody, post_commands
from routing import versions
from routing.routes import EVERY, RouteBody, put_route

PROJECT, EVALUATION = "live", "live-evaluation"
BEGAN: Final = timedelta(hours=6)
GAP: Final = timedelta(minutes=9)
SEED = 4
SIMULATED: Final = ("ida", "jon", "kim", "lea", "mia", "nils", "olga", "paul"), ("max", "noa")
"""The workers of the two projects."""
A_SESSION = 7
"""Commands."""
APPROVED, DOUBTED = 5, "Most of these commands ask for the same thing in other words."
"""How many sessions are approved, and why the next one is paid and not counted."""
MARKED = 0.45
"""How often a command that was misread before was marked so, and how often one that was not."""
MISMARKED = 0.05
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


class Known(NamedTuple):
    """A command whose true form is known."""

    text: str
    form: dict[str, Any]


class Repairs(NamedTuple):
    """The projects where errors are repaired, by slug: of parses, and of what words mean in a scene."""

    parses: str
    masks: str


EXPERIMENT: Final = {
    "name": "first-question",
    "arms": [
        {"name": "done-first", "share": 1, "instructions": None, "pay": None, "settings": {"tree": "default"}},
        {"name": "parse-first", "share": 1, "instructions": None, "pay": None, "settings": {"tree": "parse-first"}},
    ],
}
"""What is asked first after a command: whether it was done, or whether it was understood."""


def is_loaded() -> bool:
    return Project.objects.filter(slug=PROJECT).exists()


def load(*, known: Sequence[Known], repairs: Repairs, at: datetime) -> int:
    """Make the projects and routes, and let simulated workers have their sessions up to `at`; how many there were."""
    began = at - BEGAN
    versions.make_first(at=began)
    projects = _make_projects(at=began)
    _make_routes(repairs, at=began)
    chance = random.Random(SEED)  # noqa: S311 - every demo looks the same
    _post_earlier(known, chance, at=began)
    process = matching.arrive(agent=Agent.objects.get(slug=BUILDER), resume="demo", capacity=10, at=began)
    played = 0
    for project, names in zip(projects, SIMULATED, strict=True):
        for enrolment in let_in(project, names, at=began).values():
            began += GAP
            commands = [COMMANDS[n] for n in sorted(chance.sample(range(len(COMMANDS)), A_SESSION))]
            play_session(enrolment, process, commands, chance, at=began)
            played += 1
    matching.leave(process, at=began)
    _decide(projects[0], at=at)
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
            put_route(slug=slug, body=body, by=versions.SYSTEM, at=at)


def _post_earlier(known: Sequence[Known], chance: random.Random, *, at: datetime) -> None:
    """Commands of an earlier collection: what the builder's parser makes of them, their true forms, and the marks."""
    bodies = []
    for number, (text, form) in enumerate(known):
        # Posted forms differ where they differ as JSON, so both are written in one way.
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


def _decide(project: Project, *, at: datetime) -> None:
    """Some sessions have been looked at, the last ones wait."""
    handed_in = list(Annotation.objects.filter(project=project).order_by("number")[: APPROVED + 1])
    approve(annotations=handed_in[:APPROVED], by=versions.SYSTEM, at=at)
    reject(annotations=handed_in[APPROVED:], reason=DOUBTED, is_soft=True, by=versions.SYSTEM, at=at)
