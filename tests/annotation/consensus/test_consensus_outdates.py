"""Whose records a settled consensus has measured anew: once, and only theirs whom it can say something of."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.consensus.consensus import renew
from annotation.models import Project
from tests.support.builders import NOON, annotate, claim, make_project, make_worker
from tests.support.crowds import post_many

pytestmark = pytest.mark.django_db


def outdated_by(project: Project, *, outdate: bool = True) -> int:
    """How often records are outdated while the consensus of the project's one task is settled."""
    task = project.tasks.get()
    task.consensus.delete()
    with CaptureQueriesContext(connection) as queries:
        renew(project_id=project.pk, tasks=[task.pk], at=NOON, outdate=outdate)
    task.refresh_from_db()
    assert task.consensus.settled_at is not None
    return sum("UPDATE" in query["sql"] and "annotation_record" in query["sql"] for query in queries)


@pytest.mark.parametrize(("answers", "times"), [(1, 0), (2, 1)])
def test_annotators_are_measured_once_where_there_is_somebody_to_agree_with(answers: int, times: int) -> None:
    project = make_project(redundancy=answers)
    post_many(project, 1)
    for _ in range(answers):
        annotate(claim(project, make_worker()))
    assert outdated_by(project) == times
    assert outdated_by(project, outdate=False) == 0
