"""Decisions on work that is no session cost sessions nothing."""

import pytest
from pytest_django import DjangoAssertNumQueries

from annotation.pay.approvals import Decided, approve
from tests.support.builders import NOON, annotate, claim, make_project, make_worker
from tests.support.crowds import post_many

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("answers", [2, 6])
def test_approving_markers_costs_the_same_for_two_and_for_six(
    answers: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    project = make_project()
    post_many(project, answers)
    worker = make_worker()
    found = [annotate(claim(project, worker)) for _ in range(answers)]
    with django_assert_num_queries(9):
        assert approve(annotations=found, by="staff:dora", at=NOON) == Decided(answers, 0)
