"""Which step of a reference is shown in the place of a command's step, where every step may go to another worker."""

from typing import Any

import pytest

from annotation.models import Assignment, Enrolment, Project, Task
from annotation.work.posting import TaskBody, post_tasks
from annotation.work.reference_draw import fresh_reference, step_after
from tests.annotation.tools.test_parse import TEXT, TOWER
from tests.support.builders import NOON, make_enrolment, make_worker
from tests.support.tool_workers import make_parse_project, post_commands

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    """A project with the command "c", of which two steps are open, and the reference "r" with all its steps."""
    made = make_parse_project(given_to="many_workers")
    post_commands(made, {"c": TEXT})
    reference: Any = {"answers": [{"form": TOWER}]}
    post_tasks(project=made, bodies=[TaskBody(key="r", payload={"text": TEXT}, reference=reference)], at=NOON)
    second = _steps(made, "c")[0]
    second.pk, second.key = None, "c~2"
    second.save()
    return made


def _steps(project: Project, whole: str) -> list[Task]:
    return list(Task.objects.filter(project=project, part_of__key=whole).order_by("pk"))


def _worker(project: Project) -> Enrolment:
    return make_enrolment(project, make_worker())


@pytest.mark.parametrize("drawn", [0.0, 0.99])
@pytest.mark.parametrize(("step", "shown"), [(0, 0), (1, 1)])
def test_the_step_comes_as_late_as_the_one_in_whose_place_it_is(
    step: int, shown: int, drawn: float, project: Project
) -> None:
    reference, command = _steps(project, "r"), _steps(project, "c")
    found = fresh_reference(_worker(project), chance=lambda: drawn, like=command[step])
    assert found == reference[shown]


def test_a_step_that_is_closed_is_not_shown(project: Project) -> None:
    reference, command = _steps(project, "r"), _steps(project, "c")
    Task.objects.filter(pk=reference[0].pk).update(open=False)
    assert fresh_reference(_worker(project), chance=lambda: 0.99, like=command[0]) == reference[1]


def test_the_next_step_is_the_first_that_the_worker_has_not_held(project: Project) -> None:
    reference, worker = _steps(project, "r"), _worker(project)
    assert step_after(reference[0], worker) == reference[1]
    Assignment.objects.create(
        task=reference[1],
        slot_of=_steps(project, "c")[0],
        worker=worker.worker,
        claimed_at=NOON,
        lease_expires_at=NOON,
    )
    assert step_after(reference[0], worker) == reference[2]
    assert step_after(reference[-1], worker) is None
    assert step_after(_steps(project, "c")[0], worker) is None
