"""A simulated crowd at work through the real API, each worker with a token of their own; and what it says past it."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta

import numpy as np
from rest_framework.test import APIClient

from annotation import gates
from annotation.claims import claim_ahead, claim_next
from annotation.fitting import Answers
from annotation.models import Assignment, Enrolment, Project, Task
from annotation.quality import ReferenceAnswer
from demo.crowd import Member
from demo.work import Asked, Json, Refused, Reply, Turn, take_turn
from tests.annotation.crowd import post_many
from tests.builders import NOON, make_enrolment, make_episode, token_for
from workforce.standing import worker_on

GATE: Json = {"action": "pause", "below": 0.7, "minimum_n": 10}
RULE = gates.Rule(action="pause", below=0.7, minimum_n=10, alpha=gates.ALPHA, beta=gates.BETA)
PLATFORM = "simulated"


class ApiDoor:
    """A worker's way in through the URLs of the API, with the worker's token."""

    def __init__(self, enrolment: Enrolment) -> None:
        self.enrolment = enrolment
        self.client = APIClient()
        self.client.credentials(HTTP_AUTHORIZATION=f"Bearer {token_for(enrolment.project, enrolment.worker)}")

    def post(self, path: str, body: Json) -> Reply:
        response = self.client.post(f"/api/v1/work/{path}", body, format="json")
        return Reply(response.status_code, response.json() if response.content else {})


class Site:
    """A project whose tasks are true or not as the test knows and the server does not, and its simulated workers."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.episode = make_episode().external_id
        self.truths: dict[int, bool] = {}
        self.doors: dict[str, ApiDoor] = {}
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
            self.doors[one.name] = ApiDoor(make_enrolment(self.project, worker))
            self.turns[one.name] = []

    def look_up(self, public_id: str) -> Asked:
        task = Assignment.objects.values_list("task", flat=True).get(public_id=public_id)
        return Asked(str(task), self.truths[task])

    def turn(self, one: Member) -> bool:
        """One task of this worker; False when there is none, or the server turns them away, as `refusals` says."""
        try:
            turn = take_turn(self.doors[one.name], one, look_up=self.look_up)
        except Refused as refused:
            self.refusals[one.name] = refused.code
            return False
        if turn is not None:
            self.turns[one.name].append(turn)
        return turn is not None

    def work(self, members: Sequence[Member], *, most: int, seed: int = 1) -> None:
        """Everybody works by turns, in rounds of an order of its own, until nobody may or wants: `most` tasks each."""
        luck = random.Random(seed)
        going = list(members)
        for _ in range(most):
            going = [one for one in luck.sample(going, len(going)) if self.turn(one)]

    def enrolment(self, one: Member) -> Enrolment:
        return self.doors[one.name].enrolment

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
        """All that was said, as a fit reads it."""
        references = self.references()
        rows = [
            (int(turn.asked.task), self.doors[name].enrolment.worker_id, turn.said, turn.asked.truth)
            for name, turns in self.turns.items()
            for turn in turns
        ]
        return answers_from(
            [(task, worker, said) for task, worker, said, _ in rows],
            truths={task: truth for task, _, _, truth in rows if task in references},
        )


def seed_claims(replace: Callable[[dict[str, object], str, object], None], seed: int) -> None:
    """Let the server draw references from a seed instead of from the system, so that a failure can be had again.

    Args:
        replace: `monkeypatch.setitem`.
    """
    chance = random.Random(seed).random
    for claim in (claim_next, claim_ahead):
        assert claim.__kwdefaults__ is not None
        replace(claim.__kwdefaults__, "chance", chance)


# Past it -------------------------------------------------------------------------------------------------------


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
    """After how many references the gate pauses somebody with this history."""
    evidence = gates.look(RULE, history)
    return None if evidence is None else evidence["answers"][-1]["task"]


def said_by(
    members: Sequence[Member], truths: Mapping[int, bool], *, redundancy: int, seed: int
) -> list[tuple[int, int, bool]]:
    """(task, worker, said) of so many different workers on each task, drawn at random; a worker is their place."""
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
