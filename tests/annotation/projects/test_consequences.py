"""A change of a project says what follows from it, before it is made."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from annotation.models import Project
from annotation.offer.information_page import notes_of
from annotation.projects.consequences import consequences
from annotation.projects.projects import AggregationBody, GateBody, ProjectBody, project_named
from tests.support.builders import (
    NOON,
    annotate,
    claim,
    make_enrolment,
    make_project,
    make_qualification,
    make_task,
    make_worker,
)
from workforce.consent import agree, page_for

pytestmark = pytest.mark.django_db

GATE = GateBody(action="pause", below=0.6, minimum_n=5)
SAME = ProjectBody(
    tool="marker",
    title="p",
    instructions=["Mark it."],
    reference_rate=0.0,
    redundancy=1,
    pay={"base": {"amount": Decimal("0.30"), "currency": "USD"}},
    budget={"amount": Decimal("10"), "currency": "USD"},
    consent="We keep nothing.",
    gates=[GATE],
    limit_per_worker=40,
    status="live",
)


def _usd(amount: str) -> Any:
    return {"amount": Decimal(amount), "currency": "USD"}


@pytest.fixture
def project() -> Project:
    """A live project in which one person has handed in an answer, and two hold a task."""
    made = make_project("p", title="p", base_pay=Decimal("0.30"), budget=Decimal(10), gates=[GATE], limit_per_worker=40)
    make_qualification("quiz")
    page = page_for("We keep nothing.", notes=notes_of(made), at=NOON)
    for _ in range(4):
        make_task(made)
    alice = make_worker("alice")
    agree(worker=alice, page=page, at=NOON)
    annotate(claim(made, alice))
    for name in ("bob", "charlie"):
        claim(made, make_worker(name))
    make_enrolment(made)
    Project.objects.filter(pk=made.pk).update(consent_page=page)
    return project_named("p")


CHANGES: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"title": "another"}, []),
    (
        {"status": "paused"},
        ["Nobody is given new tasks. 2 people hold a task now and can still hand it in."],
    ),
    (
        {"pay": {"base": _usd("0.20")}, "consent": None},
        [
            "2 people hold work that was taken at 0.30 USD a task: what is handed in from now on is paid 0.20 USD.",
            "Answers of 1 person that are handed in already keep their pay.",
            "Nobody is asked to agree to an information page any more, and none is shown.",
        ],
    ),
    ({"budget": None}, ["Nothing limits what this project spends; 0.30 USD is spent so far."]),
    ({"budget": _usd("5")}, ["4.10 USD is left for new tasks."]),
    (
        {"budget": _usd("0.80")},
        [
            "Nobody is given new tasks: what is spent and promised is 0.90 USD, and the new budget is 0.80 USD.",
        ],
    ),
    (
        {"consent": "We keep all."},
        ["1 person agreed to the present information page and will be asked again before the next task."],
    ),
    (
        {"qualification": "quiz"},
        ["1 person who worked here has not passed 'quiz' and must pass it before the next task."],
    ),
    ({"gates": []}, ["Wrong answers to references no longer warn or pause anybody."]),
    ({"limit_per_worker": 1}, ["1 person has handed in 1 answer or more, and will get no more tasks."]),
    ({"redundancy": 2}, ["Up to 1 finished task will open again, for 2 answers each."]),
    (
        {"aggregation": AggregationBody(method="weighted", confidence=None, least=2, most=None)},
        ["What 1 finished task came to is computed again, and may change."],
    ),
    (
        {"instructions": ["Mark that."]},
        ["Everybody reads the new instructions from now on; answers so far keep the version that they saw."],
    ),
    ({"lease_s": 60}, ["2 people keep the time that came with the task they hold."]),
]


@pytest.mark.parametrize(("change", "said"), CHANGES, ids=[str(list(change)) for change, _ in CHANGES])
def test_a_change_says_what_follows(
    change: dict[str, Any], said: list[str], project: Project, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(5):
        assert consequences(project=project, body=replace(SAME, **change)) == said
