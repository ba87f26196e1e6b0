"""Erasing a person from the scenes that they named things in: their own words may name them.

Their answers stay; only their name goes out of the words, wherever these were carried on to: the tasks made of what
they named, in this scene and, as negatives, in others, and what the names came to.
"""

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Model, Q

from annotation.erasing import BATCH, clean
from annotation.models import Annotation, Consensus, SceneTask, Task
from annotation.tools.voxels.naming import MADE_OF_NAMES
from annotation.tools.voxels.stages import TOOL
from workforce.privacy import Person


def erase(person: Person, at: datetime) -> dict[str, int]:
    """Take the person's names out of what they named; how many rows changed.

    Costs: in proportion to what they named; phrases are searched once for each of the names.
    """
    mine = Annotation.objects.filter(worker=person.worker, project__tool=TOOL, task__scene_task__phrase="")
    if not mine.exists():
        return {"texts_in_scenes": 0}
    named = Q()
    for word in person.mentions.words:
        named |= Q(phrase__icontains=word)
    asked = SceneTask.objects.filter(named, task__payload__source__kind__in=MADE_OF_NAMES)
    tasks = list(asked.values_list("task", flat=True))
    rows: Iterable[tuple[Iterable[Model], str]] = (
        (mine.iterator(chunk_size=BATCH), "answer"),
        (Consensus.objects.filter(task__in=mine.values("task")).iterator(chunk_size=BATCH), "answer"),
        (Task.objects.filter(pk__in=tasks).iterator(chunk_size=BATCH), "payload"),
        (SceneTask.objects.filter(pk__in=tasks).iterator(chunk_size=BATCH), "phrase"),
    )
    return {"texts_in_scenes": sum(clean(found, field, person.mentions) for found, field in rows)}
