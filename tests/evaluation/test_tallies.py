"""Tallies: after any changes they say what counting the episodes anew says; so rankings do too."""

import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from annotation.consensus.rater_fit import refit
from annotation.consensus.reweighing import reweigh
from annotation.models import Annotation, Consensus, Method, Project, Task
from annotation.pay.approvals import reject
from annotation.quality.accuracy import Confusion, confusions, raters_of
from annotation.references.references import RESCORE, correct, promote, retire
from annotation.review import adjudication
from annotation.tool_registry import tool_named
from annotation.work.posting import change_redundancy, post_tasks, restore, withdraw
from evaluation.models import Episode, Suite, Tally
from evaluation.ranking import rank_agents
from evaluation.suites import freeze
from evaluation.tallies import recount
from jobs import outbox
from jobs.models import Job
from lib.faults import CrosswalkError
from tests.support.builders import NOON, make_agent, make_episode, make_project, make_scenario, make_staff, make_suite
from tests.support.crowds import say
from workforce.models import Worker

pytestmark = pytest.mark.django_db
STEPS = 100


class Standing(NamedTuple):
    """The counts of a ranking for an agent, without rates."""

    success: int = 0
    failure: int = 0
    unjudgeable: int = 0
    pending: int = 0


def counted_anew(suite: Suite, project: Project, *, version: str | None) -> dict[str, Standing]:
    """Reads every ready episode and its task."""
    found: dict[str, Counter[str]] = {}
    for episode in Episode.objects.ready().filter(scenario__suite=suite, reference__isnull=True):
        if version is not None and not episode.revision.versions.filter(slug=version).exists():
            continue
        task = Task.objects.filter(project=project, key=episode.external_id, is_reference=False).first()
        outcome = None
        if task is not None and task.status != Task.Status.OPEN:
            consensus = Consensus.objects.filter(task=task).first()
            outcome = consensus.answer["outcome"] if consensus else None
            outcome = "unjudgeable" if task.status == Task.Status.UNJUDGEABLE else outcome
        found.setdefault(episode.agent.slug, Counter())[outcome or "pending"] += 1
    return {agent: Standing(**counts) for agent, counts in found.items()}


def ranked(suite: Suite, project: Project, *, version: str | None) -> dict[str, Standing]:
    rows = rank_agents(
        suite=suite, project=project, version=suite.versions.get(slug=version) if version else None, by="scenario"
    ).rows
    for row in rows:
        assert sum(group.success.successes for group in row.groups) == row.success.successes
    return {
        row.agent: Standing(row.success.successes, row.success.n - row.success.successes, row.unjudged, row.pending)
        for row in rows
    }


