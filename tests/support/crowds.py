"""Workers by the hundred through the real API: tasks, threads that start together, simulated answers."""

import random
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from itertools import count
from typing import Any

import numpy as np
from django.db import connections
from rest_framework.test import APIClient

from annotation.consensus.rater_fit import Answers
from annotation.models import Annotation, Assignment, Consensus, Enrolment, Project, Task
from annotation.quality import gates
from annotation.quality.accuracy import ReferenceAnswer
from annotation.work.claims import claim_ahead, claim_next
from annotation.work.posting import TaskBody, post_tasks
from demo.crowds.markers import Member
from demo.crowds.work_api import Json, KnownTask, Refused, Reply, Turn, take_turn
from tests.support.builders import NOON, annotate, make_enrolment, make_episode, make_project, make_worker, token_for
from workforce.blocking import worker_on
from workforce.models import Worker

PATIENCE_S = 120
PAY = Decimal("0.30")
_number = count(1)


def post_many(
    project: Project,
    number: int,
    *,
    episode: str = "",
    priority: int = 0,
    redundancy: int | None = None,
    truth: str | None = None,
) -> list[Task]:
    """Post `number` tasks that all show one episode; with a `truth` ("success", "failure") they are references."""
    episode = episode or make_episode().external_id
    bodies = []
    for _ in range(number):
        body = TaskBody(
            key=f"one-of-many-{next(_number)}",
            payload={"episode": episode},
            priority=priority,
            redundancy=redundancy,
        )
        if truth is not None:
            body["reference"] = {"answers": [{"outcome": truth}]}
        bodies.append(body)
    post_tasks(project=project, bodies=bodies, at=NOON)
    return list(Task.objects.filter(project=project, key__in=[body["key"] for body in bodies]).order_by("pk"))


def make_enrolments(project: Project, number: int) -> list[Enrolment]:
    return [make_enrolment(project, make_worker()) for _ in range(number)]


def fresh(enrolment: Enrolment) -> Enrolment:
    """The enrolment as the next request loads it."""
    return Enrolment.objects.select_related("project__consent_page", "worker").get(pk=enrolment.pk)


def race(*acts: Callable[[], Any]) -> list[Any]:
    """Run all acts at the same moment, each in a thread with a database connection of its own.

    Returns:
        What each act returned, or the exception that ended it, in the order of the acts.
    """
    results: list[Any] = [None] * len(acts)
    start = threading.Barrier(len(acts))

    def run(index: int, act: Callable[[], Any]) -> None:
        try:
            connections["default"].ensure_connection()
            start.wait(PATIENCE_S)
            results[index] = act()
        except Exception as error:
            results[index] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=pair, daemon=True) for pair in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert not any(thread.is_alive() for thread in threads), "a thread hangs"
    return results


def succeed(results: Sequence[Any]) -> list[Any]:
    """The same results; the first error among them is raised."""
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return list(results)


def check(project: Project, *, restored: Collection[int] = ()) -> None:
    """Assert the facts that hold after any schedule of claims, submissions and returns.

    Args:
        restored: Tasks of which an answer was dropped and counts again; others may have answered meanwhile.
    """
    takers = Assignment.objects.taking_slots().filter(task__project=project)
    by_task = Counter(takers.values_list("slot_of", flat=True))
    for task in Task.objects.ordinary().filter(project=project):
        taken = by_task[task.pk]
        if task.pk not in restored:
            assert taken <= task.wanted, f"{taken} workers share the {task.wanted} slots of {task}"
        if task.status == Task.Status.OPEN:
            assert task.slots_left == max(task.wanted - taken, 0), f"{task} has lost count of its slots"
            assert task.open == (task.slots_left > 0), f"{task} is shut with {task.slots_left} slots left"
        else:
            assert not task.open
    binding = Assignment.objects.binding().filter(task__project=project).values_list("task", "worker")
    assert max(Counter(binding).values(), default=1) == 1, "one worker has a task twice"
    numbers = list(Annotation.objects.filter(project=project).order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1)), "the numbers have a gap"


def check_drained(project: Project, *, redundancy: int) -> None:
    """Every ordinary task has exactly the annotations that it wanted, each from another worker, and its consensus."""
    check(project)
    tasks = Task.objects.ordinary().filter(project=project).order_by("pk")
    by_task = Counter(Annotation.objects.on_tasks().filter(project=project).values_list("task", flat=True))
    assert [by_task[task.pk] for task in tasks] == [redundancy] * len(tasks)
    assert {task.status for task in tasks} == {Task.Status.DONE}
    settled = (
        Consensus.objects.settled().filter(task__project=project).values_list("task", "annotations").order_by("task")
    )
    assert list(settled) == [(task.pk, redundancy) for task in tasks]


