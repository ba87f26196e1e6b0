"""From names to masks: what workers name in a scene becomes tasks in which others mark it.

Some tasks ask for what is not there, so that whoever marks must look: a phrase that was said of another scene and never
of this one. What is true of it only the answers tell.
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
"""What `source.kind` says of a task that was made here: what was named in its scene, or in another."""
_LOOKED_AT = 200
"""From how many of the newest phrases one that is not there is drawn."""


def feed(annotation: Annotation, *, at: datetime) -> None:
    """Have the object that this answer names marked, and by chance something that is not there; each once a scene.

    Call in the transaction that takes the answer. Locks: the project that is fed, after the one that names.
    """
    project = annotation.task.project
    slug = project.settings.get(FEEDS)
    target = Project.objects.select_for_update().filter(slug=slug, tool=TOOL).first() if slug else None
    if target is None:
        return
    task, phrase = annotation.task, annotation.answer[PHRASE]
    bodies = [_body(NAMED, task, phrase, {"annotation": annotation.public_id})]
    if _random.random() < _negatives_a_name(project.settings.get(NEGATIVES, 0)):
        other = _phrase_of_another_scene(target, task)
        bodies += [_body(ELSEWHERE, task, other, {"negative": True})] if other else []
    there = set(Task.objects.filter(project=target, key__in=[body["key"] for body in bodies]).values_list("key"))
    fresh = [body for body in bodies if (body["key"],) not in there]
    if fresh:
        post_tasks(project=target, bodies=fresh, at=at)


def _negatives_a_name(share: float) -> float:
    """How likely a name brings a negative with it, for negatives to be this share of the tasks; 1 at most."""
    return min(1.0, share / (1 - share))


def _body(kind: str, task: Task, phrase: str, source: Json) -> TaskBody:
    scene, origin = task.payload["scene"], task.payload.get("source", {}).get("origin")
    # Where the scene lay when it was imported: masks of it are given back there.
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
    """A phrase that was named in another scene, and that nobody asked for in this one. 2 queries."""
    scene = SceneTask.objects.filter(task=task).values("scene")[:1]
    of_target = SceneTask.objects.filter(task__project=target)
    here = {folded(phrase) for phrase in of_target.filter(scene=scene).values_list("phrase", flat=True)}
    named = Annotation.objects.filter(task__scene_task__scene=scene, task__scene_task__phrase="").order_by("-pk")
    here |= {folded(said.get(PHRASE, "")) for said in named.values_list("answer", flat=True)[:_LOOKED_AT]}
    elsewhere = of_target.exclude(scene=scene).order_by("-task").values_list("phrase", flat=True)[:_LOOKED_AT]
    fitting = sorted({phrase for phrase in elsewhere if folded(phrase) not in here})
    return _random.choice(fitting) if fitting else None
