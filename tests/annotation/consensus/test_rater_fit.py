"""Fits in the background: their results for a whole project, and answers that arrive between two of them."""

from collections.abc import Iterable
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from annotation.consensus import rater_fit
from annotation.consensus.consensus import FIT, close_as_unjudgeable, set_adjudicated, settle
from annotation.consensus.rater_fit import refit
from annotation.models import Annotation, Consensus, Fit, Project, Rater, Task
from evaluation.marker import marker
from jobs import outbox
from jobs.models import Job
from lib.statistics import dawid_skene
from lib.statistics.posterior import Rater as Rates
from lib.statistics.posterior import Vote, posterior_of, rater_from_counts
from tests.support.builders import NOON, annotate, make_episode, make_project, make_worker
from tests.support.crowds import check, hold_on, insert_answers, post_many, say
from workforce.models import Worker

pytestmark = pytest.mark.django_db

LATER = NOON + timedelta(hours=1)


class Crowd:
    """Workers of known quality who answer every task of a project; a third of them at random."""

    def __init__(self, project: Project, *, tasks: int, workers: int = 9, references: int = 0, seed: int = 1) -> None:
        self.random = Random(seed)
        self.project = project
        episode = make_episode().external_id
        self.tasks = post_many(project, tasks, episode=episode)
        self.truth = {task.pk: self.random.random() < 0.6 for task in self.tasks}
        self.references: list[Task] = []
        for truth in ("success", "failure") if references else ():
            self.references += post_many(project, references, episode=episode, truth=truth)
        self.truth |= {task.pk: bool(task.truth_class) for task in self.references}
        self.workers = [make_worker() for _ in range(workers)]
        self.skill = {worker.pk: 0.5 if index % 3 == 0 else 0.85 for index, worker in enumerate(self.workers)}

    def outcome(self, task: Task, worker: Worker) -> str:
        is_right = self.random.random() < self.skill[worker.pk]
        return "success" if self.truth[task.pk] == is_right else "failure"

    def insert(self, *, each: int) -> None:
        """`each` answers to every task, past the queue."""
        everything = [*self.tasks, *self.references]
        insert_answers(
            self.project,
            [
                (task, worker, self.outcome(task, worker))
                for task in everything
                for worker in self.random.sample(self.workers, each)
            ],
        )

    def hand_in(self, tasks: Iterable[Task], *, each: int) -> None:
        """The same through submissions."""
        for task in tasks:
            for worker in self.random.sample(self.workers, each):
                annotate(hold_on(task, worker), outcome=self.outcome(task, worker))

    def share_right(self) -> float:
        rows = Consensus.objects.filter(project=self.project)
        right = [marker.verdict(row.answer) == self.truth[row.task_id] for row in rows]
        assert len(right) == len(self.tasks)
        return sum(right) / len(right)


def make_fitted(**changes: Any) -> Project:
    return make_project(**{"redundancy": 5, "consensus_method": "dawid_skene", **changes})


def scratch(project: Project) -> dawid_skene.Fit:
    """A fit of all that counts, made by the statistics alone."""
    rows = list(
        Annotation.objects.counting()
        .filter(project=project)
        .values_list("task", "worker", "answer", "task__truth_class", "worker__weighting")
    )
    return dawid_skene.fit(
        [task for task, *_ in rows],
        [worker for _, worker, *_ in rows],
        [answer["outcome"] == "success" for _, _, answer, *_ in rows],
        truths={task: truth for task, _, _, truth, _ in rows if truth is not None},
        weights={worker: 0.5 for _, worker, _, _, weighting in rows if weighting == "reduced"},
    )


def check_equals_scratch(project: Project) -> None:
    fresh = scratch(project)
    posteriors = fresh.posteriors()
    rows = {row.task_id: row for row in Consensus.objects.filter(project=project)}
    assert rows
    assert rows.keys() == {task for task in posteriors if not Task.objects.get(pk=task).is_reference}
    for task, row in rows.items():
        assert row.probability == pytest.approx(posteriors[task].value, abs=1e-6)
        assert row.low == pytest.approx(posteriors[task].low, abs=1e-5)
        assert marker.verdict(row.answer) == (posteriors[task].value > 0.5)
    raters = fresh.raters()
    for rater in Rater.objects.filter(fit=project.pk):
        assert rater.sensitivity == pytest.approx(raters[rater.worker_id].sensitivity, abs=1e-9)
        assert rater.specificity == pytest.approx(raters[rater.worker_id].specificity, abs=1e-9)


