"""Samples of failures: drawn at random, coded by two people apart from each other, decided where they differ."""

from collections.abc import Callable

import pytest
from django.test import Client
from rest_framework.test import APIClient

from agents.models import Agent
from annotation.models import Project, Task
from evaluation.failures.samples import Category, categories_of, code, decide, draw, next_to_code
from evaluation.failures.table import table_of
from evaluation.figures.rank_intervals import Asked
from evaluation.models import FailureSample
from lib.faults import Conflict, Invalid, NotFound
from tests.support.builders import NOON, make_agent, make_episode, make_project, make_scenario, make_suite
from tests.support.crowds import say
from tests.web.api.test_key_limits import limited

pytestmark = pytest.mark.django_db
KINDS: list[Category] = [{"source": "players", "name": "late"}, {"source": "raters", "name": "strict"}]
LATE, STRICT = "players: late", "raters: strict"


def judged(project: Project, outcome: str, *, agent: str = "alfa") -> None:
    shown = make_episode(scenario=make_scenario(make_suite("s"), "k"), agent=make_agent(agent))
    say(Task.objects.get(project=project, key=shown.external_id), outcome)


@pytest.fixture
def project() -> Project:
    """Six failures and a success of an agent, and a failure of a person."""
    project = make_project("p", suite=make_suite("s"))
    for _ in range(6):
        judged(project, "failure")
    judged(project, "success")
    judged(project, "failure", agent="person")
    Agent.objects.filter(slug="person").update(kind=Agent.Kind.HUMAN)
    return project


def drawn(project: Project, number: int = 4, *, seed: int = 1, kind: str = "agent") -> FailureSample:
    asked = Asked(make_suite("s"), project, None, None)
    return draw(asked, kind=kind, number=number, seed=seed, categories=KINDS, by="staff:dora", at=NOON)


def episodes(sample: FailureSample) -> list[str]:
    return [one.episode.external_id for one in sample.sampled.order_by("pk")]


def code_all(sample: FailureSample, coder: str, *categories: str) -> None:
    for category in categories:
        failure = next_to_code(sample, coder)
        assert failure is not None
        code(sample, failure=failure.pk, category=category, coder=coder)
        sample.refresh_from_db()


def test_a_draw_takes_failures_alone_and_equal_seeds_draw_the_same(project: Project) -> None:
    first, again, other = drawn(project), drawn(project), drawn(project, seed=2)
    assert episodes(first) == episodes(again) != episodes(other)
    assert (first.failures, first.seed) == (6, 1)
    everything = drawn(project, 50)
    assert len(set(episodes(everything))) == 6
    outcomes = {one.episode.agent.slug for one in everything.sampled.all()}
    assert outcomes == {"alfa"}
    assert drawn(project, kind=Agent.Kind.HUMAN).failures == 1


def test_two_people_code_and_an_admin_decides_where_they_differ(project: Project) -> None:
    sample = drawn(project)
    code_all(sample, "staff:ann", LATE, LATE, STRICT, STRICT)
    assert table_of(sample).settled == 0
    code_all(sample, "staff:bob", LATE, LATE, STRICT, LATE)
    table = table_of(sample)
    assert [(row.name, row.n) for row in table.rows] == [("late", 2), ("strict", 1)]
    assert (table.settled, len(table.open), table.kappa.n, table.kappa.value) == (3, 1, 4, 0.5)
    decide(sample, failure=table.open[0].pk, category=STRICT, by="staff:dora")
    table = table_of(sample)
    assert [(row.name, row.n, row.share) for row in table.rows] == [("late", 2, 0.5), ("strict", 2, 0.5)]
    assert (table.open, table.kappa.value) == ([], 0.5)


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (lambda one, pk: code(one, failure=pk, category=LATE, coder="staff:eve"), Conflict),
        (lambda one, pk: code(one, failure=pk, category=STRICT, coder="staff:ann"), Conflict),
        (lambda one, pk: code(one, failure=pk, category="dull", coder="staff:ann"), Invalid),
        (lambda one, pk: code(one, failure=0, category=LATE, coder="staff:ann"), NotFound),
        (lambda one, pk: decide(one, failure=pk, category=LATE, by="staff:dora"), Conflict),
    ],
    ids=["a third person", "a second code", "no category", "no failure", "equal codes"],
)
def test_what_is_no_code_is_refused(
    project: Project, act: Callable[[FailureSample, int], None], error: type[Exception]
) -> None:
    sample = drawn(project)
    code_all(sample, "staff:ann", LATE)
    code_all(sample, "staff:bob", LATE)
    assert next_to_code(sample, "staff:eve") is None
    first = sample.sampled.order_by("pk")[0]
    with pytest.raises(error):
        act(sample, first.pk)
    first.refresh_from_db()
    assert (first.first_code, first.second_code, first.decided) == (LATE, LATE, "")


