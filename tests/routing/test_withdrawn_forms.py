"""The true form of a command is withdrawn with the answer that it came from, in whichever way that goes."""

from collections.abc import Callable
from typing import Any

import pytest

from annotation.consensus.consensus import renew, set_assembled
from annotation.models import Consensus, Project, Task
from annotation.pay import approvals
from annotation.review.adjudication import close, reopen, take_back
from annotation.work.submissions import submit
from commands.models import Command
from tests.routing.test_dispatch import settle
from tests.support.builders import NOON, claim, make_enrolment, make_staff, make_worker
from tests.support.commands import (
    BUILD,
    CUBE,
    NOOP,
    a_scene,
    make_route,
    parse_project,
    report_of,
    routed,
    tasks_of,
    truth_of,
    voxel_project,
)
from workforce.models import Worker

pytestmark = pytest.mark.django_db


def standing(command: Command) -> tuple[Any, str]:
    """The true form that is known of a command, and how far its report is."""
    return truth_of(command), report_of(command).state


def close_it(task: Task) -> None:
    close(task=task, reason="nobody can tell", by=make_staff("judge"), at=NOON)


def adjudicated(to: Project) -> Callable[[], None]:
    settle(tasks_of(to)[0], {"form": NOOP})
    return lambda: take_back(task=tasks_of(to)[0], reason="a slip", by=make_staff("judge"), at=NOON)


def rejected(to: Project) -> Callable[[], None]:
    worker = make_worker()
    enrolment, hold = make_enrolment(to, worker), claim(to, worker)
    said = submit(enrolment=enrolment, assignment=hold, answer={"form": NOOP}, active_s=None, at=NOON)
    return lambda: void(approvals.reject(annotations=[said], reason="random", is_soft=True, by="x", at=NOON))


def no_longer_heard(to: Project) -> Callable[[], None]:
    rejected(to)

    def unheard() -> None:
        Worker.objects.update(weighting=Worker.Weighting.NONE)
        renew(project_id=to.pk, tasks=[tasks_of(to)[0].pk], at=NOON, count_slots=True)

    return unheard


def void(_: object) -> None:
    pass


@pytest.mark.parametrize("way", [adjudicated, rejected, no_longer_heard])
def test_a_form_that_is_withdrawn_is_known_no_more(way: Callable[[Project], Callable[[], None]], to: Project) -> None:
    command, same = routed("build a cube"), routed("Build a cube.", "ok")
    go_away = way(to)
    assert standing(command) == (NOOP, "annotated")
    go_away()
    assert not Consensus.objects.filter(task=tasks_of(to)[0]).exists()
    assert standing(command) == (None, "routed")
    assert truth_of(same) is None, "so it is of each that says the same"
    settle(tasks_of(to)[0], {"form": BUILD})
    assert standing(command) == (BUILD, "annotated")


def test_a_task_that_nobody_can_answer_waits_for_a_person_again(to: Project) -> None:
    command = routed("build a cube")
    close_it(tasks_of(to)[0])
    assert standing(command) == (None, "new")
    reopen(task=tasks_of(to)[0], by=make_staff("judge"), at=NOON)
    assert standing(command) == (None, "routed")
    settle(tasks_of(to)[0], {"form": NOOP})
    close_it(tasks_of(to)[0])
    assert standing(command) == (None, "new")


def test_a_report_does_not_wait_for_a_task_that_nobody_can_answer(to: Project) -> None:
    masks = voxel_project()
    make_route(masks, "vision_error")
    found: Any = [{"phrase": "the cube", "voxels": CUBE}]
    command = routed("get the cube", "vision_error", objects_found=found, scene=a_scene())
    settle(tasks_of(to)[0], {"form": NOOP})
    assert report_of(command).state == "routed"
    close_it(tasks_of(masks)[0])
    assert standing(command) == (NOOP, "annotated")


def test_the_form_of_another_project_counts_where_one_is_withdrawn(to: Project) -> None:
    make_route(other := parse_project())
    command = routed("build a cube")
    settle(tasks_of(to)[0], {"form": NOOP})
    settle(tasks_of(other)[0], {"form": BUILD})
    assert standing(command) == (BUILD, "annotated")
    take_back(task=tasks_of(other)[0], reason="a slip", by=make_staff("judge"), at=NOON)
    assert standing(command) == (NOOP, "routed")
    close_it(tasks_of(other)[0])
    assert standing(command) == (NOOP, "annotated")
    close_it(tasks_of(to)[0])
    assert standing(command) == (None, "new")


@pytest.mark.parametrize("form", [NOOP, None])
def test_a_whole_whose_steps_are_asked_again_is_known_no_more(form: Any) -> None:
    to = parse_project(given_to="many_workers")
    make_route(to)
    command = routed("build a cube")

    def come_to(answer: Any, *, is_done: bool) -> None:
        task = Task.objects.select_related("consensus", "project").get(pk=tasks_of(to)[0].pk)
        set_assembled(task=task, answer=answer, confidence=1.0, annotations=1, is_done=is_done, at=NOON)

    come_to({"form": NOOP}, is_done=True)
    assert standing(command) == (NOOP, "annotated")
    come_to({"form": form} if form else None, is_done=False)
    assert standing(command) == (None, "routed")
