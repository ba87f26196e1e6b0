"""The data of a session that is rejected, softly or not, is dropped everywhere; overturned, it counts again."""

import json
from functools import partial
from typing import Any

import pytest
from rest_framework.test import APIClient

from annotation.models import Annotation, Approval, Project
from annotation.pay.approvals import approve, overturn, reject
from commands.models import Command
from interaction.repair import RECONSIDER
from interaction.reports.funnel import funnel_of, left_out
from jobs import outbox
from jobs.models import Job
from routing.models import ErrorReport
from routing.reports import reconsider
from tests.support.builders import NOON
from tests.support.commands import make_route, parse_project, route, run_jobs, tasks_of
from tests.support.crowds import race, succeed
from tests.support.sessions import MISUNDERSTOOD, RIGHT, both, judged

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_messages")]
REASON = "Not a word of it was meant."


@pytest.fixture
def words() -> Project:
    """The project in which commands are repaired."""
    found = parse_project()
    make_route(found, "*")
    return found


def handed_in(text: str, marks: Any = MISUNDERSTOOD) -> Annotation:
    """A session with one command, which was misunderstood unless it is marked otherwise."""
    worker, agent = both()
    judged(worker, agent, "c1", text, marks, form={"dialogue_type": "NOOP"})
    run_jobs()
    return worker.hand_in()


def run_all() -> None:
    for job in Job.objects.unfinished().filter(kind=RECONSIDER):
        assert outbox.run(job.pk)
    run_jobs()


def counts() -> tuple[int, int, int]:
    rows = Command.objects.all()
    whole = funnel_of(rows)
    return whole.all_commands, whole.marked_nlu_errors, left_out(rows, whole).rejected


def states() -> list[tuple[str, str]]:
    return list(ErrorReport.objects.order_by("pk").values_list("state", "why_dismissed"))


def signs(pipe: APIClient) -> list[Any]:
    lines = pipe.get("/api/v1/commands.jsonl").getvalue().decode().splitlines()
    return [json.loads(line)["dropped"] for line in lines]


@pytest.mark.parametrize(
    ("is_soft", "why"),
    [
        (False, "The session in which it was given was rejected."),
        (True, "The session in which it was given was rejected softly: paid, but not counted."),
    ],
)
def test_data_of_a_rejected_session_is_dropped(is_soft: bool, why: str, words: Project, pipe: APIClient) -> None:
    kept, bad = handed_in("stop it"), handed_in("dance")
    approve(annotations=[kept], by="x", at=NOON)
    assert not Job.objects.filter(kind=RECONSIDER).exists(), "nothing was made of it that must go"
    assert (counts(), signs(pipe)) == ((2, 2, 0), [False, False])
    for _ in range(2):
        reject(annotations=[bad], reason=REASON, is_soft=is_soft, by="x", at=NOON)
    assert (counts(), signs(pipe)) == ((1, 1, 1), [False, True])
    run_all()
    assert states() == [("routed", ""), ("dismissed", why)]
    assert [task.status for task in tasks_of(words)] == ["open", "withdrawn"]
    overturn(annotations=[bad], reason="we looked again", by="x", at=NOON)
    run_all()
    assert (counts(), signs(pipe)) == ((2, 2, 0), [False, False])
    assert states() == [("routed", ""), ("routed", "")]
    assert [task.status for task in tasks_of(words)] == ["open", "open"]


def test_a_session_that_is_paid_after_all_is_dropped_all_the_same(words: Project) -> None:
    bad = handed_in("dance")
    reject(annotations=[bad], reason=REASON, is_soft=False, by="x", at=NOON)
    soft = Approval.Decision.SOFTLY_REJECTED
    overturn(annotations=[bad], decision=soft, reason="we looked again", by="x", at=NOON)
    run_all()
    assert counts() == (0, 0, 1)
    assert [(state, "softly" in why) for state, why in states()] == [("dismissed", True)]


def test_a_job_that_comes_late_sees_the_newest_decision(words: Project) -> None:
    bad = handed_in("dance")
    reject(annotations=[bad], reason=REASON, is_soft=True, by="x", at=NOON)
    overturn(annotations=[bad], reason="we looked again", by="x", at=NOON)
    run_all()
    assert states() == [("routed", "")]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("marks", [RIGHT, MISUNDERSTOOD], ids=["went right", "reported"])
def test_a_command_that_is_routed_while_its_session_is_rejected_is_asked_of_nobody(marks: Any) -> None:
    to = parse_project()
    for number in range(5):
        bad = handed_in(f"build {number} towers", marks)
        command = Command.objects.latest("pk")
        make_route(to, "*", sources=[command.project])

        def turn_down(bad: Annotation = bad, command: Command = command) -> None:
            reject(annotations=[bad], reason=REASON, is_soft=True, by="x", at=NOON)
            reconsider(command=command.pk, at=NOON)

        succeed(race(partial(route, command), turn_down))
        assert "open" not in {task.status for task in tasks_of(to)}
