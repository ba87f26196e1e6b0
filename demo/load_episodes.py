"""The project `babyai-markers` with real episodes of real agents, which two simulated workers have partly marked.

`load` also loads the projects of the crowd, the commands and the scenes.
"""

import json
import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from django.db import transaction

from agents.models import Agent
from annotation.models import Assignment, Enrolment, Project
from annotation.work.claims import claim_next
from annotation.work.enrolments import enrol
from annotation.work.submissions import submit
from demo import load_commands, load_crowd, load_scenes
from demo.projects import put_demo_project, put_demo_quiz
from evaluation import suites
from evaluation.episodes import PREPARE, PostedFile, post_episode
from evaluation.marker import clip_of
from evaluation.models import Film, Suite
from evaluation.project_feeds import set_feed
from jobs import outbox
from jobs.models import Job
from lib.video.frames import FrameTable
from workforce.blocking import worker_on
from workforce.questions import Question

SUITE = "babyai"
PROJECT = "babyai-markers"
NEW_WORKERS = "babyai-first-day"
"""A project with all that may come before the work: information page, practice and quiz."""
QUIZ = "babyai-quiz"
PLATFORM = "simulated"
PAY = "0.12"
INSTRUCTIONS = [
    "# What you do here\n\nYou watch short recordings of a computer program, **the agent**, in a small world seen from "
    "above. "
    "Somebody asks it to do something, and from a certain moment on it acts on its own.\n\n"
    "You mark **one moment**: the first picture in which it has done what was asked, or the first in which it has "
    "failed, if that comes first.",
    "# How to find the moment\n\nPlay the recording, or pull the slider. Go picture by picture with `,` and `.` "
    "until you see the very first picture in which it is done.\n\nThen press **S** for success, or **F** for failure. "
    "If it never does it, press **N**. You can move your mark until you press **Enter**.",
    "# What you see\n\nThe red triangle is the agent: its tip shows where it looks. The strip below the map tells what "
    "it carries. Before the agent takes over, the strip says so, and the timeline is dimmed: nothing there counts.\n\n"
    "What counts as done is written beside each recording.",
]


class SimulatedWorker(NamedTuple):
    """A program in the place of a worker: how often it is right, and the scatter of its moments."""

    name: str
    is_right: float
    scatter_s: float
    share: float
    seconds: tuple[float, float]


WORKERS = (
    SimulatedWorker("careful", is_right=0.96, scatter_s=0.15, share=0.7, seconds=(12, 40)),
    SimulatedWorker("hasty", is_right=0.8, scatter_s=0.6, share=0.7, seconds=(3, 12)),
)


def is_loaded() -> bool:
    return Project.objects.filter(slug=PROJECT).exists()


def load(folder: Path, *, at: datetime, say: Callable[[str], None]) -> None:
    """Load the demo once: agents, suite, project, episodes, and the answers of the simulated workers.

    Args:
        folder: Contains `manifest.json` and `episodes/`.
        say: Receives each line of progress.
    """
    manifest = json.loads((folder / "manifest.json").read_text())
    suite = _suite(manifest, at=at)
    project = _project(at=at)
    pending = _post(manifest, folder, at=at)
    for number, pk in enumerate(pending, start=1):
        outbox.run(pk)
        say(f"preparing episode {number} of {len(pending)}")
    truths = {episode["data"]["external_id"]: episode["truth"] for episode in manifest["episodes"]}
    _quiz(truths, at=at)
    _first_day(truths, at=at)
    for worker in WORKERS:
        say(f"the simulated worker “{worker.name}” marks {_work(worker, project, truths, at=at)} episodes of {suite}")
    done = load_crowd.load(suite=SUITE, version="v1", pages=INSTRUCTIONS, truths=truths, at=at)
    say(f"a simulated crowd has given {done} answers in “{load_crowd.PROJECT}”")
    done = load_commands.load(folder, at=at)
    say(f"simulated workers have answered {done} questions about commands in “{load_commands.PROJECT}”")
    done = load_scenes.load(at=at)
    say(f"a simulated crowd has marked {done} times what words mean in scenes, in “{load_scenes.PROJECT}”")


def _suite(manifest: dict[str, Any], *, at: datetime) -> Suite:
    for agent in manifest["agents"]:
        slug = agent.pop("slug")
        Agent.objects.update_or_create(slug=slug, defaults=agent, create_defaults={**agent, "created_at": at})
    about = {key: manifest["suite"][key] for key in ("title", "description")}
    suite, _ = Suite.objects.get_or_create(slug=SUITE, defaults={**about, "created_at": at})
    for scenario in manifest["scenarios"]:
        key = scenario.pop("key")
        body = suites.ScenarioBody(**{"chance": None, "media": None, **scenario})  # type: ignore[typeddict-item]
        suites.put_scenario(suite=suite, key=key, body=body, by="system", at=at)
    suites.freeze(suite=suite, slug="v1", by="system", at=at)
    return suite


@transaction.atomic
def _project(*, at: datetime) -> Project:
    project = put_demo_project(
        slug=PROJECT,
        tool="marker",
        title="Mark what the agent did",
        instructions=INSTRUCTIONS,
        redundancy=2,
        reference_rate=0.25,
        pay=PAY,
        gates=[{"action": "pause", "below": 0.7, "minimum_n": 10}],
        at=at,
    )
    set_feed(project=project, suite=SUITE, version="v1", agents=None, by="system", at=at)
    return project


