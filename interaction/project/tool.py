"""The tool `interaction`: its tasks are sessions, worked through a socket and handed in by their own `finish`."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.core import signing

from agents.models import Agent
from annotation.models import Annotation, Approval, Assignment, Enrolment, Project, Task
from annotation.offer.experiments import arm_name_of_hold, arm_names
from annotation.scene_store import keep, scene_named
from annotation.tool_registry import Bonus, Json, Merged, OwnTasks, Questions
from annotation.work.posting import TaskBody, post_tasks
from commands.imports import CommandTool
from common.data.values import opaque_id
from interaction.models import Session
from interaction.project import settings as project_settings
from interaction.project.serializers import AnswerBody, PayloadBody
from interaction.project.settings import Chosen
from interaction.reports import question_effort
from interaction.session import bonus
from interaction.session import score as scoring
from interaction.session.ending import OWN_CHOICE, SALT
from interaction.session.messages import PLACEABLE
from interaction.session.worlds import default_world
from lib.faults import Fault, Invalid, NotFound, moved
from lib.question_effort import QuestionEffort
from lib.voxels.scene import Scene, read_scene

OWN = "session:"
"""The prefix of the keys of tasks that are made when workers come."""
WEEK_S = 7 * 24 * 3600
_DEFAULT_WORLDS = 64
"""Tasks without a world of their own get one of so many in turn."""


class Interaction(OwnTasks, Bonus, Questions, CommandTool):
    """The tool itself. The world of a kept task is its scene's digest."""

    name = "interaction"
    payload = PayloadBody
    answer = AnswerBody
    truth = AnswerBody
    settings_of_arms = frozenset({"tree", "stoplight", "minimum_s", "prompts", "capabilities"})

    def check_own_settings(self, settings: Json, project: Project | None, *, is_live: bool) -> None:
        project_settings.check(settings, is_live=is_live)

    def make_more(self, project: Project, *, at: datetime) -> bool:
        """One more task, while the project has had fewer than its sessions. Locks: call with the project locked."""
        chosen, made = Chosen(project), project.tasks.filter(key__startswith=OWN).count()
        if chosen.agent is None or made >= chosen.sessions:
            return False
        body = TaskBody(key=f"{OWN}{opaque_id()}", payload={"agent": chosen.agent})
        return post_tasks(project=project, bodies=[body], at=at).created > 0

    def wanted(self, project: Project) -> int:
        return Chosen(project).sessions

    def used_up(self, enrolment: Enrolment) -> int:
        """The number of sessions that this worker left before their end with partial pay."""
        theirs = Session.objects.filter(project=enrolment.project_id, assignment__worker=enrolment.worker_id)
        return theirs.filter(reason__in=OWN_CHOICE, owed_s__gt=0).count()

    def unsettled(self, project: Project) -> int:
        """The number of sessions whose lease has ended, and that are not closed and paid yet."""
        return Session.objects.unended().filter(project=project).exclude(assignment__status="claimed").count()

    def base_pay_of(self, assignment: Assignment, present: Decimal | None) -> Decimal | None:
        """As it was when the session began."""
        kept = Session.objects.filter(assignment=assignment).values_list("base_pay", flat=True).first()
        return present if kept is None else kept

    def most_bonus(self, project: Project) -> Decimal:
        """The highest bonus that any arm promises for a session."""
        return max((scoring.most_bonus(project, arm) for arm in ["", *arm_names(project)]), default=Decimal(0))

    def open_bonus(self, project: Project) -> Decimal:
        return bonus.open_bonus(project)

    def expected_bonuses(self, annotations: Sequence[Annotation]) -> dict[int, Decimal]:
        return bonus.expected_bonuses(annotations)

    def decided(self, annotation: Annotation, approval: Approval, *, at: datetime) -> None:
        bonus.decided(annotation, approval, at=at)

    def question_efforts(self, project: Project) -> list[QuestionEffort]:
        return question_effort.question_efforts(project)

    # Tasks -----------------------------------------------------------------------------------------------------------

    def check_payload(self, payload: Json) -> None:
        raise Invalid.at("#", "A session cannot be a question of a quiz.")

    def keep_payloads(self, project: Project, payloads: Sequence[Json], *, at: datetime) -> list[Json]:
        """Keep each world once, and put its digest in its place."""
        named = {payload["agent"] for payload in payloads}
        known = set(Agent.objects.filter(slug__in=named).values_list("slug", flat=True))
        newest = Task.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
        scenes: list[Scene] = []
        faults: list[Fault] = []
        for number, payload in enumerate(payloads):
            try:
                scenes.append(_world_of(payload, default=(newest + 1 + number) % _DEFAULT_WORLDS))
            except Invalid as error:
                faults += moved(error.faults, f"#/tasks/{number}/payload")
            if payload["agent"] not in known:
                faults.append(Fault(f"#/tasks/{number}/payload/agent", "There is no such agent; put it first."))
        if faults:
            raise Invalid(faults=faults)
        digests = keep(scenes, at=at)
        return [{**payload, "world": digest} for payload, digest in zip(payloads, digests, strict=True)]

    # Answers ---------------------------------------------------------------------------------------------------------

    def check(self, payload: Json, answer: Json) -> Json:
        """The answer that the end of the session has signed; anything else is refused."""
        try:
            found: Json = signing.loads(answer["finished"], salt=SALT, max_age=WEEK_S)
        except signing.BadSignature:
            raise Invalid.at("#/answer", "A session is handed in by the `finish` of its own socket.") from None
        return found

    def check_truth(self, payload: Json, truth: Json) -> Json:
        raise Invalid.at("#", "A session has no right answer.")

    def score(self, answer: Json, truth: Json, tolerance_s: float | None) -> float | None:
        return None

    def agree(self, a: Json, b: Json) -> float:
        """Two sessions are two sessions: neither is the other's check."""
        return 1.0

    def merge(self, answers: Sequence[Json], weights: Sequence[float] | None = None) -> Merged:
        return Merged({"sessions": sorted(one["session"] for one in answers)}, 1.0)

    def truth_of(self, answer: Json) -> Json | None:
        return None

    # The shown payload, and the consequences of a decision ----------------------------------------------------------

    def present(self, task: Task, *, hold: str) -> Json:
        chosen = Chosen(task.project, arm=arm_name_of_hold(task.project, hold))
        return {
            "world": scene_named(task.payload["world"]).as_json(),
            "agent": task.payload["agent"],
            "capabilities": chosen.capabilities,
            "minimum_s": chosen.minimum_s,
            "blocks": list(PLACEABLE),
        }


def _world_of(payload: Json, *, default: int) -> Scene:
    """The world of a payload; without one, the default world of this seed."""
    world: Any = payload.get("world")
    if world is None:
        return default_world(default)
    if isinstance(world, dict):
        return read_scene(world, pointer="#/world")
    try:
        return scene_named(world)
    except NotFound:
        raise Invalid.at("#/world", "There is no scene of this digest; post it first.") from None


interaction = Interaction()
