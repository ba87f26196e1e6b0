"""Interactive evaluation: an episode of set length, whose outcomes are the agent's metric unless it is rejected."""

import pytest

from agents.models import Metric
from annotation.models import Annotation, Project
from annotation.pay.approvals import overturn, reject
from interaction.session import ticks
from interaction.session.measuring import METRIC, VERSION
from interaction.session.refusals import Refusal
from tests.interaction.session.test_rejected_sessions import run_all
from tests.support.builders import NOON
from tests.support.sessions import MINIMUM_S, MISUNDERSTOOD, NO, RIGHT, both, judged, make_live_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_messages")]
REASON = "It was marked without a look."


@pytest.fixture
def project() -> Project:
    return make_live_project(evaluation=True, prompts=["Ask it to build something."])


def handed_in(project: Project, marks: tuple[tuple[str, int], ...]) -> Annotation:
    """An episode with one command, judged by these marks."""
    worker, agent = both(project)
    judged(worker, agent, marks=marks, form={"dialogue_type": "NOOP"})
    return worker.hand_in()


def measured() -> list[tuple[float, int | None]]:
    return list(Metric.objects.filter(metric=METRIC).values_list("value", "n"))


def test_an_evaluated_session_becomes_the_agents_metric(project: Project) -> None:
    worker, agent = both(project)
    assert worker.said("prompt") == [{"text": "Ask it to build something."}]
    judged(worker, agent, "c1")
    assert worker.live().prompt == "Ask it to build something."
    judged(worker, agent, "c2", "dance", [("done", NO), ("guessed", 1)])
    worker.wait(MINIMUM_S)
    ticks.tick(at=worker.at)
    with pytest.raises(Refusal, match="time for commands is over"):
        worker.send("command", id="c3", text="dance")
    assert not Metric.objects.exists()
    worker.hand_in()
    metric = Metric.objects.get()
    assert (metric.agent, metric.metric, metric.suite) == (worker.session.agent, "interactive_evaluation", project.slug)
    assert (metric.value, metric.n) == (0.5, 2)
    assert metric.standard_error == pytest.approx((0.25 / 2) ** 0.5)


def test_a_plain_session_is_no_evaluation() -> None:
    handed_in(make_live_project(), RIGHT)
    assert not Metric.objects.exists()


def test_metrics_of_the_same_name_that_pipelines_posted_stay(project: Project) -> None:
    worker, agent = both(project)
    for _ in range(2):
        Metric.objects.create(agent=worker.session.agent, metric=METRIC, value=0.5, suite=project.slug, created_at=NOON)
    judged(worker, agent)
    worker.hand_in()
    found = Metric.objects.filter(agent=worker.session.agent, metric=METRIC, suite=project.slug).order_by("pk")
    assert list(found.values_list("version", "value")) == [("", 0.5), ("", 0.5), (VERSION, 1.0)]


def test_an_episode_without_commands_can_be_handed_in_and_measures_nothing(project: Project) -> None:
    """No command may be given after its minutes, so a worker who gave none could not end it otherwise."""
    worker, _ = both(project)
    worker.hand_in()
    assert worker.said("may_finish") == [{"allowed": True}]
    assert worker.now().reason == "finished"
    assert not Metric.objects.exists()


@pytest.mark.parametrize("is_soft", [False, True])
def test_a_rejected_episode_does_not_count_until_that_is_overturned(is_soft: bool, project: Project) -> None:
    good, bad = handed_in(project, RIGHT), handed_in(project, MISUNDERSTOOD)
    assert measured() == [(0.5, 2)]
    reject(annotations=[bad], reason=REASON, is_soft=is_soft, by="x", at=NOON)
    run_all()
    assert measured() == [(1.0, 1)]
    reject(annotations=[good], reason=REASON, is_soft=is_soft, by="x", at=NOON)
    run_all()
    assert measured() == [], "no episode counts, so nothing is known of the agent"
    overturn(annotations=[good, bad], reason="we looked again", by="x", at=NOON)
    run_all()
    assert measured() == [(0.5, 2)]


def test_an_episode_that_was_rejected_stays_out_when_the_next_is_handed_in(project: Project) -> None:
    bad = handed_in(project, MISUNDERSTOOD)
    reject(annotations=[bad], reason=REASON, is_soft=True, by="x", at=NOON)
    handed_in(project, RIGHT)
    assert measured() == [(1.0, 1)]
