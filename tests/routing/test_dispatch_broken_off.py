"""Broken off at any statement on its way, a command is routed by the next try as if nothing had happened."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest
from django.db import connection, transaction

from annotation.models import KeptScene
from jobs import outbox
from jobs.models import Job
from routing.models import ErrorReport, Sending
from tests.support.builders import NOON
from tests.support.commands import (
    CUBE,
    a_scene,
    judged,
    make_route,
    parse_project,
    run_jobs,
    take,
    tasks_of,
    voxel_project,
)

FOUND: Any = [{"phrase": "the cube", "voxels": CUBE}]


class PowerCut(BaseException):
    """A fault that no code catches."""


@contextmanager
def cut_at(statement: int) -> Iterator[None]:
    """Stop at the statement of this number, from 0."""
    numbers = count()

    def run(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if next(numbers) == statement:
            # Nothing of a dead process stays open; Django closes a cursor of the server only after an `Exception`.
            context["cursor"].close()
            raise PowerCut
        return execute(sql, params, many, context)

    with connection.execute_wrapper(run):
        yield


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_a_cut_anywhere_costs_a_delay_and_nothing_else() -> None:
    words, things = parse_project(), voxel_project()
    make_route(words, "*")
    make_route(things, "vision_error")
    more: dict[str, Any] = {"objects_found": FOUND, "scene": a_scene()}
    number = 0
    while True:
        text = f"get {number} cubes"
        command = judged(text, "vision_error", **more)
        job = Job.objects.get(subject__endswith=f":{command.public_id}")
        try:
            with cut_at(number):
                outbox.run(job.pk)
            break
        except PowerCut:
            # The process that had the job is dead, and its lease runs out.
            Job.objects.filter(pk=job.pk).update(due_at=NOON)
        run_jobs()
        number += 1
    assert number > 25
    assert ErrorReport.objects.filter(state="routed", scene__isnull=False).count() == number + 1
    assert KeptScene.objects.count() == 1
    assert (len(tasks_of(words)), len(tasks_of(things))) == (number + 1, 1)
    assert Sending.objects.count() == 2 * (number + 1)


@pytest.mark.django_db(transaction=True)
def test_an_outcome_that_is_not_kept_leaves_no_report_and_no_job() -> None:
    command = judged("build a cube")
    ErrorReport.objects.all().delete()
    Job.objects.all().delete()
    for statement in range(20):
        with cut_at(statement):
            try:
                with transaction.atomic():
                    take(command)
            except PowerCut:
                pass
            else:
                break
        assert not ErrorReport.objects.exists()
        assert not Job.objects.exists()
    assert statement > 3
    assert (ErrorReport.objects.count(), Job.objects.count()) == (1, 1)
