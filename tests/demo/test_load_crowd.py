"""The demo's simulated crowd: staff pages have something of each kind to show, and nobody else's tasks are touched."""

import pytest
from django.utils import timezone

from annotation.models import Annotation, Assignment, Consensus, GateAction, Project, Record
from annotation.review import queue
from demo import load_crowd
from evaluation.suites import freeze
from tests.support.builders import make_agent, make_episode, make_project, make_scenario, make_suite
from workforce.models import Worker


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.django_db
def test_the_demo_has_a_crowd_with_a_paused_worker_who_appeals_and_reports_to_look_at() -> None:
    suite = make_suite()
    first = make_project(suite=suite)
    truths = {}
    for number in range(30):
        outcome, is_reference = "success" if number % 2 else "failure", number % 3 == 0
        truth = {"outcome": outcome, "time_s": 3.0 if outcome == "success" else 5.9}
        episode = make_episode(
            scenario=make_scenario(suite), agent=make_agent("walker"), reference=truth if is_reference else None
        )
        truths[episode.external_id] = truth
    freeze(suite=suite, slug="v1", by="system", at=timezone.now())
    before = list(first.tasks.order_by("pk").values_list("open", "slots_left", "status"))

    now = timezone.now()
    done = load_crowd.load(suite=suite.slug, version="v1", pages=["Mark it."], truths=truths, at=now)

    project = Project.objects.get(slug=load_crowd.PROJECT)
    answers = Annotation.objects.filter(project=project)
    assert done == answers.count() >= 120
    assert not answers.filter(worker__is_simulated=False).exists()
    assert not answers.filter(submitted_at__gt=now).exists()
    # The project that people are invited to is as it was.
    assert list(first.tasks.order_by("pk").values_list("open", "slots_left", "status")) == before
    assert not first.annotations.exists()
    waiting = queue.count(Project.objects.all()).by_kind
    assert waiting["appeal"] >= 1
    assert waiting["report"] >= 1
    assert GateAction.objects.pauses().current().filter(enrolment__project=project).exists()
    assert not Worker.objects.filter(status=Worker.Status.BLOCKED).exists()
    assert not Assignment.objects.held().exists(), "nobody has gone home with a task in hand"
    assert Consensus.objects.settled().filter(project=project, probability__isnull=False).exists()
    records = Record.objects.filter(project=project)
    assert records.count() == load_crowd.SIZE
    assert not records.outdated().exists()
    assert records.filter(balanced_accuracy__isnull=False, agreement__isnull=False).count() >= load_crowd.SIZE // 2