class Changes:
    """All that changes a ranking or its raters, each at a random place."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.suite = make_suite("s")
        fields: dict[str, Any] = {"suite": self.suite, "redundancy": 2, "most_annotations": 4}
        self.projects = [
            make_project("fitted", consensus_method=Method.DAWID_SKENE, **fields),
            make_project("plain", **fields),
        ]
        self.dora: User = make_staff("dora")
        self.kinds: list[Callable[[], None]] = [
            *[self.say] * 16,
            *[self.new_episode] * 4,
            self.new_wording,
            self.other_task,
            self.adjudicate,
            self.take_back,
            self.close,
            self.reopen,
            self.withdraw,
            self.restore,
            self.reject,
            self.reweigh,
            self.refit,
            self.change_redundancy,
            self.promote,
            self.correct,
            self.retire,
        ]

    def one(self) -> None:
        """One change. Some are refused, as for a task in another state."""
        with suppress(CrosswalkError):
            self.random.choice(self.kinds)()

    def task(self, *, is_reference: bool = False) -> Task | None:
        tasks = Task.objects.select_related("project").filter(is_reference=is_reference).order_by("pk")
        return self.random.choice(tasks) if tasks else None

    def outcome(self) -> str:
        return self.random.choice(("success", "success", "failure"))

    def say(self) -> None:
        # Near its end more often than at its beginning.
        tasks = Task.objects.filter(open=True).order_by("slots_left", "pk")[:4]
        if tasks:
            say(self.random.choice(tasks), self.outcome())

    def new_episode(self) -> None:
        scenario = make_scenario(self.suite, self.random.choice(("k", "l")))
        agent = make_agent(self.random.choice(("alfa", "bravo")))
        kind = self.random.random()
        reference = {"outcome": self.outcome()} if kind < 0.2 else None
        make_episode(scenario=scenario, agent=agent, reference=reference, is_ready=kind < 0.9)

    def new_wording(self) -> None:
        make_scenario(self.suite, "k", instruction=f"wording {self.random.random()}")

    def other_task(self) -> None:
        """A task that a client posts about an episode under a key of its own is not ranked."""
        episode = Episode.objects.ready().first()
        if episode is not None:
            body: Any = {"key": f"own-{self.random.random()}", "payload": {"episode": episode.external_id}}
            post_tasks(project=self.random.choice(self.projects), bodies=[body], at=NOON)

    def adjudicate(self) -> None:
        if task := self.task():
            answer = {"outcome": self.outcome(), "frame": 20}
            adjudication.adjudicate(task=task, answer=answer, reason="I looked.", by=self.dora, at=NOON)

    def take_back(self) -> None:
        if task := self.task():
            adjudication.take_back(task=task, by=self.dora, reason="I was wrong.", at=NOON)

    def close(self) -> None:
        if task := self.task():
            adjudication.close(task=task, reason="It is dark.", by=self.dora, at=NOON)

    def reopen(self) -> None:
        if task := self.task():
            adjudication.reopen(task=task, by=self.dora, at=NOON)

    def withdraw(self) -> None:
        if task := self.task():
            withdraw(task=task, at=NOON)

    def restore(self) -> None:
        for task in Task.objects.select_related("project").filter(status=Task.Status.WITHDRAWN)[:1]:
            restore(task=task, at=NOON)

    def reject(self) -> None:
        answers = Annotation.objects.undecided().filter(task__is_reference=False).order_by("pk")
        if answers:
            chosen = Annotation.objects.filter(pk=self.random.choice(answers).pk)
            reject(annotations=chosen, reason="It is random.", is_soft=False, by="dora", at=NOON)

    def reweigh(self) -> None:
        workers = Worker.objects.filter(annotations__isnull=False).distinct().order_by("pk")
        if workers:
            worker = self.random.choice(workers)
            Worker.objects.filter(pk=worker.pk).update(weighting=self.random.choice(Worker.Weighting.values))
            reweigh(worker_id=worker.pk, at=NOON)

    def refit(self) -> None:
        refit(project_id=self.projects[0].pk, at=NOON)

    def change_redundancy(self) -> None:
        project = Project.objects.get(pk=self.random.choice(self.projects).pk)
        change_redundancy(project=project, redundancy=self.random.choice((1, 2, 3)), at=NOON)

    def promote(self) -> None:
        settled = Consensus.objects.settled().select_related("task__project").order_by("pk")
        if settled:
            task = self.random.choice(settled).task
            truth = tool_named("marker").truth_of(task.consensus.answer)
            promote(task=task, confirmed=truth or {}, tolerance_s=1.0, reason="It is clear.", by="dora", at=NOON)

    def correct(self) -> None:
        if task := self.task(is_reference=True):
            answers = [{"outcome": self.outcome()}]
            correct(reference=task, answers=answers, tolerance_s=1.0, reason="It was wrong.", by="dora", at=NOON)

    def retire(self) -> None:
        if task := self.task(is_reference=True):
            retire(reference=task, reason="It is dark.", by="dora", at=NOON)


@pytest.mark.parametrize("seed", range(4))
def test_a_ranking_is_what_counting_anew_says_after_any_changes(seed: int) -> None:
    changes = Changes(seed)
    for step in range(STEPS):
        changes.one()
        if step == STEPS // 2:
            freeze(suite=changes.suite, slug="v", by="system", at=NOON)
    for job in Job.objects.unfinished().filter(kind=RESCORE).order_by("pk"):
        assert outbox.run(job.pk)
    for project in changes.projects:
        for version in (None, "v"):
            assert ranked(changes.suite, project, version=version) == counted_anew(
                changes.suite, project, version=version
            )
        alone = confusions(Worker.objects.all(), project=project).values()
        assert raters_of(project) == Confusion(*(sum(column) for column in zip(*alone, strict=True)))
    assert Tally.objects.exclude(success=0, failure=0).exists()
    assert recount() == 0


def test_recount_mends_tallies() -> None:
    changes = Changes(0)
    for _ in range(40):
        changes.one()
    kept = list(Tally.objects.order_by("revision", "agent", "project").values_list("revision", "project", "success"))
    Tally.objects.exclude(project=None).update(success=7)
    call_command("recount_rankings")
    assert kept == list(
        Tally.objects.exclude(ready=0, success=0, failure=0, unjudgeable=0)
        .order_by("revision", "agent", "project")
        .values_list("revision", "project", "success")
    )
