"""What a rejected session says of the agent: nothing; overturned, it counts again."""

import pytest

from agents.models import Metric
from annotation.models import Annotation, Project
from annotation.pay.approvals import overturn, reject
from interaction.session import ticks
from interaction.session.measuring import METRIC
from jobs import outbox
from tests.interaction.session.test_ending import WELL
from tests.interaction.session.test_rejected_sessions import run_all
from tests.interaction.test_repair import judge
from tests.support.builders import NOON
from tests.support.sessions import MINIMUM_S, NO, YES, both, make_live_project

pytestmark = pytest.mark.django_db
REASON = "It was marked without a look."


@pytest.fixture(autouse=True)
def _no_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test runs the jobs itself."""
    monkeypatch.setattr(outbox, "_send", lambda pk: None)


@pytest.fixture
def project() -> Project:
    return make_live_project(evaluation=True)


def handed_in(project: Project, *marks: tuple[str, int]) -> Annotation:
    """An episode with one command, marked so."""
    worker, agent = both(project=project)
    judge(worker, agent, "c1", "dance", *marks)
    worker.wait(MINIMUM_S)
    ticks.tick(at=worker.at)
    worker.send("reflect", **WELL)
    worker.send("finish")
    return Annotation.objects.get(assignment=worker.hold)


def measured() -> list[tuple[float, int | None]]:
    return list(Metric.objects.filter(metric=METRIC).values_list("value", "n"))


@pytest.mark.parametrize("is_soft", [False, True])
def test_a_rejected_episode_counts_no_more_until_that_is_overturned(is_soft: bool, project: Project) -> None:
    handed_in(project, ("done", YES))
    bad = handed_in(project, ("done", NO), ("understood", NO))
    assert measured() == [(0.5, 2)]
    reject(annotations=[bad], reason=REASON, is_soft=is_soft, by="x", at=NOON)
    run_all()
    assert measured() == [(1.0, 1)]
    overturn(annotations=[bad], reason="we looked again", by="x", at=NOON)
    run_all()
    assert measured() == [(0.5, 2)]


def test_where_every_episode_is_rejected_nothing_is_known_of_the_agent(project: Project) -> None:
    bad = handed_in(project, ("done", YES))
    reject(annotations=[bad], reason=REASON, is_soft=True, by="x", at=NOON)
    run_all()
    assert measured() == []


def test_an_episode_that_was_rejected_stays_out_when_the_next_is_handed_in(project: Project) -> None:
    bad = handed_in(project, ("done", NO), ("understood", NO))
    reject(annotations=[bad], reason=REASON, is_soft=True, by="x", at=NOON)
    handed_in(project, ("done", YES))
    assert measured() == [(1.0, 1)]
