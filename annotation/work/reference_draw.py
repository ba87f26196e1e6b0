"""Draws: which reference a worker gets, where one comes."""

from collections.abc import Callable

from django.db.models import OuterRef, Q

from annotation.models import Assignment, Enrolment, Task
from annotation.tool_registry import Parts, tool_named

DRAWN_FROM = 32
"""How many references of a class a draw looks at; projects seldom have more."""
EVEN = 0.5


def fresh_reference(enrolment: Enrolment, *, chance: Callable[[], float]) -> Task | None:
    """A reference that this worker never held, nor the task that it was made of; None when none is fresh.

    A fair coin says whether its truth is yes or no, so that both are met about equally whatever there is more of; where
    none of that class is fresh the other class comes, then one without a class. At most 6 queries, seldom more than 2.
    """
    first = chance() < EVEN
    for truth_class in (first, not first, None):
        found = _draw(enrolment, truth_class, chance=chance)
        if found is not None:
            return found
    return None


def _draw(enrolment: Enrolment, truth_class: bool | None, *, chance: Callable[[], float]) -> Task | None:
    """One of the fresh references of a class, each about as likely.

    From a random place on their index on, `DRAWN_FROM` are read, and one of these is drawn. Where there are no more of
    the class each is exactly as likely. Among many, one that follows a wide gap is likelier than others, but so are the
    31 after it: chances differ by 18 % (a standard deviation; 100 % if the first were taken).

    Costs: 2 queries at most; index rows in proportion to what is read, and to what the worker has met of the class.
    """
    # Not `truth_class=False`: that is NOT truth_class, which SQLite finds in no index, so it sorts all references anew.
    of_class = Q(truth_class=None) if truth_class is None else Q(truth_class__in=[truth_class])
    references = Task.objects.references().filter(
        of_class, project_id=enrolment.project_id, open=True, reserved_for=None
    )
    held = Assignment.objects.filter(worker_id=enrolment.worker_id)
    fresh = references.without(held).without(held, of="promoted_from").order_by("shuffle")
    if isinstance(tool_named(enrolment.project.tool), Parts):
        # The steps of a command are asked from the first on: an earlier one after a later one would tell.
        later = held.filter(Q(task__gt=OuterRef("pk")) | Q(task__retired_at__isnull=False))
        fresh = fresh.without(later, of="part_of", by="task__part_of")
        fresh = fresh.without(held, of="part_of__promoted_from", by="task__part_of")
    place = chance()
    found = list(fresh.filter(shuffle__gte=place)[:DRAWN_FROM])
    if len(found) < DRAWN_FROM:
        found += fresh.filter(shuffle__lt=place)[: DRAWN_FROM - len(found)]
    return found[int(chance() * len(found))] if found else None