def test_dawid_skene_beats_the_majority_where_a_third_answers_at_random() -> None:
    crowd = Crowd(make_fitted(consensus_method="majority"), tasks=250, workers=12)
    crowd.insert(each=5)
    refit(project_id=crowd.project.pk, at=NOON)
    by_majority = crowd.share_right()
    Project.objects.filter(pk=crowd.project.pk).update(consensus_method="dawid_skene")
    refit(project_id=crowd.project.pk, at=LATER)
    assert crowd.share_right() > by_majority + 0.02
    assert set(Consensus.objects.values_list("method", flat=True)) == {"dawid_skene"}
    spammers = {worker for worker, skill in crowd.skill.items() if skill == 0.5}
    rates = {rater.worker_id: rater.sensitivity + rater.specificity - 1 for rater in Rater.objects.all()}
    assert max(rates[worker] for worker in spammers) < min(rates[worker] for worker in rates.keys() - spammers)


def test_answers_one_by_one_and_a_fit_equal_a_fit_from_scratch() -> None:
    crowd = Crowd(make_fitted(redundancy=4), tasks=20, references=2)
    crowd.insert(each=2)
    refit(project_id=crowd.project.pk, at=NOON)
    check_equals_scratch(crowd.project)
    fewer = crowd.workers[:1]
    Worker.objects.filter(pk=fewer[0].pk).update(weighting="reduced")
    for task in crowd.tasks:
        task.refresh_from_db()
        settle(task=task, at=NOON)
    Task.objects.filter(pk__in=[task.pk for task in crowd.tasks]).update(slots_left=4, open=True, status="open")
    newcomers = [make_worker() for _ in range(2)]
    for worker in newcomers:
        crowd.skill[worker.pk] = 0.9
        for task in crowd.tasks[:12]:
            annotate(hold_on(task, worker), outcome=crowd.outcome(task, worker))
    refit(project_id=crowd.project.pk, at=LATER)
    check_equals_scratch(crowd.project)
    fit = Fit.objects.get()
    assert (fit.through, fit.fitted_at, fit.tasks) == (crowd.project.annotations.count(), LATER, 20)


def test_known_truths_show_a_liar_where_one_answer_a_task_cannot() -> None:
    crowd = Crowd(make_fitted(redundancy=1), tasks=60, workers=4, references=15)
    liar, *honest = crowd.workers
    crowd.skill = {liar.pk: 0.1, **{worker.pk: 0.9 for worker in honest}}
    pairs = [(task, worker) for task in crowd.references for worker in crowd.workers]
    pairs += [(task, crowd.workers[index % 4]) for index, task in enumerate(crowd.tasks)]
    insert_answers(crowd.project, [(task, worker, crowd.outcome(task, worker)) for task, worker in pairs])
    refit(project_id=crowd.project.pk, at=NOON)
    assert Rater.objects.get(worker=liar).sensitivity < 0.3
    assert crowd.share_right() > 0.75
    bare = Consensus.objects.filter(answer__frame=None)
    assert bare.exists(), "what the liar denied has an outcome, but nobody marked it"
    assert set(bare.values_list("needs_review", flat=True)) == {True}


def test_a_fit_writes_only_what_it_moves(django_assert_max_num_queries: Any) -> None:
    crowd = Crowd(make_fitted(), tasks=30)
    crowd.insert(each=3)
    assert refit(project_id=crowd.project.pk, at=NOON) == 30
    before = list(Consensus.objects.order_by("pk").values())
    with django_assert_max_num_queries(16):
        assert refit(project_id=crowd.project.pk, at=LATER) == 0
    assert list(Consensus.objects.order_by("pk").values()) == before
    Consensus.objects.filter(pk=crowd.tasks[0].pk).update(probability=0.123)
    assert refit(project_id=crowd.project.pk, at=LATER) == 1
    assert list(Consensus.objects.order_by("pk").values_list("probability")) == [
        (row["probability"],) for row in before
    ]


