"""The voxel annotator: workers mark the object of a phrase in a scene, or name an object (paper 004, 2.4, D).

A pipeline posts a scene, with a phrase if its object is to be marked. If a worker names an object instead, the phrase
goes to a project where that object is marked; see `naming`.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Model, Q

from annotation.models import Annotation, Consensus, Project, SceneTask, Task
from annotation.redaction import BATCH, clean
from annotation.scene_store import Row, keep, rows_of, scene_named
from annotation.tool_registry import FollowUp, FreeText, Json, Merged
from annotation.tools.voxels import naming, practice
from annotation.tools.voxels import settings as stages
from annotation.tools.voxels.agreement import ABSENT, NOTHING, PHRASE, VOXELS, agreement, merged
from annotation.tools.voxels.serializers import AnswerSerializer, PayloadSerializer, TruthSerializer
from annotation.tools.voxels.settings import MARK, NAME, is_to_mark, stage_of
from common.data.bulk_insert import insert_rows
from lib.faults import Fault, Invalid, NotFound, moved
from lib.voxels.mask import Size, faults_of_voxels, keys_of, voxels_of
from lib.voxels.scene import Scene, read_scene
from workforce.privacy import Person

_SHOWN = ("phrase",)
"""The fields of a payload that a worker sees beside the scene."""


class Voxels(FollowUp, FreeText):
    """The tool. A stored task has the digest of its scene; a question of a quiz may contain the scene itself."""

    name = stages.TOOL
    payload = PayloadSerializer
    answer = AnswerSerializer
    truth = TruthSerializer

    def marks_in(self, project: Project) -> bool:
        """True if objects are marked in this project, and not named."""
        return self.is_tool_of(project) and stage_of(project) == MARK

    def check_own_settings(self, settings: Json, project: Project | None, *, is_live: bool) -> None:
        stages.check_settings(settings, project)

    def usual_practice(self, project: Project) -> Json | None:
        return practice.MARKING if stage_of(project) == MARK else practice.NAMING_ONE

    # Tasks ---------------------------------------------------------------------------------------------------------

    def check_payload(self, payload: Json) -> None:
        _check_mask(payload, _scene_in(payload).size)

    def keep_payloads(self, project: Project, payloads: Sequence[Json], *, at: datetime) -> list[Json]:
        """Store each scene once, and replace it by its digest."""
        stage = stage_of(project)
        named = rows_of(payload["scene"] for payload in payloads if _is_named(payload))
        written: dict[int, Scene] = {}
        faults: list[Fault] = []
        for number, payload in enumerate(payloads):
            try:
                _check_stage(payload, stage)
                if _is_named(payload):
                    size = _row_in(named, payload).size
                else:
                    written[number] = _scene_in(payload)
                    size = written[number].size
                _check_mask(payload, size)
            except Invalid as error:
                faults += moved(error.faults, f"#/tasks/{number}/payload")
        if faults:
            raise Invalid(faults=faults)
        stored = list(payloads)
        for number, digest in zip(written, keep(written.values(), at=at), strict=True):
            stored[number] = {**payloads[number], "scene": digest}
        return stored

    def link(self, payloads: Mapping[int, Json]) -> None:
        found = list(payloads.values())
        rows = rows_of(payload["scene"] for payload in found)
        insert_rows(
            SceneTask,
            {
                "task_id": list(payloads),
                "scene_id": [rows[payload["scene"]].pk for payload in found],
                "phrase": [payload.get("phrase", "") for payload in found],
            },
        )

    # Answers -------------------------------------------------------------------------------------------------------

    def check(self, payload: Json, answer: Json) -> Json:
        return _checked(payload, answer, "#/answer")

    def check_truth(self, payload: Json, truth: Json) -> Json:
        return _checked(payload, truth, "#")

    def score(self, answer: Json, truth: Json, tolerance_s: float | None) -> float:
        """The IoU with the truth; an absent object is an empty mask."""
        return agreement(answer, truth)

    def agree(self, a: Json, b: Json) -> float:
        return agreement(a, b)

    def merge(self, answers: Sequence[Json], weights: Sequence[float] | None = None) -> Merged:
        return merged(answers, weights)

    def truth_of(self, answer: Json) -> Json | None:
        return None if answer.get(VOXELS, ()) is None else answer

    # Presenting, and after an answer ---------------------------------------------------------------------------------

    def present(self, task: Task, *, hold: str) -> Json:
        """The scene and the phrase only: the source and the agent's mask would show what to mark."""
        scene = _scene_in(task.payload).as_json()
        return {"scene": scene} | {name: task.payload[name] for name in _SHOWN if name in task.payload}

    def answered(self, annotation: Annotation) -> None:
        if PHRASE in annotation.answer and not annotation.task.is_reference:
            naming.feed(annotation, at=annotation.submitted_at)

    def corrected(self, before: Annotation, annotation: Annotation) -> None:
        if not annotation.task.is_reference:
            naming.feed_corrected(before, annotation, at=annotation.submitted_at)

    def erase(self, person: Person) -> dict[str, int]:
        """Remove the person's names from the phrases that they gave to objects, and from everything made from these.

        These are the tasks made from a phrase, in its scene and as negatives in others, and the consensus of the
        phrases. Costs: proportional to the number of the person's phrases; phrases are searched once for each name of
        the person.
        """
        mine = Annotation.objects.filter(worker=person.worker, project__in=self.projects(), task__scene_task__phrase="")
        if not mine.exists():
            return {"texts_in_scenes": 0}
        named = Q()
        for word in person.mentions.words:
            named |= Q(phrase__icontains=word)
        asked = SceneTask.objects.filter(named, task__payload__source__kind__in=naming.MADE_OF_NAMES)
        tasks = list(asked.values_list("task", flat=True))
        rows: Iterable[tuple[Iterable[Model], str]] = (
            (mine.iterator(chunk_size=BATCH), "answer"),
            (Consensus.objects.filter(task__in=mine.values("task")).iterator(chunk_size=BATCH), "answer"),
            (Task.objects.filter(pk__in=tasks).iterator(chunk_size=BATCH), "payload"),
            (SceneTask.objects.filter(pk__in=tasks).iterator(chunk_size=BATCH), "phrase"),
        )
        return {"texts_in_scenes": sum(clean(found, field, person.mentions) for found, field in rows)}


