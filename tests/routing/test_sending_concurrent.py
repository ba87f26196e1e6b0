"""Equal commands routed at the same moment become one task, and no answer that comes between is lost."""

from collections.abc import Iterator
from functools import partial

import pytest

from annotation.models import Task
from annotation.review.adjudication import close
from routing.models import ErrorReport, Sending
from routing.reports import dismiss, merge, reroute
from routing.sending import route
from tests.annotation.crowd import race, succeed
from tests.builders import NOON, make_project, make_staff
from tests.routing.sources import (
    BUILD,
    NOOP,
    Source,
    make_route,
    parse_project,
    report_of,
    tasks_of,
    use,
    voxel_project,
)
from tests.routing.test_sending import settle

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
ROUNDS = 5


@pytest.fixture
def shared() -> Iterator[Source]:
    from routing import cases

    before = (list(cases._find), list(cases._learn))
    found = Source(make_project("sessions"))
    use(found)
    yield found
    cases._find[:], cases._learn[:] = before


def test_equal_words_at_once_make_one_task(shared: Source) -> None:
    to, other = parse_project(), parse_project()
    make_route(to)
    make_route(other, "nlu_error")
    for number in range(ROUNDS):
        cases = [shared.judge(text.format(number)) for text in ("build {} cubes", "Build {} cubes!", "build {}  cubes")]
        succeed(race(*(partial(route, case, at=NOON) for case in cases)))
        assert (len(tasks_of(to)), len(tasks_of(other))) == (number + 1, number + 1)
    assert Sending.objects.filter(task__isnull=False).count() == 2 * 3 * ROUNDS
    assert set(ErrorReport.objects.values_list("state", flat=True)) == {"routed"}


def test_one_command_routed_by_two_processes_is_sent_once(shared: Source) -> None:
    to = parse_project()
    make_route(to)
    for number in range(ROUNDS):
        case = shared.judge(f"build {number} cubes")
        succeed(race(partial(route, case, at=NOON), partial(route, case, at=NOON)))
    assert (Sending.objects.count(), len(tasks_of(to))) == (ROUNDS, ROUNDS)


def test_an_answer_that_comes_while_another_is_routed_is_told_to_both(shared: Source) -> None:
    to = parse_project()
    make_route(to)
    make_staff("judge")
    for number in range(ROUNDS):
        first = shared.judge(f"build {number} cubes")
        route(first, at=NOON)
        task = Task.objects.get(sendings__command=first.command)
        second = shared.judge(f"Build {number} cubes.")
        succeed(race(partial(settle, task, {"form": NOOP}), partial(route, second, at=NOON)))
        told = {command for command, form in shared.told if form == NOOP}
        assert {first.command, second.command} <= told
        assert {report_of(case).state for case in (first, second)} == {"annotated"}


def test_two_people_who_send_one_report_send_it_once(shared: Source) -> None:
    to = parse_project()
    case = shared.judge("build a cube")
    send = partial(reroute, report=report_of(case), to=to, by="staff:rita", at=NOON)
    succeed(race(send, send, partial(route, case, at=NOON)))
    assert (Sending.objects.count(), len(tasks_of(to))) == (1, 1)


def test_two_merges_into_each_other_leave_one_report(shared: Source) -> None:
    voxel_project()
    for number in range(ROUNDS):
        one, other = (report_of(shared.judge(text.format(number))) for text in ("dance {}", "dance {} please"))
        race(
            partial(merge, report=one, into=other, by="staff:rita", at=NOON),
            partial(merge, report=other, into=one, by="staff:ada", at=NOON),
        )
        states = sorted(ErrorReport.objects.filter(pk__in=[one.pk, other.pk]).values_list("state", flat=True))
        assert states == ["dismissed", "new"]


def test_what_is_dismissed_while_it_is_routed_stays_dismissed(shared: Source) -> None:
    to = parse_project()
    make_route(to)
    for number in range(ROUNDS):
        case = shared.judge(f"build {number} cubes")
        drop = partial(dismiss, report=report_of(case), reason="a joke", by="staff:rita", at=NOON)
        succeed(race(drop, partial(route, case, at=NOON)))
        assert report_of(case).state == "dismissed"


def test_two_projects_that_tell_of_equal_commands_at_once_wait_in_no_circle(shared: Source) -> None:
    one, other = parse_project(), parse_project()
    judge = make_staff("judge")
    for number in range(ROUNDS):
        first, second = (shared.judge(text.format(number)) for text in ("build {} cubes", "Build {} cubes!"))
        # Each project was asked of the two in another order.
        for to, cases in ((one, (first, second)), (other, (second, first))):
            for case in cases:
                reroute(report=report_of(case), to=to, by="staff:rita", at=NOON)
        here, there = tasks_of(one)[-1], tasks_of(other)[-1]
        succeed(race(partial(settle, here, {"form": NOOP}), partial(settle, there, {"form": BUILD})))
        assert {report_of(case).state for case in (first, second)} == {"annotated"}
        give_up = partial(close, task=there, reason="nobody can tell", by=judge, at=NOON)
        succeed(race(give_up, partial(settle, here, {"form": BUILD})))
        assert [shared.cases[case.project.pk, case.command].truth for case in (first, second)] == [BUILD, BUILD]
