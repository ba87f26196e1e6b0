"""Right work a minute by arm: what counts, and in whose arm."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from annotation.models import Annotation, Enrolment, Project
from tests.support.builders import annotate, claim, make_project, make_worker
from tests.support.crowds import post_many

pytestmark = pytest.mark.django_db
EXPERIMENT = {
    "name": "reading",
    "arms": [
        {"name": name, "share": 1.0, "instructions": None, "pay": None, "settings": {}} for name in ("long", "short")
    ],
}
EFFORT = "/api/v1/projects/p/effort/"


def _work(project: Project, arm: str, *, seconds: float | None, outcome: str = "success") -> None:
    worker = make_worker()
    Enrolment.objects.filter(worker=worker).update(arm=arm)
    answer = annotate(claim(project, worker, chance=lambda: 0.0), outcome=outcome)
    Enrolment.objects.filter(worker=worker).update(arm=arm)
    Annotation.objects.filter(pk=answer.pk).update(active_s=seconds)


def test_right_answers_to_references_are_held_against_their_minutes(
    pipe: APIClient, django_assert_max_num_queries: Any
) -> None:
    project = make_project("p", redundancy=30, reference_rate=0.99, experiment=EXPERIMENT)
    post_many(project, 1)
    post_many(project, 1, truth="success")
    for outcome in ("success", "success", "failure"):
        _work(project, "reading/long", seconds=30, outcome=outcome)
    _work(project, "reading/short", seconds=15)
    _work(project, "reading/short", seconds=None)
    _work(project, "an-earlier/arm", seconds=60)
    assert Annotation.objects.filter(score__isnull=False).count() == 6
    with django_assert_max_num_queries(8):
        found = pipe.get(EFFORT).json()
    assert [(one["arm"], one["workers"], one["answers"], one["minutes"], one["references"]) for one in found] == [
        ("reading/long", 3, 3, 1.5, 3),
        ("reading/short", 2, 2, 0.25, 1),
        ("", 1, 1, 1.0, 1),
    ]
    assert [one["right_a_minute"]["value"] for one in found] == [pytest.approx(2 / 1.5), 4.0, 1.0]
    assert [one["to_first"]["value"] for one in found] == [1.0, pytest.approx(3.0), pytest.approx(0.75)]
    # Of few workers there is no interval.
    assert found[0]["right_a_minute"]["low"] is None


def test_a_project_without_an_experiment_has_one_row(pipe: APIClient) -> None:
    make_project("p")
    assert pipe.get(EFFORT).json() == [
        {
            "arm": "",
            "workers": 0,
            "answers": 0,
            "minutes": 0,
            "references": 0,
            "right_a_minute": {"value": None, "low": None, "high": None},
            "to_first": {"value": None, "low": None, "high": None},
        }
    ]
    assert pipe.get("/api/v1/projects/q/effort/").status_code == 404