def scene_shown(payload: Mapping[str, Any]) -> Scene:
    """The scene of a stored task's payload.

    Raises:
        NotFound: it is not stored.
    """
    return scene_named(payload["scene"])


def _scene_in(payload: Json) -> Scene:
    """The scene of a payload, which contains it or its digest.

    Raises:
        Invalid: with pointers below `#`, the payload.
    """
    if not _is_named(payload):
        return read_scene(payload["scene"], pointer="#/scene")
    try:
        return scene_shown(payload)
    except NotFound:
        raise _no_such_scene() from None


def _is_named(payload: Json) -> bool:
    """True if the payload has the digest of its scene, and not the scene itself."""
    return isinstance(payload["scene"], str)


def _row_in(rows: Mapping[str, Row], payload: Json) -> Row:
    found = rows.get(payload["scene"])
    if found is None:
        raise _no_such_scene()
    return found


def _no_such_scene() -> Invalid:
    return Invalid.at("#/scene", "There is no scene of this digest; post it first.")


def _check_stage(payload: Json, stage: str) -> None:
    if stage == NAME and is_to_mark(payload):
        raise Invalid.at("#/phrase", "In this project objects are named, so no phrase is given.")
    if stage != NAME and not is_to_mark(payload):
        raise Invalid.at("#/phrase", "Say in words what is to be marked.")


def _check_mask(payload: Json, size: Size) -> None:
    faults = faults_of_voxels(payload.get("agent_mask", []), size, pointer="#/agent_mask")
    if faults:
        raise Invalid(faults=faults)


def _checked(payload: Json, answer: Json, pointer: str) -> Json:
    """The answer, if it is one of the two kinds that this payload asks for, its voxels in order."""
    ways = (VOXELS, ABSENT) if is_to_mark(payload) else (PHRASE, NOTHING)
    given = [way for way in (VOXELS, ABSENT, PHRASE, NOTHING) if answer.get(way) not in (None, False)]
    if len(given) != 1 or given[0] not in ways:
        say = "Give the voxels of the object, or say that it is not there."
        name = "Name one object, or say that there is nothing."
        raise Invalid.at(pointer, say if is_to_mark(payload) else name)
    way = given[0]
    if way == PHRASE:
        return {PHRASE: " ".join(answer[PHRASE].split())}
    if way != VOXELS:
        return {way: True}
    voxels = answer[VOXELS]
    faults = faults_of_voxels(voxels, _scene_in(payload).size, pointer=f"{pointer}/voxels")
    if not voxels:
        faults = [Fault(f"{pointer}/voxels", "Mark at least one voxel, or say that it is not there.")]
    if faults:
        raise Invalid(faults=faults)
    return {VOXELS: voxels_of(keys_of(voxels))}


voxels = Voxels()
