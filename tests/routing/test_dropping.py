"""Commands whose data is dropped are repaired nowhere, until they count again."""

from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from annotation.models import Task
from annotation.review.adjudication import close
from annotation.submissions import submit
from audit.models import AuditEvent
from common.errors import Conflict
from routing.cases import Case
from routing.dropping import reconsider
from routing.reports import dismiss, merge, reopen, reroute
from routing.sending import route
from tests.builders import NOON, claim, make_enrolment, make_staff, make_worker
from tests.pages import words_of
from tests.routing.sources import (
    CUBE,
    NOOP,
    Source,
    a_scene,
    make_route,
    parse_project,
    report_of,
    run_jobs,
    sent,
    tasks_of,
    voxel_project,
)
from tests.routing.test_sending import settle

pytestmark = pytest.mark.django_db
WHY = "Its session was rejected."
BY = "staff:rita"


def say(source: Source, case: Case, why: str) -> None:
    """The data of this command is dropped for this reason; "": it counts."""
    name = (case.project.pk, case.command)
    source.cases[name] = replace(source.cases[name], dropped=why)
    for _ in range(2):
        reconsider(project=case.project.pk, command=case.command, at=NOON)
        run_jobs()


@pytest.mark.parametrize("given_to", ["experts", "one_worker", "many_workers"])
def test_what_is_dropped_is_asked_of_nobody_and_taken_up_again(given_to: str, source: Source) -> None:
    to, things = parse_project(given_to=given_to), voxel_project()
    make_route(to)
    make_route(things, "vision_error")
    found: Any = [{"phrase": "the cube", "voxels": CUBE}]
    case = source.routed("get the cube", "vision_error", objects_found=found, scene=a_scene)
    say(source, case, WHY)
    report = report_of(case)
    assert (report.state, report.why_dismissed) == ("dismissed", WHY)
    tasks = [*tasks_of(to), *tasks_of(things)]
    assert [(task.status, task.open) for task in tasks] == [("withdrawn", False)] * 2
    assert not Task.objects.filter(open=True).exists(), "none of its steps is asked either"
    say(source, case, "")
    assert (report_of(case).state, report_of(case).why_dismissed) == ("routed", "")
    assert [task.status for task in [*tasks_of(to), *tasks_of(things)]] == ["open"] * 2
    assert Task.objects.filter(open=True, project=to).count() == 1
    events = AuditEvent.objects.filter(subject_kind="error_report").order_by("pk")
    assert list(events.values_list("verb", "actor")) == [
        ("error_report.dismissed", "rule:data_dropped"),
        ("error_report.reopened", "rule:data_dropped"),
    ]


def test_a_task_that_another_command_asks_for_stays_open(source: Source) -> None:
    to = parse_project()
    make_route(to)
    first, second = source.routed("build a cube"), source.routed("Build a cube!", "ok")
    say(source, first, WHY)
    assert tasks_of(to)[0].status == "open"
    say(source, second, WHY)
    assert tasks_of(to)[0].status == "withdrawn"
    third = source.routed("build a cube .")
    assert (tasks_of(to)[0].status, report_of(third).state) == ("open", "routed")
    settle(tasks_of(to)[0], {"form": NOOP})
    say(source, third, WHY)
    assert tasks_of(to)[0].status == "done", "what is answered stays answered"
    say(source, first, "")
    assert report_of(first).state == "annotated"


def test_what_is_dropped_before_it_is_routed_goes_nowhere_until_it_counts(source: Source) -> None:
    to = parse_project()
    make_route(to)
    cases = [source.judge("build a cube"), source.judge("dance", "ok")]
    for case in cases:
        name = (case.project.pk, case.command)
        source.cases[name] = replace(case, dropped=WHY)
        # Whoever read it before it was dropped looks again.
        route(case, at=NOON)
    run_jobs()
    assert [sent(case) for case in cases] == [[], []]
    for case in cases:
        say(source, case, "")
    assert len(tasks_of(to)) == 2
    assert report_of(cases[0]).state == "routed"


def test_what_a_person_dismissed_stays_dismissed(source: Source) -> None:
    joke, twin = source.routed("build a cube"), source.routed("build a cube please")
    dismiss(report=report_of(joke), reason="a joke", by=BY, at=NOON)
    merge(report=report_of(twin), into=report_of(source.routed("build")), by=BY, at=NOON)
    for case in (joke, twin):
        reason = report_of(case).why_dismissed
        for why in (WHY, ""):
            say(source, case, why)
            assert (report_of(case).state, report_of(case).why_dismissed) == ("dismissed", reason)


def test_a_person_cannot_take_up_what_is_dropped(source: Source) -> None:
    case = source.routed("build a cube")
    say(source, case, WHY)
    with pytest.raises(Conflict, match="Overturn"):
        reopen(report=report_of(case), by=BY, at=NOON)
    with pytest.raises(Conflict, match="dismissed"):
        reroute(report=report_of(case), to=parse_project(), by=BY, at=NOON)


def test_another_reason_is_told(source: Source) -> None:
    case = source.routed("build a cube")
    for why in (WHY, "It was paid, but not counted."):
        say(source, case, why)
        assert report_of(case).why_dismissed == why


def test_what_is_held_may_be_handed_in_and_counts_if_it_is_taken_up(source: Source) -> None:
    to = parse_project()
    make_route(to)
    case, worker = source.routed("build a cube"), make_worker()
    hold = claim(to, worker)
    say(source, case, WHY)
    submit(enrolment=make_enrolment(to, worker), assignment=hold, answer={"form": NOOP}, active_s=None, at=NOON)
    assert (tasks_of(to)[0].status, source.told[-1]) == ("withdrawn", (case.command, None))
    say(source, case, "")
    assert (tasks_of(to)[0].status, report_of(case).state, source.told[-1]) == (
        "done",
        "annotated",
        (case.command, NOOP),
    )


def test_what_is_withdrawn_is_no_part_of_what_is_to_be_done(source: Source, pipe: APIClient, dora: Client) -> None:
    to = parse_project("repair")
    make_route(to)
    source.routed("dig a hole")
    say(source, source.routed("build a cube"), WHY)
    progress = pipe.get("/api/v1/projects/repair/").json()["progress"]
    assert (progress["tasks"], progress["open"], progress["done"]) == (1, 1, 0)
    for address in ("/staff/projects/", "/staff/projects/repair/"):
        assert dora.get(address).status_code == 200
    assert "withdrawn" in words_of(dora, f"/staff/review/tasks/{tasks_of(to)[1].pk}/")


def test_a_task_that_a_person_closed_stays_closed(source: Source) -> None:
    to = parse_project()
    make_route(to)
    case = source.routed("build a cube")
    close(task=tasks_of(to)[0], reason="nobody can tell", by=make_staff("judge"), at=NOON)
    for why in (WHY, ""):
        say(source, case, why)
        assert tasks_of(to)[0].status == "unjudgeable"
    assert report_of(case).state == "new"
