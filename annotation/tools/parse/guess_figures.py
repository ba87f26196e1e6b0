"""Do guesses pull workers along? Accuracy on references and agreement, with a guess in view and without."""

from collections import defaultdict
from itertools import combinations
from typing import NamedTuple

from django.db.models import Avg, Count

from annotation.models import Annotation, Chain, Project
from lib.canonical_json import canonical
from lib.logical_form.asking.walk import walk
from lib.logical_form.normal import normal

LOOKED_AT = 400
"""The latest finished ways that are compared with others through the same command."""


class Kind(NamedTuple):
    """The figures of one kind; rates are 0..1, None where there is nothing to tell.

    Attributes:
        with_guess: The workers began with a guess in view.
        commands: Ways through ordinary commands that were finished.
        answers: Scored answers on references.
        accuracy: The mean score of these.
        forms: References whose form a worker declared right at the end.
        right: The share of these forms that are right.
        pairs: Pairs of workers with the same command, of whom at least one began in this way.
        agreement: The share of these pairs with the same form.
    """

    with_guess: bool
    commands: int
    answers: int
    accuracy: float | None
    forms: int
    right: float | None
    pairs: int
    agreement: float | None


def kinds_of(project: Project) -> list[Kind]:
    """The figures with a guess, then without. 4 queries."""
    done = Chain.objects.filter(task__project=project, task__is_reference=False, worker__isnull=False, status="done")
    commands = dict(done.order_by().values_list("with_guess").annotate(Count("pk")))
    scored = Annotation.objects.filter(project=project).scored().on_references().order_by()
    answers = {
        kind: (n, mean) for kind, n, mean in scored.values_list("with_guess").annotate(Count("pk"), Avg("score"))
    }
    ends = (scored.filter(answer__answers__right=True) | scored.filter(answer__accept=True)).values_list("with_guess")
    forms = {kind: (n, mean) for kind, n, mean in ends.annotate(Count("pk"), Avg("score"))}
    pairs = _pairs(list(done.order_by("-moved_at").values_list("task", "with_guess", "record")[:LOOKED_AT]))
    return [
        Kind(
            kind,
            commands.get(kind, 0),
            *answers.get(kind, (0, None)),
            *forms.get(kind, (0, None)),
            len(pairs[kind]),
            sum(pairs[kind]) / len(pairs[kind]) if pairs[kind] else None,
        )
        for kind in (True, False)
    ]


def _pairs(ways: list[tuple[int, bool, dict[str, dict[str, object]]]]) -> dict[bool, list[bool]]:
    """For each kind, whether the two workers of each pair with the same command came to the same form."""
    by_task = defaultdict(list)
    for task, with_guess, record in ways:
        by_task[task].append((with_guess, record))
    found: dict[bool, list[bool]] = {True: [], False: []}
    for of_task in by_task.values():
        if len(of_task) > 1:
            read = [(kind, canonical(normal(walk(record).form))) for kind, record in of_task]
            for (one, form), (other, its_form) in combinations(read, 2):
                for kind in {one, other}:
                    found[kind].append(form == its_form)
    return found
