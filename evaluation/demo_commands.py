"""The demo's project of commands: a part of them done by simulated workers step by step, the others left for people.

The commands are our own (`demo/commands.json`); some come with the parse of an agent, some of these with something
missing, and marked by the worker who gave the command. A quiz of five other commands stands beside it.
"""

import json
from collections.abc import Mapping
from copy import deepcopy
from datetime import datetime, timedelta
from pathlib import Path

from annotation import records
from annotation.demo_projects import let_in, put_demo_project, put_demo_quiz, take_turns
from annotation.logical_form.walk import record_of
from annotation.models import Assignment, Enrolment, Project
from annotation.submissions import submit
from annotation.tasks import ReferenceBody, TaskBody, post_tasks
from annotation.tools import Json, tool_named
from common.errors import Invalid
from demo.commands import Command, read_commands
from demo.parsers import CANNOT_TELL, CAREFUL, CARELESS, UNSURE, Kind, Parser
from workforce.questions import Question

PROJECT = "commands"
QUIZ = "commands-quiz"
SEED = 4
BEGAN = timedelta(hours=6)
REFERENCES = 4
DONE = 8
"""Enough for every page to show something, and no more: each takes about a second."""
CROWD: Mapping[str, Kind] = {"ada": CAREFUL, "ben": CAREFUL, "cleo": CARELESS, "dan": UNSURE}
"""Simulated workers, as they are called on their platform."""
INSTRUCTIONS = [
    "# What you do here\n\nSomebody told a robot in a world of blocks what to do, and the robot must learn what was "
    "meant. You read **one sentence** and answer small questions about it, one after another.\n\n"
    "You need not know anything about robots: say what the words mean to you.",
    "# How to answer\n\nTap the words that say it, or choose what fits; the **keys 1 to 9** do the same. Beside each "
    "choice stands an example. What you have said so far is shown as a sentence that grows.\n\n"
    "At the end you read the whole of it and say whether it is what was asked for. If a part is wrong, say which.",
    "# When you are not sure\n\nIf several answers would do, take the one that comes to mind first. If nothing fits, "
    "press **I cannot tell**. If nobody asks the robot for anything, press **this is not a command**.",
]


def load(folder: Path, *, at: datetime, done: int = DONE) -> int:
    """Make the quiz and the project, and let the crowd go through a part of it up to `at`; how many answers there are.

    Args:
        folder: Holds `parse_quiz.json`.
        done: How many commands the crowd goes through; the others are left for people.
    """
    put_quiz(folder, at=at)
    project = _project(at=at - BEGAN)
    commands = read_commands()
    truths = {command["text"]: record_of(command["form"]) for command in commands}
    bodies = _bodies(commands)
    references = [body for body in bodies if "reference" in body]
    ordinary = [body for body in bodies if "reference" not in body]
    post_tasks(project=project, bodies=[*ordinary[:done], *references], at=at - BEGAN)
    crowd = {name: Parser(name, kind, seed=SEED) for name, kind in CROWD.items()}
    enrolments = let_in(project, list(crowd), at=at - BEGAN)

    def answer(name: str, hold: Assignment, seconds: float, now: datetime) -> None:
        _answer(enrolments[name], hold, crowd[name], truths[hold.task.payload["text"]], seconds=seconds, at=now)

    turns = take_turns(
        enrolments,
        project=project,
        takes_s=lambda name: crowd[name].takes_s(),
        answer=answer,
        seed=SEED,
        began=at - BEGAN,
        at=at,
    )
    answers = sum(1 for _ in turns)
    post_tasks(project=project, bodies=ordinary[done:], at=at)
    records.measure_outdated(at=at)
    return answers


def _project(*, at: datetime) -> Project:
    return put_demo_project(
        slug=PROJECT,
        tool="parse",
        title="Say what the command means",
        instructions=INSTRUCTIONS,
        redundancy=2,
        reference_rate=0.2,
        pay="0.03",
        aggregation={"method": "majority", "confidence": 0.7, "least": 2, "most": 3},
        settings={"given_to": "one_worker"},
        at=at,
    )


def _bodies(commands: list[Command]) -> list[TaskBody]:
    """The commands as tasks; the last of them are references."""
    bodies = []
    for number, command in enumerate(commands, start=1):
        is_reference = number > len(commands) - REFERENCES
        body = TaskBody(
            key=f"{'check' if is_reference else 'command'}-{number:02}",
            payload=_payload(number, command, is_reference=is_reference),
        )
        if is_reference:
            body["reference"] = ReferenceBody(answers=[{"form": command["form"]}], tolerance_s=None)
        bodies.append(body)
    return bodies


def _payload(number: int, command: Command, *, is_reference: bool) -> Json:
    """The command as it is posted; two of three come with the parse of an agent, which is sometimes wrong."""
    payload: Json = {"text": command["text"], "context": command["context"]}
    if is_reference or number % 3 == 0:
        return payload
    wrong = _without_a_part(command["form"]) if number % 2 else None
    return payload | {"form": wrong or command["form"], "marked": wrong is not None}


def _without_a_part(form: Json) -> Json | None:
    """The form as a poor parser reads it: the first event without its place, or its last part; None without either."""
    events = form.get("event_sequence")
    if not events:
        return None
    copy = deepcopy(form)
    first = copy["event_sequence"][0]
    left_out = "location" if "location" in first else list(first)[-1]
    if left_out == "action_type":
        return None
    del first[left_out]
    return copy if len(first) > 1 else None


def put_quiz(folder: Path, *, at: datetime) -> None:
    """Five commands with every form that is accepted, for projects that want a qualification; the demo's has none."""
    asked = json.loads((folder / "parse_quiz.json").read_text())["questions"]
    questions = [
        Question(
            id=one["id"],
            ask="Say what this command means, as you would in the work.",
            kind="task",
            tool="parse",
            payload={"text": one["text"]},
            accept=[{"form": form} for form in one["accept"]],
        )
        for one in asked
    ]
    put_demo_quiz(
        slug=QUIZ,
        title="How to say what a command means",
        pages=INSTRUCTIONS,
        questions=questions,
        pass_mark=0.8,
        at=at,
    )


def _answer(
    enrolment: Enrolment, hold: Assignment, one: Parser, record: Mapping[str, Json], *, seconds: float, at: datetime
) -> None:
    payload = tool_named(enrolment.project.tool).present(hold.task, hold=hold.public_id)
    answer = one.answers(payload, record)
    try:
        submit(enrolment=enrolment, assignment=hold, answer=answer, active_s=round(seconds, 1), at=at)
    except Invalid:
        # What a careless one says may not hold together; the page would not let it through either.
        submit(enrolment=enrolment, assignment=hold, answer=CANNOT_TELL, active_s=round(seconds, 1), at=at)
