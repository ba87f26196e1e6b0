"""Equal commands routed at the same moment become one task, and no answer that comes between is lost."""

from functools import partial

import pytest

from annotation.models import Task
from annotation.review.adjudication import close
from routing.models import ErrorReport, Sending
from routing.reports import dismiss, merge, reroute
from tests.routing.test_dispatch import settle
from tests.support.builders import NOON, make_staff
from tests.support.commands import (
    BUILD,
    NOOP,
    judged,
    make_route,
    parse_project,
    report_of,
    route,
    tasks_of,
    truth_of,
    voxel_project,
)
from tests.support.crowds import race, succeed

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("no_messages"), pytest.mark.slow]
ROUNDS = 5


def test_equal_words_at_once_make_one_task() -> None:
    to, other = parse_project(), parse_project()
    make_route(to)
    make_route(other, "nlu_error")
    for number in range(ROUNDS):
        commands = [judged(text.format(number)) for text in ("build {} cubes", "Build {} cubes!", "build {}  cubes")]
        succeed(race(*(partial(route, command) for command in commands)))
        assert (len(tasks_of(to)), len(tasks_of(other))) == (number + 1, number + 1)
    assert Sending.objects.filter(task__isnull=False).count() == 2 * 3 * ROUNDS
    assert set(ErrorReport.objects.values_list("state", flat=True)) == {"routed"}


def test_one_command_routed_by_two_processes_is_sent_once() -> None:
    to = parse_project()
    make_route(to)
    for number in range(ROUNDS):
        command = judged(f"build {number} cubes")
        succeed(race(partial(route, command), partial(route, command)))
    assert (Sending.objects.count(), len(tasks_of(to))) == (ROUNDS, ROUNDS)


def test_an_answer_that_comes_while_another_is_routed_reaches_both() -> None:
    to = parse_project()
    make_route(to)
    make_staff("judge")
    for number in range(ROUNDS):
        first = judged(f"build {number} cubes")
        route(first)
        task = Task.objects.get(sendings__command=first)
        second = judged(f"Build {number} cubes.")
        succeed(race(partial(settle, task, {"form": NOOP}), partial(route, second)))
        assert [truth_of(first), truth_of(second)] == [NOOP, NOOP]
        assert {report_of(command).state for command in (first, second)} == {"annotated"}


def test_two_people_who_send_one_report_send_it_once() -> None:
    to = parse_project()
    command = judged("build a cube")
    send = partial(reroute, report=report_of(command), to=to, scene=None, by="staff:rita", at=NOON)
    succeed(race(send, send, partial(route, command)))
    assert (Sending.objects.count(), len(tasks_of(to))) == (1, 1)


def test_two_merges_into_each_other_leave_one_report() -> None:
    voxel_project()
    for number in range(ROUNDS):
        one, other = (report_of(judged(text.format(number))) for text in ("dance {}", "dance {} please"))
        race(
            partial(merge, report=one, into=other, by="staff:rita", at=NOON),
            partial(merge, report=other, into=one, by="staff:ada", at=NOON),
        )
        states = sorted(ErrorReport.objects.filter(pk__in=[one.pk, other.pk]).values_list("state", flat=True))
        assert states == ["dismissed", "new"]


def test_a_report_dismissed_while_it_is_routed_stays_dismissed() -> None:
    to = parse_project()
    make_route(to)
    for number in range(ROUNDS):
        command = judged(f"build {number} cubes")
        drop = partial(dismiss, report=report_of(command), reason="a joke", by="staff:rita", at=NOON)
        succeed(race(drop, partial(route, command)))
        assert report_of(command).state == "dismissed"


def test_two_projects_with_equal_commands_settle_at_once_without_a_deadlock() -> None:
    one, other = parse_project(), parse_project()
    judge = make_staff("judge")
    for number in range(ROUNDS):
        first, second = (judged(text.format(number)) for text in ("build {} cubes", "Build {} cubes!"))
        # Each project was asked of the two in another order.
        for to, commands in ((one, (first, second)), (other, (second, first))):
            for command in commands:
                reroute(report=report_of(command), to=to, scene=None, by="staff:rita", at=NOON)
        here, there = tasks_of(one)[-1], tasks_of(other)[-1]
        succeed(race(partial(settle, here, {"form": NOOP}), partial(settle, there, {"form": BUILD})))
        assert {report_of(command).state for command in (first, second)} == {"annotated"}
        give_up = partial(close, task=there, reason="nobody can tell", by=judge, at=NOON)
        succeed(race(give_up, partial(settle, here, {"form": BUILD})))
        assert [truth_of(command) for command in (first, second)] == [BUILD, BUILD]
