"""Deciding on many answers reads no answer: masks are large, and a thousand are decided on at once."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Annotation, Project
from annotation.pay.approvals import approve, approve_overdue, overturn, reject
from tests.support.builders import NOON, annotate, claim, make_project, make_worker
from tests.support.crowds import post_many

pytestmark = pytest.mark.django_db


def answers_read_by(decide: Callable[[], object]) -> int:
    """How many queries ask for answers; those that make a consensus anew do so for its task."""
    with CaptureQueriesContext(connection) as queries:
        decide()
    asked = ['"annotation_annotation"."answer"' in query["sql"].partition(" FROM ")[0] for query in queries]
    return sum(asked)


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def annotation(project: Project) -> Annotation:
    post_many(project, 1)
    return annotate(claim(project, make_worker()))


def test_neither_a_person_nor_the_rule_reads_what_is_approved(project: Project, annotation: Annotation) -> None:
    assert answers_read_by(lambda: approve_overdue(at=NOON + timedelta(days=4))) == 0
    assert Annotation.objects.get().is_decided
    assert answers_read_by(lambda: approve(annotations=[annotation], by="x", at=NOON)) == 0


def test_a_rejection_and_its_way_back_read_answers_for_the_consensus_alone(annotation: Annotation) -> None:
    def turn_down() -> None:
        reject(annotations=[annotation], reason="no", is_soft=False, by="x", at=NOON)

    def take_back() -> None:
        overturn(annotations=[annotation], reason="yes", by="x", at=NOON)

    assert [answers_read_by(turn_down), answers_read_by(take_back)] == [1, 1]
