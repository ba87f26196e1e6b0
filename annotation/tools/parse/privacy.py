"""Erasing a person from the commands they worked on: what they wrote down themselves may name them.

Their answers stay, as all answers do; only their name goes out of the few that are free text, wherever these were
carried on to: the records of chains, the steps made of them, and the forms they came to.
"""

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Model, Q

from annotation.erasing import BATCH, clean
from annotation.models import Annotation, Chain, Consensus, Task
from workforce.privacy import Person


def erase(person: Person, at: datetime) -> dict[str, int]:
    """Take the person's names out of what they answered to the parse annotator; how many rows changed.

    Costs: in proportion to what they answered there.
    """
    worker = person.worker
    mine = Annotation.objects.filter(worker=worker, project__tool="parse")
    wholes = list(mine.values_list("task__part_of", flat=True).distinct())
    whole = Q(task__in=wholes) | Q(task__part_of__in=wholes)
    rows: Iterable[tuple[Iterable[Model], str]] = (
        (mine.iterator(chunk_size=BATCH), "answer"),
        (Chain.objects.filter(task__in=wholes).iterator(chunk_size=BATCH), "record"),
        (Task.objects.filter(part_of__in=wholes).iterator(chunk_size=BATCH), "payload"),
        (Consensus.objects.filter(whole | Q(task__in=mine.values("task"))).iterator(chunk_size=BATCH), "answer"),
    )
    changed = sum(clean(found, field, person.mentions) for found, field in rows)
    return {"texts_in_forms": changed}