@pytest.mark.parametrize("method", ["majority", "weighted", "dawid_skene"])
def test_a_second_fit_changes_nothing_and_a_retired_reference_teaches_nothing(method: str) -> None:
    project = make_fitted(consensus_method=method)
    assert refit(project_id=project.pk, at=NOON) == 0, "nobody has answered yet"
    assert Fit.objects.exists() == (method != "majority")
    crowd = Crowd(project, tasks=10, references=2)
    crowd.insert(each=3)
    assert refit(project_id=project.pk, at=NOON) == 10
    assert refit(project_id=project.pk, at=LATER) == 0
    Task.objects.references().update(open=False, retired_at=NOON)
    refit(project_id=project.pk, at=LATER)
    assert list(Fit.objects.values_list("annotations", flat=True)) == ([30] if method != "majority" else [])


def test_weighted_votes_weigh_what_their_workers_proved_on_references() -> None:
    project = make_project(redundancy=3, consensus_method="weighted")
    sharp, *dull = [make_worker() for _ in range(3)]
    references = [*post_many(project, 8, truth="success"), *post_many(project, 8, truth="failure")]
    right = {task.pk: "success" if task.truth_class else "failure" for task in references}
    insert_answers(project, [(task, sharp, right[task.pk]) for task in references])
    insert_answers(
        project,
        [
            (task, worker, right[task.pk] if index % 2 else "success")
            for worker in dull
            for index, task in enumerate(references)
        ],
    )
    refit(project_id=project.pk, at=NOON)
    rater, expected = Rater.objects.get(worker=sharp), rater_from_counts(8, 8, 8, 8)
    assert (rater.sensitivity, rater.specificity) == (expected.sensitivity, expected.specificity)
    assert (rater.positives, rater.negatives) == (expected.successes, expected.failures)
    [task] = post_many(project, 1)
    for worker, outcome in ((sharp, "failure"), (dull[0], "success"), (dull[1], "success")):
        annotate(hold_on(task, worker), outcome=outcome)
    found = Consensus.objects.get(task=task)
    assert (found.answer["outcome"], found.method) == ("failure", "weighted")
    assert refit(project_id=project.pk, at=LATER) == 0, "what came since was right already"


def test_an_answer_that_comes_while_a_fit_runs_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    crowd = Crowd(make_fitted(), tasks=10)
    crowd.insert(each=3)
    estimate = rater_fit.estimate

    def slowly(*args: Any) -> Any:
        found = estimate(*args)
        say(crowd.tasks[0], "failure", "failure")
        return found

    monkeypatch.setattr(rater_fit, "estimate", slowly)
    refit(project_id=crowd.project.pk, at=NOON)
    found = Consensus.objects.get(task=crowd.tasks[0])
    assert (found.annotations, found.settled_at is not None) == (5, True)
    assert Fit.objects.get().through == 30
    raters = {
        row.worker_id: Rates(row.sensitivity, row.specificity, row.positives, row.negatives)
        for row in Rater.objects.all()
    }
    votes = [
        Vote(row.worker_id, row.answer["outcome"] == "success")
        for row in Annotation.objects.filter(task=crowd.tasks[0])
    ]
    assert found.probability == pytest.approx(posterior_of(votes, raters, Fit.objects.get().prior).value)
    assert Job.objects.filter(kind=FIT).count() == 1, "and another fit will know it"


def test_of_two_fits_the_one_that_read_later_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    crowd = Crowd(make_fitted(), tasks=10)
    crowd.insert(each=3)
    estimate = rater_fit.estimate

    def slowly(*args: Any) -> Any:
        found = estimate(*args)
        monkeypatch.setattr(rater_fit, "estimate", estimate)
        insert_answers(crowd.project, [(crowd.tasks[0], make_worker(), "failure")])
        refit(project_id=crowd.project.pk, at=LATER)
        return found

    monkeypatch.setattr(rater_fit, "estimate", slowly)
    assert refit(project_id=crowd.project.pk, at=NOON) == 0
    assert Fit.objects.get().fitted_at == LATER
    check_equals_scratch(crowd.project)


