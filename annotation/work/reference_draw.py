"""The draw of a reference: choosing which one a worker gets."""

from collections.abc import Callable

from django.db.models import OuterRef, Q

from annotation.models import Assignment, Enrolment, Task
from annotation.tool_registry import Parts, tool_named

DRAWN_FROM = 32
"""The number of references of a class that a draw reads; projects seldom have more."""
EVEN = 0.5


def fresh_reference(enrolment: Enrolment, *, chance: Callable[[], float]) -> Task | None:
    """A reference that this worker never held, and whose original task the worker never held; None if there is none.

    A fair coin chooses between references whose truth is yes and no, so workers meet both about equally, whatever the
    project has more of. If none of that class is fresh, the other class is tried, then references without a class. At
    most 6 queries, seldom more than 2.
    """
    first = chance() < EVEN
    for truth_class in (first, not first, None):
        found = _draw(enrolment, truth_class, chance=chance)
        if found is not None:
            return found
    return None


def _draw(enrolment: Enrolment, truth_class: bool | None, *, chance: Callable[[], float]) -> Task | None:
    """One of the worker's fresh references of a class, each about as likely.

    The draw reads `DRAWN_FROM` references from a random place of their index on, and chooses one of these. If the class
    has no more than that, each is exactly as likely. In a larger class a reference after a wide gap of the index is
    likelier than others, but so are the 31 after it: chances differ by 18 % (a standard deviation; 100 % if the first
    one were taken).

    Costs: 2 queries at most; index rows in proportion to the rows read, and to the references of the class that the
    worker has met.
    """
    # Not `truth_class=False`: that is NOT truth_class, which SQLite finds in no index, so it sorts all references.
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
