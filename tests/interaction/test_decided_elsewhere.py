"""Decisions on work that is no session cost sessions nothing."""

import pytest
from pytest_django import DjangoAssertNumQueries

from annotation.approvals import Decided, approve
from tests.annotation.crowd import post_many
from tests.builders import NOON, annotate, claim, make_project, make_worker

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("answers", [2, 20])
def test_approving_markers_costs_the_same_for_two_and_for_twenty(
    answers: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    project = make_project()
    post_many(project, answers)
    worker = make_worker()
    found = [annotate(claim(project, worker)) for _ in range(answers)]
    with django_assert_num_queries(9):
        assert approve(annotations=found, by="staff:dora", at=NOON) == Decided(answers, 0)