CONSENT = """# What this work is

You watch short recordings of a computer program and say when it has done what it was asked. Your answers help to make
such programs better.

- **Time and pay.** A recording takes about a minute. You get 0.12 US dollars for each. A person looks at your work
  within three days; then it is paid.
- **Checks.** Some recordings check the work. They look like all others and are paid like all others.
- **Your data.** We keep your answers and when you gave them. Others see them without your name.
- **It is your choice.** You may stop at any time. What you did stays paid.

Questions? Write to whoever sent you the link."""


@transaction.atomic
def _first_day(truths: dict[str, dict[str, Any]], *, at: datetime) -> None:
    """The project that shows what a new worker meets before the work."""
    episode, truth = [pair for pair in truths.items() if pair[1]["outcome"] == "success"][1]
    project = put_demo_project(
        slug=NEW_WORKERS,
        tool="marker",
        title="Mark what the agent did, from the first day",
        instructions=INSTRUCTIONS,
        consent=CONSENT,
        qualification=QUIZ,
        pay=PAY,
        settings={
            "practice": {
                "ask": "Try it once. It does not count.",
                "payload": {"episode": episode},
                "accept": [{"outcome": "success", "time_s": truth["time_s"]}],
                "tolerance_s": 0.5,
                "why": "It does what was asked. Go picture by picture, and find the first one in which it is done.",
                "first": True,
            }
        },
        at=at,
    )
    set_feed(project=project, suite=SUITE, version="v1", agents=None, by="system", at=at)


def _quiz(truths: dict[str, dict[str, Any]], *, at: datetime) -> None:
    """A quiz with a question of each kind, for projects that require one; the demo's own project does not."""
    episode, truth = next((episode, truth) for episode, truth in truths.items() if truth["outcome"] == "success")
    questions = [
        Question(
            id="how-many",
            ask="How many moments do you mark in one recording?",
            kind="single",
            options=["One", "One for each mistake", "As many as I like"],
            accept=["One"],
        ),
        Question(
            id="what-counts",
            ask="The agent takes a detour, bumps into a wall, and then does what was asked. What is true?",
            kind="multiple",
            options=[
                "It is a success.",
                "I mark the first picture in which it is done.",
                "I mark the moment at which it bumps into the wall.",
                "It is a failure, because of the detour.",
            ],
            accept=["It is a success.", "I mark the first picture in which it is done."],
        ),
        Question(
            id="never",
            ask="It never does what was asked. Which key do you press?",
            kind="text",
            accept=["N", "the N key", "key N"],
        ),
        Question(
            id="mark",
            ask="Mark this one as you would in the work.",
            kind="task",
            payload={"episode": episode},
            tolerance_s=0.5,
            accept=[{"outcome": truth["outcome"], "time_s": truth["time_s"]}],
        ),
    ]
    put_demo_quiz(
        slug=QUIZ, title="How to mark a recording", pages=INSTRUCTIONS, questions=questions, pass_mark=0.75, at=at
    )


def _post(manifest: dict[str, Any], folder: Path, *, at: datetime) -> list[int]:
    for episode in manifest["episodes"]:
        path = folder / "episodes" / episode["video"]
        with path.open("rb") as file:
            video = PostedFile(path.name, sha256(path.read_bytes()).hexdigest(), file)
            post_episode(data=episode["data"], video=video, trajectory=None, at=at)
    return list(Job.objects.unfinished().filter(kind=PREPARE).values_list("pk", flat=True))


def _work(worker: SimulatedWorker, project: Project, truths: dict[str, dict[str, Any]], *, at: datetime) -> int:
    """Lets the simulated worker mark its share through ordinary claims. Returns the number of marked episodes."""
    # The seed makes every demo look the same; nothing secret depends on it.
    chance = random.Random(worker.name)
    person = worker_on(PLATFORM, worker.name, at=at, is_simulated=True)
    enrolment = enrol(project=project, worker=person, at=at)
    wanted = round(worker.share * project.tasks.ordinary().count())
    done = marked = 0
    for assignment, now in _claims(enrolment, chance, worker, at=at):
        if not assignment.task.is_reference:
            if done == wanted:
                break
            done += 1
        truth = truths[assignment.task.payload["episode"]]
        seconds = (now - assignment.claimed_at).total_seconds()
        answer = _answer(worker, assignment, truth, chance)
        submit(enrolment=enrolment, assignment=assignment, answer=answer, active_s=seconds, at=now)
        marked += 1
    return marked


def _claims(
    enrolment: Enrolment, chance: random.Random, worker: SimulatedWorker, *, at: datetime
) -> Iterator[tuple[Assignment, datetime]]:
    """Each assignment with the time at which the worker finishes it. The last one is given back if it is not used."""
    now = at - timedelta(hours=2)
    while (assignment := claim_next(enrolment=enrolment, at=now, chance=chance.random)) is not None:
        now += timedelta(seconds=chance.uniform(*worker.seconds))
        try:
            yield assignment, now
        finally:
            Assignment.objects.held().filter(pk=assignment.pk).update(lease_expires_at=now)


def _answer(
    worker: SimulatedWorker, assignment: Assignment, truth: dict[str, Any], chance: random.Random
) -> dict[str, Any]:
    film = Film.objects.select_related("episode__revision").get(episode__external_id=assignment.task.payload["episode"])
    clip, table = clip_of(film), FrameTable.from_json(film.table)
    outcome = truth["outcome"]
    if chance.random() > worker.is_right:
        outcome = "failure" if outcome == "success" else "success"
    frame = table.frame_at(truth["time_s"] + chance.gauss(0, worker.scatter_s))
    return {"outcome": outcome, "frame": clip.never if outcome == "failure" else min(max(frame, clip.first), clip.last)}
