"""From names to masks: a phrase that a worker gives in a scene becomes a task in which others mark its object.

Some tasks ask for an object that is not there, so that workers must look: the phrase was given in another scene and
never in this one. If it is true of this scene, only the answers show that.
"""

import random
from datetime import datetime

from annotation.models import Annotation, Project, SceneTask, Task
from annotation.tool_registry import Json
from annotation.tools.voxels.agreement import PHRASE, folded
from annotation.tools.voxels.settings import FEEDS, NEGATIVES, TOOL
from annotation.work.posting import TaskBody, post_tasks
from lib.canonical_json import digest

_random = random.SystemRandom()
NAMED, ELSEWHERE = "named", "elsewhere"
MADE_OF_NAMES = (NAMED, ELSEWHERE)
"""Values of `source.kind` of a task that is made here: the phrase comes from its scene, or from another."""
_LOOKED_AT = 200
"""Number of newest phrases from which a phrase of another scene is drawn."""


def feed(annotation: Annotation, *, at: datetime, with_negative: bool = True) -> None:
    """Make a task to mark the named object, and by chance one for a phrase of another scene; each once a scene.

    Call in the transaction that takes the answer. Locks: the project that is fed, after the one that names.
    """
    project = annotation.task.project
    slug = project.settings.get(FEEDS)
    target = Project.objects.select_for_update().filter(slug=slug, tool=TOOL).first() if slug else None
    if target is None:
        return
    task, phrase = annotation.task, annotation.answer[PHRASE]
    bodies = [_body(NAMED, task, phrase, {"annotation": annotation.public_id})]
    if with_negative and _random.random() < _negatives_a_name(project.settings.get(NEGATIVES, 0)):
        other = _phrase_of_another_scene(target, task)
        bodies += [_body(ELSEWHERE, task, other, {"negative": True})] if other else []
    there = set(Task.objects.filter(project=target, key__in=[body["key"] for body in bodies]).values_list("key"))
    fresh = [body for body in bodies if (body["key"],) not in there]
    if fresh:
        post_tasks(project=target, bodies=fresh, at=at)


def feed_corrected(before: Annotation, annotation: Annotation, *, at: datetime) -> None:
    """Withdraw the task that the superseded name made, unless a worker has met it, and make that of the new name."""
    old, new = (folded(one.answer.get(PHRASE, "")) for one in (before, annotation))
    if old == new:
        return
    made = Task.objects.filter(payload__source__annotation=before.public_id, assignments=None)
    made.filter(status=Task.Status.OPEN).update(status=Task.Status.WITHDRAWN, open=False, closed_at=at)
    if new:
        # The chance of a negative was taken with the first name.
        feed(annotation, at=at, with_negative=False)


def _negatives_a_name(share: float) -> float:
    """The chance that a name brings a negative, so that negatives are this share of the tasks; at most 1."""
    return min(1.0, share / (1 - share))


def _body(kind: str, task: Task, phrase: str, source: Json) -> TaskBody:
    scene, origin = task.payload["scene"], task.payload.get("source", {}).get("origin")
    # The position of the scene when it was imported: exports of its masks use it.
    place = {} if origin is None else {"origin": origin}
    return {
        "key": f"{kind}-{digest([scene, folded(phrase)])[:32]}",
        "payload": {
            "scene": scene,
            "phrase": phrase,
            "source": {"kind": kind, "project": task.project.slug, "task": task.key, **place, **source},
        },
    }


def _phrase_of_another_scene(target: Project, task: Task) -> str | None:
    """A phrase that was given in another scene and never asked for in this one; None without one. 2 queries."""
    scene = SceneTask.objects.filter(task=task).values("scene")[:1]
    of_target = SceneTask.objects.filter(task__project=target)
    here = {folded(phrase) for phrase in of_target.filter(scene=scene).values_list("phrase", flat=True)}
    named = Annotation.objects.filter(task__scene_task__scene=scene, task__scene_task__phrase="").order_by("-pk")
    here |= {folded(said.get(PHRASE, "")) for said in named.values_list("answer", flat=True)[:_LOOKED_AT]}
    elsewhere = of_target.exclude(scene=scene).order_by("-task").values_list("phrase", flat=True)[:_LOOKED_AT]
    fitting = sorted({phrase for phrase in elsewhere if folded(phrase) not in here})
    return _random.choice(fitting) if fitting else None
