"""Items of `vision`: a phrase in a scene, and the voxels of the object that it names; none: it is not there."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import combinations
from typing import Any

from annotation.datasets.masks import BATCH, settled_among
from annotation.models import Annotation, Consensus, Project, Task
from annotation.scene_store import keep, rows_of, scene_named
from annotation.tools.voxels.agreement import agreement, folded, mask_of
from annotation.tools.voxels.tool import voxels
from interaction.project.tool import interaction
from learning.data.commands import authors_of
from learning.data.kinds import Json, Kind, Known
from learning.data.truths import ANNOTATORS
from learning.models import Item
from lib.faults import Fault, Invalid
from lib.voxels.mask import faults_of_voxels, keys_of, voxels_of
from lib.voxels.scene import Scene, read_scene
from routing.models import Sending

SCENE, PHRASE, VOXELS = "scene", "phrase", "voxels"
MOST_PHRASE = 200
SAME_MASK = 0.9
"""The IoU from which two annotators marked the same object: they seldom agree on every voxel of its edge."""


class Objects(Kind):
    module = "vision"

    def name(self, given: Json) -> str:
        return f"{given[SCENE]}:{folded(given[PHRASE])}"

    def unit(self, given: Json) -> str:
        digest: str = given[SCENE]
        return digest

    def read(self, body: Mapping[str, Any], *, pointer: str) -> tuple[Json, Any]:
        if set(body) != {SCENE, PHRASE, VOXELS}:
            raise Invalid.at(pointer, "An item of vision has a scene, a phrase and the voxels that it names.")
        phrase = body[PHRASE]
        if not isinstance(phrase, str) or not phrase.strip() or len(phrase) > MOST_PHRASE:
            raise Invalid.at(f"{pointer}/phrase", f"A phrase has 1 to {MOST_PHRASE} characters.")
        scene = _scene_in(body[SCENE], pointer=f"{pointer}/scene")
        if not isinstance(body[VOXELS], list):
            raise Invalid.at(f"{pointer}/voxels", "The voxels are a list, empty if the object is not there.")
        faults = faults_of_voxels(body[VOXELS], scene.size, pointer=f"{pointer}/voxels")
        if faults:
            raise Invalid(faults=faults)
        return {SCENE: scene, PHRASE: " ".join(phrase.split())}, _places(body[VOXELS])

    def keep(self, given: Sequence[Json], *, at: datetime) -> list[Json]:
        digests = keep([one[SCENE] for one in given], at=at)
        return [{**one, SCENE: digest} for one, digest in zip(given, digests, strict=True)]

    def is_same(self, a: Any, b: Any) -> bool:
        return sorted(map(tuple, a)) == sorted(map(tuple, b))

    def known_in(self, project: Project, *, since: datetime | None) -> Iterator[Known]:
        if voxels.marks_in(project):
            return self._of_tasks(Task.objects.filter(project=project), since=since)
        if not interaction.is_tool_of(project):
            raise Invalid.at(
                "#/project", "Masks come from a voxels project where objects are marked, or from sessions."
            )
        sent = Sending.objects.filter(command__project=project, task__isnull=False, is_dropped=False)
        return self._of_tasks(Task.objects.filter(pk__in=sent.values("task")), since=since)

    def line(self, given: Json, truth: Any) -> Json:
        return {SCENE: given[SCENE], PHRASE: given[PHRASE], VOXELS: truth}

    def to_learn(self, given: Json) -> Any:
        return {SCENE: scene_named(given[SCENE]).as_json(), PHRASE: given[PHRASE]}

    def _of_tasks(self, tasks: Any, *, since: datetime | None) -> Iterator[Known]:
        known = settled_among(tasks.filter(project__in=voxels.projects()))
        last = 0
        while batch := list(known.filter(pk__gt=last)[:BATCH]):
            last = batch[-1].pk
            answers = _answers_to(batch)
            authors = authors_of(batch)
            for task in batch:
                known_at, mask = task.consensus.updated_at, mask_of(task.consensus.answer)
                if mask is None or not task.payload.get(PHRASE) or (since is not None and known_at < since):
                    continue
                behind = answers.get(task.pk, [])
                yield Known(
                    {SCENE: task.payload[SCENE], PHRASE: task.payload[PHRASE]},
                    voxels_of(mask),
                    Item.Origin.ANNOTATED,
                    known_at,
                    may_test=mask_may_test(task, behind),
                    task=task.pk,
                    annotations=[answer.pk for answer in behind],
                    authors=authors.get(task.pk, []),
                )


def mask_may_test(task: Task, answers: Sequence[Annotation]) -> bool:
    """Whether the consensus mask is sure enough for a test set. Workers never see the agent's mask."""
    if len({answer.worker_id for answer in answers}) < ANNOTATORS:
        return False
    if task.consensus.method == Consensus.Method.ADJUDICATED:
        return True
    return all(agreement(a.answer, b.answer) >= SAME_MASK for a, b in combinations(answers, 2))


def _answers_to(tasks: Sequence[Task]) -> dict[int, list[Annotation]]:
    """The counting answers to these tasks. 1 query."""
    found: dict[int, list[Annotation]] = {}
    for row in Annotation.objects.counting().filter(task__in=tasks).order_by("pk"):
        found.setdefault(row.task_id, []).append(row)
    return found


def _scene_in(value: Any, *, pointer: str) -> Scene:
    if not isinstance(value, str):
        return read_scene(value, pointer=pointer)
    if value not in rows_of([value]):
        raise Invalid(faults=[Fault(pointer, "There is no scene of this digest; post it first.")])
    return scene_named(value)


def _places(given: list[Any]) -> list[list[int]]:
    return [list(place) for place in voxels_of(keys_of(given))]