def hold_on(task: Task, worker: Worker) -> Assignment:
    """The worker's hold on this very task, past the queue, on a slot of it that is free."""
    task.refresh_from_db()
    assert task.open, f"{task} is shut"
    slots = task.slots_left - 1
    Task.objects.filter(pk=task.pk).update(slots_left=slots, open=slots > 0)
    lease = NOON + timedelta(seconds=task.project.lease_s)
    return Assignment.objects.create(task=task, slot_of=task, worker=worker, claimed_at=NOON, lease_expires_at=lease)


def say(task: Task, *outcomes: str, frame: int = 20) -> list[Annotation]:
    """An answer of a new worker each to this very task, handed in as every answer is."""
    return [annotate(hold_on(task, make_worker()), outcome=outcome, frame=frame) for outcome in outcomes]


def insert_answers(project: Project, said: Iterable[tuple[Task, Worker, str]]) -> None:
    """Insert many answers without claims and without a consensus, as input of a fit."""
    numbers = count(Project.objects.values_list("annotation_count", flat=True).get(pk=project.pk) + 1)
    rows = list(said)
    holds = Assignment.objects.bulk_create(
        Assignment(
            task=task,
            slot_of=task,
            worker=worker,
            status=Assignment.Status.SUBMITTED,
            claimed_at=NOON,
            lease_expires_at=NOON,
            closed_at=NOON,
        )
        for task, worker, _ in rows
    )
    Annotation.objects.bulk_create(
        Annotation(
            project=project,
            number=next(numbers),
            assignment=hold,
            task=task,
            worker=worker,
            answer={"outcome": outcome, "frame": 20, "time_s": 2.0},
            claimed_at=NOON,
            submitted_at=NOON,
        )
        for hold, (task, worker, outcome) in zip(holds, rows, strict=True)
    )
    Project.objects.filter(pk=project.pk).update(annotation_count=next(numbers) - 1)


STRICT: dict[str, Any] = {"action": "pause", "below": 0.7, "minimum_n": 6}
GENTLE: dict[str, Any] = {"action": "warn", "below": 0.7, "minimum_n": 4}


