"""The project `commands`: simulated workers have parsed a part of the commands step by step, the others are for people.

The commands are our own (`demo/commands.json`). Some come with an agent's parse, which in some cases lacks a part and
is marked as wrong by the worker who gave the command. There is also a quiz of five other commands.
"""

import json
from collections.abc import Mapping
from copy import deepcopy
from datetime import datetime, timedelta
from pathlib import Path

from annotation.models import Project
from annotation.quality import worker_records
from annotation.tool_registry import Json
from annotation.work.posting import ReferenceBody, TaskBody, post_tasks
from demo.commands import Command, read_commands
from demo.crowds.parsers import CANNOT_TELL, CAREFUL, CARELESS, UNSURE, Kind, Parser
from demo.projects import answer_in_turns, put_demo_project, put_demo_quiz
from lib.logical_form.asking.walk import record_of
from workforce.questions import Question

PROJECT = "commands"
QUIZ = "commands-quiz"
SEED = 4
BEGAN = timedelta(hours=6)
REFERENCES = 4
DONE = 8
"""Enough for every page to show something. Each command takes about a second."""
CROWD: Mapping[str, Kind] = {"ada": CAREFUL, "ben": CAREFUL, "cleo": CARELESS, "dan": UNSURE}
"""Simulated workers by their names on their platform."""
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
    """Make the quiz and the project, and let the crowd parse some commands up to `at`. Returns the number of answers.

    Args:
        folder: Contains `parse_quiz.json`.
        done: The number of commands for the crowd; the others are for people.
    """
    put_quiz(folder, at=at)
    project = _project(at=at - BEGAN)
    commands = read_commands()
    truths = {command["text"]: record_of(command["form"]) for command in commands}
    bodies = _bodies(commands)
    references = [body for body in bodies if "reference" in body]
    ordinary = [body for body in bodies if "reference" not in body]
    post_tasks(project=project, bodies=[*ordinary[:done], *references], at=at - BEGAN)
    answers = answer_in_turns(
        {name: Parser(name, kind, seed=SEED) for name, kind in CROWD.items()},
        project=project,
        answer=lambda parser, hold, payload: parser.answers(payload, truths[hold.task.payload["text"]]),
        # A careless answer may contradict itself; the worker's page would refuse it too.
        otherwise=CANNOT_TELL,
        seed=SEED,
        began=at - BEGAN,
        at=at,
    )
    post_tasks(project=project, bodies=ordinary[done:], at=at)
    worker_records.measure_outdated(at=at)
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
    """The commands as tasks; the last ones are references."""
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
    """The payload of a command. Two of three come with an agent's parse, which is wrong for some."""
    payload: Json = {"text": command["text"], "context": command["context"]}
    if is_reference or number % 3 == 0:
        return payload
    wrong = _without_a_part(command["form"]) if number % 2 else None
    return payload | {"form": wrong or command["form"], "marked": wrong is not None}


def _without_a_part(form: Json) -> Json | None:
    """The form without the place or the last part of its first event, like a poor parse; None if it has neither."""
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