def test_an_answer_asks_for_one_fit_and_the_fit_leaves_room_for_the_next() -> None:
    project = make_fitted(redundancy=9)
    [task] = post_many(project, 1)
    say(task, "success", "success")
    job = Job.objects.get(kind=FIT)
    assert (job.subject, job.state) == (str(project.pk), "waiting")
    assert timedelta(seconds=5) < job.due_at - job.created_at < timedelta(seconds=15)
    Job.objects.update(due_at=timezone.now())
    running = outbox.take(pk=job.pk, at=timezone.now())
    assert running is not None
    rater_fit.run(running)
    assert Fit.objects.get().through == 2
    say(task, "failure")
    assert Job.objects.unfinished().filter(kind=FIT).count() == 2, "the first is not over, and does not know this one"


def test_the_job_runs_from_the_outbox() -> None:
    project = make_fitted(redundancy=2)
    [task] = post_many(project, 1)
    say(task, "success")
    Job.objects.update(due_at=timezone.now())
    assert outbox.run(Job.objects.get(kind=FIT).pk)
    job = Job.objects.get(kind=FIT)
    assert (job.state, job.progress, job.error) == ("done", 1.0, "")


def test_a_majority_asks_for_no_fit_and_weighted_votes_after_an_answer_to_a_reference() -> None:
    for method, of_task, of_reference in (("majority", 0, 0), ("weighted", 0, 1)):
        project = make_project(redundancy=2, consensus_method=method)
        [task], [reference] = post_many(project, 1), post_many(project, 1, truth="failure")
        say(task, "success")
        assert Job.objects.filter(kind=FIT).count() == of_task
        say(reference, "failure")
        assert Job.objects.filter(kind=FIT).count() == of_reference


def test_a_fit_closes_tasks_that_are_sure_now_and_opens_the_others() -> None:
    project = make_fitted(redundancy=2, confidence_wanted=0.8, least_annotations=2, most_annotations=6)
    crowd = Crowd(project, tasks=40, references=8)
    crowd.insert(each=3)
    refit(project_id=project.pk, at=NOON)
    check(project)
    for row in Consensus.objects.select_related("task"):
        is_sure = row.confidence >= 0.8
        assert (row.task.status == "done") == is_sure == (row.settled_at is not None)
        assert row.task.wanted == (3 if is_sure else 4)
        assert row.task.open is not is_sure
    done = Task.objects.ordinary().filter(status="done").count()
    assert 0 < done < 40
    Project.objects.filter(pk=project.pk).update(confidence_wanted=0.999)
    refit(project_id=project.pk, at=LATER)
    assert Task.objects.ordinary().filter(status="done").count() < done
    Project.objects.filter(pk=project.pk).update(confidence_wanted=None)
    refit(project_id=project.pk, at=LATER)
    assert set(Task.objects.ordinary().values_list("status", "wanted")) == {("done", 2)}
    assert not Consensus.objects.filter(needs_review=False, confidence__lt=0.6).exists()


def test_a_fit_leaves_adjudications_and_unjudgeable_tasks_alone() -> None:
    crowd = Crowd(make_fitted(redundancy=3), tasks=6)
    crowd.insert(each=3)
    answer = {"outcome": "failure", "frame": None, "time_s": None}
    with transaction.atomic():
        set_adjudicated(task=crowd.tasks[0], answer=answer, at=NOON)
        close_as_unjudgeable(task=crowd.tasks[1], at=NOON)
    refit(project_id=crowd.project.pk, at=LATER)
    assert Consensus.objects.get(task=crowd.tasks[0]).updated_at == NOON
    assert not Consensus.objects.filter(task=crowd.tasks[1]).exists()
    assert Fit.objects.get().tasks == 5