def checked_project(slug: str = "p", *, references: int = 40, **changes: Any) -> Project:
    """A project of references, half of either class, and two ordinary tasks that never close, so that claims go on."""
    project = make_project(slug, **{"reference_rate": 1.0, "gates": [STRICT], **changes})
    ordinary, _ = post_many(project, 2, redundancy=1000)
    for truth in ("success", "failure"):
        post_many(project, references // 2, truth=truth, episode=ordinary.payload["episode"])
    return project


class Checked:
    """A worker's browser in a project."""

    def __init__(self, project: Project, worker: Worker) -> None:
        self.project, self.worker = project, worker
        self.client = APIClient()
        self.client.credentials(HTTP_AUTHORIZATION=f"Bearer {token_for(project, worker)}")

    def claim(self) -> Any:
        return self.client.post("/api/v1/work/claim/")

    def answer(self, *, right: bool) -> Annotation:
        """Claim a reference and answer it so."""
        claimed = self.claim()
        assert claimed.status_code == 200, claimed.json()
        return self.hand_in(claimed.json()["assignment"], right=right)

    def hand_in(self, held: str, *, right: bool) -> Annotation:
        task = Assignment.objects.get(public_id=held).task
        assert task.is_reference
        says_success = task.truth_class if right else not task.truth_class
        answer = {"outcome": "success" if says_success else "failure", "frame": 20}
        done = self.client.post(f"/api/v1/work/assignments/{held}/submit/", {"answer": answer})
        assert done.status_code == 201, done.json()
        return Annotation.objects.get(public_id=done.json()["annotation"])

    def err_until_paused(self, *, most: int = 30) -> int:
        """The number of wrong answers until a claim is refused because of a pause."""
        for number in range(most):
            claimed = self.claim()
            if claimed.status_code == 403:
                assert claimed.json()["code"] == "paused"
                return number
            self.hand_in(claimed.json()["assignment"], right=False)
        raise AssertionError(f"not paused after {most} wrong answers")

    def notice(self) -> Any:
        return self.client.get("/api/v1/work/").json()["notice"]


GATE: Json = {"action": "pause", "below": 0.7, "minimum_n": 10}
RULE = gates.Rule(action="pause", below=0.7, minimum_n=10, alpha=gates.ALPHA, beta=gates.BETA)
PLATFORM = "simulated"


class WorkApiClient:
    """A worker's way in through the URLs of the API, with the worker's token."""

    def __init__(self, enrolment: Enrolment) -> None:
        self.enrolment = enrolment
        self.client = APIClient()
        self.client.credentials(HTTP_AUTHORIZATION=f"Bearer {token_for(enrolment.project, enrolment.worker)}")

    def post(self, path: str, body: Json) -> Reply:
        response = self.client.post(f"/api/v1/work/{path}", body, format="json")
        return Reply(response.status_code, response.json() if response.content else {})


class Site:
    """A project of tasks of which only the test knows the truth, and its simulated workers."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.episode = make_episode().external_id
        self.truths: dict[int, bool] = {}
        self.apis: dict[str, WorkApiClient] = {}
        self.turns: dict[str, list[Turn]] = {}
        self.refusals: dict[str, str] = {}

    def post_tasks(self, truths: Iterable[bool]) -> None:
        wanted = list(truths)
        tasks = post_many(self.project, len(wanted), episode=self.episode)
        self.truths |= {task.pk: truth for task, truth in zip(tasks, wanted, strict=True)}

    def post_references(self, *, successes: int, failures: int) -> None:
        for number, truth in ((successes, True), (failures, False)):
            if number:
                outcome = "success" if truth else "failure"
                tasks = post_many(self.project, number, episode=self.episode, truth=outcome)
                self.truths |= {task.pk: truth for task in tasks}

    def let_in(self, *members: Member) -> None:
        for one in members:
            worker = worker_on(PLATFORM, one.name, at=NOON, is_simulated=True)
            self.apis[one.name] = WorkApiClient(make_enrolment(self.project, worker))
            self.turns[one.name] = []

    def look_up(self, public_id: str) -> KnownTask:
        task = Assignment.objects.values_list("task", flat=True).get(public_id=public_id)
        return KnownTask(str(task), self.truths[task])

    def turn(self, one: Member) -> bool:
        """One task of this worker; False when there is none, or the server turns them away, as `refusals` says."""
        try:
            turn = take_turn(self.apis[one.name], one, look_up=self.look_up)
        except Refused as refused:
            self.refusals[one.name] = refused.code
            return False
        if turn is not None:
            self.turns[one.name].append(turn)
        return turn is not None

    def work(self, members: Sequence[Member], *, most: int, seed: int = 1) -> None:
        """All members work in rounds, each in random order, until no member may go on or each has done `most` tasks."""
        luck = random.Random(seed)
        going = list(members)
        for _ in range(most):
            going = [one for one in luck.sample(going, len(going)) if self.turn(one)]

    def enrolment(self, one: Member) -> Enrolment:
        return self.apis[one.name].enrolment

    def references(self) -> set[int]:
        return set(Task.objects.references().filter(project=self.project).values_list("pk", flat=True))

    def met(self, one: Member) -> list[Turn]:
        """The references that the worker answered, in order, as the test saw it through the API."""
        references = self.references()
        return [turn for turn in self.turns[one.name] if int(turn.asked.task) in references]

    def history(self, one: Member) -> list[ReferenceAnswer]:
        """The same as the gate reads it."""
        return [as_read(turn, number) for number, turn in enumerate(self.met(one), start=1)]

    def said(self) -> Answers:
        """All answers, as a fit reads them."""
        references = self.references()
        rows = [
            (int(turn.asked.task), self.apis[name].enrolment.worker_id, turn.said, turn.asked.truth)
            for name, turns in self.turns.items()
            for turn in turns
        ]
        return answers_from(
            [(task, worker, said) for task, worker, said, _ in rows],
            truths={task: truth for task, _, _, truth in rows if task in references},
        )


def seed_claims(replace: Callable[[dict[str, object], str, object], None], seed: int) -> None:
    """Let the server draw references from a seed, so that a failure can be repeated.

    Args:
        replace: `monkeypatch.setitem`.
    """
    chance = random.Random(seed).random
    for claim in (claim_next, claim_ahead):
        assert claim.__kwdefaults__ is not None
        replace(claim.__kwdefaults__, "chance", chance)


# Answers ------------------------------------------------------------------------------------------------------


def as_read(turn: Turn, number: int) -> ReferenceAnswer:
    """An answer to a reference as the gate reads it, the `number`th of its worker."""
    return ReferenceAnswer(
        annotation=turn.annotation,
        project=1,
        task=number,
        key=turn.asked.task,
        truth=turn.asked.truth,
        said=turn.said,
        is_right=turn.said == turn.asked.truth,
        offset_s=None,
        at=NOON + timedelta(seconds=number),
    )


def paused_after(history: Sequence[ReferenceAnswer]) -> int | None:
    """The number of references after which the gate pauses a worker with this history; None: it does not."""
    evidence = gates.evidence_of(RULE, history)
    return None if evidence is None else evidence["answers"][-1]["task"]


def said_by(
    members: Sequence[Member], truths: Mapping[int, bool], *, redundancy: int, seed: int
) -> list[tuple[int, int, bool]]:
    """(task, worker, said) of `redundancy` random workers on each task; a worker is named by their place."""
    luck = random.Random(seed)
    return [
        (task, who, members[who].says(str(task), truth))
        for task, truth in truths.items()
        for who in luck.sample(range(len(members)), redundancy)
    ]


def answers_from(rows: Sequence[tuple[int, int, bool]], *, truths: Mapping[int, bool]) -> Answers:
    """(task, worker, said) as a fit reads them; `truths` of the references among the tasks."""
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Answers(columns[:, 0], columns[:, 1], columns[:, 2], dict(truths), {}, [])
