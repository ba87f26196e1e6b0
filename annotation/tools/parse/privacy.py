"""Erasing a person from the commands they worked on: what they wrote down themselves may name them.

Their answers stay, as all answers do; only their name goes out of the few that are free text, wherever these were
carried on to: the records of chains, the steps made of them, and the forms they came to.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import Model, Q

from annotation.models import Annotation, Chain, Consensus, Task
from common.mentions import Mentions
from workforce.privacy import Person

_BATCH = 500


def erase(person: Person, at: datetime) -> dict[str, int]:
    """Take the person's names out of what they answered to the parse annotator; how many rows changed.

    Costs: in proportion to what they answered there.
    """
    worker = person.worker
    mine = Annotation.objects.filter(worker=worker, project__tool="parse")
    wholes = list(mine.values_list("task__part_of", flat=True).distinct())
    whole = Q(task__in=wholes) | Q(task__part_of__in=wholes)
    rows: Iterable[tuple[Iterable[Model], str]] = (
        (mine.iterator(chunk_size=_BATCH), "answer"),
        (Chain.objects.filter(task__in=wholes).iterator(chunk_size=_BATCH), "record"),
        (Task.objects.filter(part_of__in=wholes).iterator(chunk_size=_BATCH), "payload"),
        (Consensus.objects.filter(whole | Q(task__in=mine.values("task"))).iterator(chunk_size=_BATCH), "answer"),
    )
    changed = sum(_clean(found, field, person.mentions) for found, field in rows)
    return {"texts_in_forms": changed}


def _clean(rows: Iterable[Model], field: str, mentions: Mentions) -> int:
    changed = 0
    for row in list(rows):
        before = getattr(row, field)
        after = without(before, mentions)
        if after != before:
            type(row)._default_manager.filter(pk=row.pk).update(**{field: after})
            changed += 1
    return changed


def without(value: Any, mentions: Mentions) -> Any:
    """JSON with the names taken out of all its texts but those of the command itself, which others wrote.

    >>> without({"text": "ask ann", "record": {"#": {"value": "ann", "at": [1]}}}, Mentions(["ann"]))
    {'text': 'ask ann', 'record': {'#': {'value': '[removed]', 'at': [1]}}}
    """
    if isinstance(value, dict):
        is_payload = "record" in value
        return {
            name: part if is_payload and name != "record" else without(part, mentions) for name, part in value.items()
        }
    if isinstance(value, list):
        return [without(item, mentions) for item in value]
    return mentions.without(value) if isinstance(value, str) else value
