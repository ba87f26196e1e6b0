"""Commands whose data is dropped are repaired nowhere, until they count again."""

from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from annotation.models import Project, Task
from annotation.review.adjudication import close
from annotation.work.submissions import submit
from audit.models import AuditEvent
from commands.models import WHY_DROPPED, Command
from lib.faults import Conflict
from routing.reports import dismiss, merge, reconsider, reopen, reroute
from tests.routing.test_dispatch import settle
from tests.support.builders import NOON, claim, make_enrolment, make_staff, make_worker
from tests.support.commands import (
    CUBE,
    NOOP,
    a_scene,
    decide,
    judged,
    make_route,
    parse_project,
    report_of,
    route,
    routed,
    run_jobs,
    sent,
    tasks_of,
    truth_of,
    voxel_project,
)
from tests.support.pages import words_of

pytestmark = pytest.mark.django_db
DECISIONS = {why: decision for decision, why in WHY_DROPPED.items()} | {"": "approved"}
WHY, SOFTLY = WHY_DROPPED.values()
LIVE: Any = {"is_live": True}
BY = "staff:rita"


def say(command: Command, why: str) -> None:
    """The data of this command is dropped for this reason; "": it counts."""
    assert decide(command, DECISIONS[why]) == why
    for _ in range(2):
        reconsider(command=command.pk, at=NOON)
        run_jobs()


@pytest.mark.parametrize("given_to", ["experts", "one_worker", "many_workers"])
def test_tasks_of_a_dropped_command_are_withdrawn_and_restored(given_to: str) -> None:
    to, things = parse_project(given_to=given_to), voxel_project()
    make_route(to)
    make_route(things, "vision_error")
    found: Any = [{"phrase": "the cube", "voxels": CUBE}]
    command = routed("get the cube", "vision_error", objects_found=found, scene=a_scene())
    say(command, WHY)
    report = report_of(command)
    assert (report.state, report.why_dismissed) == ("dismissed", WHY)
    tasks = [*tasks_of(to), *tasks_of(things)]
    assert [(task.status, task.open) for task in tasks] == [("withdrawn", False)] * 2
    assert not Task.objects.filter(open=True).exists(), "none of its steps is asked either"
    say(command, "")
    assert (report_of(command).state, report_of(command).why_dismissed) == ("routed", "")
    assert [task.status for task in [*tasks_of(to), *tasks_of(things)]] == ["open"] * 2
    assert Task.objects.filter(open=True, project=to).count() == 1
    events = AuditEvent.objects.filter(subject_kind="error_report").order_by("pk")
    assert list(events.values_list("verb", "actor")) == [
        ("error_report.dismissed", "rule:data_dropped"),
        ("error_report.reopened", "rule:data_dropped"),
    ]


def test_a_task_that_another_command_asks_for_stays_open(to: Project) -> None:
    first, second = routed("build a cube", **LIVE), routed("Build a cube!", "ok", **LIVE)
    say(first, WHY)
    assert tasks_of(to)[0].status == "open"
    say(second, WHY)
    assert tasks_of(to)[0].status == "withdrawn"
    third = routed("build a cube .", **LIVE)
    assert (tasks_of(to)[0].status, report_of(third).state) == ("open", "routed")
    settle(tasks_of(to)[0], {"form": NOOP})
    say(third, WHY)
    assert tasks_of(to)[0].status == "done", "what is answered stays answered"
    say(first, "")
    assert report_of(first).state == "annotated"


def test_a_command_that_is_dropped_before_it_is_routed_goes_nowhere_until_it_counts(to: Project) -> None:
    commands = [judged("build a cube", **LIVE), judged("dance", "ok", **LIVE)]
    for command in commands:
        decide(command, DECISIONS[WHY])
        # This command was read before it was dropped, so routing reads it again.
        route(command)
    run_jobs()
    assert [sent(command) for command in commands] == [[], []]
    for command in commands:
        say(command, "")
    assert len(tasks_of(to)) == 2
    assert report_of(commands[0]).state == "routed"


def test_a_report_that_a_person_dismissed_stays_dismissed() -> None:
    joke, twin = routed("build a cube", **LIVE), routed("build a cube please", **LIVE)
    dismiss(report=report_of(joke), reason="a joke", by=BY, at=NOON)
    merge(report=report_of(twin), into=report_of(routed("build", **LIVE)), by=BY, at=NOON)
    for command in (joke, twin):
        reason = report_of(command).why_dismissed
        for why in (WHY, ""):
            say(command, why)
            assert (report_of(command).state, report_of(command).why_dismissed) == ("dismissed", reason)


def test_a_person_cannot_reopen_the_report_of_a_dropped_command() -> None:
    command = routed("build a cube", **LIVE)
    for why in (WHY, SOFTLY):
        say(command, why)
        assert report_of(command).why_dismissed == why
    with pytest.raises(Conflict, match="Overturn"):
        reopen(report=report_of(command), by=BY, at=NOON)
    with pytest.raises(Conflict, match="dismissed"):
        reroute(report=report_of(command), to=parse_project(), scene=None, by=BY, at=NOON)


def test_a_held_task_may_be_handed_in_and_counts_if_it_is_restored(to: Project) -> None:
    command, worker = routed("build a cube", **LIVE), make_worker()
    hold = claim(to, worker)
    say(command, WHY)
    submit(enrolment=make_enrolment(to, worker), assignment=hold, answer={"form": NOOP}, active_s=None, at=NOON)
    assert (tasks_of(to)[0].status, truth_of(command)) == ("withdrawn", None)
    say(command, "")
    assert (tasks_of(to)[0].status, report_of(command).state, truth_of(command)) == ("done", "annotated", NOOP)


def test_withdrawn_tasks_do_not_count_in_the_progress(pipe: APIClient, dora: Client) -> None:
    to = parse_project("repair")
    make_route(to)
    routed("dig a hole", **LIVE)
    say(routed("build a cube", **LIVE), WHY)
    progress = pipe.get("/api/v1/projects/repair/").json()["progress"]
    assert (progress["tasks"], progress["open"], progress["done"]) == (1, 1, 0)
    for address in ("/staff/projects/", "/staff/projects/repair/"):
        assert dora.get(address).status_code == 200
    assert "withdrawn" in words_of(dora, f"/staff/review/tasks/{tasks_of(to)[1].pk}/")


def test_a_task_that_a_person_closed_stays_closed(to: Project) -> None:
    command = routed("build a cube", **LIVE)
    close(task=tasks_of(to)[0], reason="nobody can tell", by=make_staff("judge"), at=NOON)
    for why in (WHY, ""):
        say(command, why)
        assert tasks_of(to)[0].status == "unjudgeable"
    assert report_of(command).state == "new"