@pytest.mark.parametrize("lines", ["", "one: kind", "no colon\na: b", "a: b\na: b", f"a: b\n{'c' * 99}: d"])
def test_categories_are_two_or_more_different_ones(lines: str) -> None:
    with pytest.raises(Invalid):
        categories_of(lines)


def test_without_a_failure_nothing_is_drawn() -> None:
    project = make_project("p", suite=make_suite("s"))
    with pytest.raises(Invalid):
        drawn(project)


def test_a_sample_is_drawn_and_coded_on_its_pages(dora: Client, project: Project) -> None:
    fields = {"kind": "agent", "number": "3", "seed": "7", "categories": f"{LATE}\n{STRICT}"}
    assert dora.post("/staff/suites/s/failures/", fields).status_code == 302
    sample = FailureSample.objects.get()
    address = f"/staff/suites/s/failures/{sample.pk}/"
    assert "What went wrong here?" in dora.get(address).content.decode()
    for failure in sample.sampled.order_by("pk"):
        assert dora.post(f"{address}{failure.pk}/code/", {"category": LATE}).status_code == 302
    assert "You have coded every failure" in dora.get(address).content.decode()
    code_all(FailureSample.objects.get(), "staff:bob", STRICT, LATE, LATE)
    assert "Coded differently" in dora.get(address).content.decode()
    row = sample.sampled.order_by("pk")[0]
    assert dora.post(f"{address}{row.pk}/decide/", {"category": STRICT}).status_code == 302
    assert "Coded differently" not in dora.get(address).content.decode()
    assert "3 of 6 failures" in " ".join(dora.get("/staff/suites/s/failures/").content.decode().split())


def test_a_refused_draw_loses_nothing_that_was_typed(dora: Client, project: Project) -> None:
    fields = {"kind": "expert", "number": "9", "seed": "7", "categories": f"{LATE}\n{STRICT}\nplayers: early"}
    refused = dora.post("/staff/suites/s/failures/", fields)
    assert refused.status_code == 422
    page = refused.content.decode()
    for kept in (
        "players: early</textarea>",
        'value="9"',
        'value="7"',
        'value="expert" selected',
        'role="alert"',
    ):
        assert kept in page, kept


def test_nobody_sees_the_other_code_before_their_own(dora: Client, project: Project) -> None:
    sample = drawn(project)
    code_all(sample, "staff:bob", STRICT, STRICT, STRICT, STRICT)
    page = dora.get(f"/staff/suites/s/failures/{sample.pk}/").content.decode()
    assert page.count(STRICT) == 2  # the value and the words of the button


def test_programs_read_the_tables_of_their_projects(pipe: APIClient, project: Project) -> None:
    sample = drawn(project)
    code_all(sample, "staff:ann", LATE, LATE, STRICT, STRICT)
    code_all(sample, "staff:bob", LATE, LATE, STRICT, LATE)
    (found,) = pipe.get("/api/v1/suites/s/failures/").json()
    assert (found["project"], found["drawn"], found["settled"], found["open"]) == ("p", 4, 3, 1)
    assert found["kappa"]["value"] == 0.5
    assert [one["n"] for one in found["categories"]] == [2, 1]
    for projects, n in ((["p"], 1), (["q"], 0)):
        assert len(limited(projects=projects, suites=["s"]).get("/api/v1/suites/s/failures/").json()) == n


def test_a_report_has_the_table(pipe: APIClient, project: Project) -> None:
    code_all(drawn(project), "staff:ann", LATE)
    made = pipe.post("/api/v1/suites/s/reports/", {}, format="json").json()
    page = pipe.get(made["url"]).content.decode()
    assert "How they fail" in page
    assert "No failure has the codes of two people yet" in page
