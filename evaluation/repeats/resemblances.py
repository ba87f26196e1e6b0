"""Notes which continuations of one agent at one wording are the same, or look the same, when each becomes ready.

Identical are two with equal bytes of video or equal bytes of trajectory. Nearly identical are two that last equally
long, and whose pictures look the same from the takeover to the end, by their perceptual hashes.
"""

from typing import Any

from django.db.models import Count, Min, Model, Q

from evaluation.models import Episode, Film, Resemblance
from lib.video.alike import look_alike

MOST_COMPARED = 100
"""The continuations before it with which the pictures of a new one are compared."""
SAME_LENGTH_S = 0.25
_BATCH = 2000


def note_resemblances(episode: Episode, film: Film) -> None:
    """Note what this episode, which has just become ready, resembles. References are not compared.

    Call it after the tally was changed, in that transaction: the tally's row is locked then, so two continuations that
    become ready together are compared too. Costs: 2 queries, 1 more where it resembles any.
    """
    if episode.reference is not None:
        return
    siblings = _compared(Episode).filter(
        agent=episode.agent_id, scenario=episode.scenario_id, revision=episode.revision_id
    )
    siblings = siblings.exclude(pk=episode.pk)
    first = siblings.aggregate(
        video=Min("pk", filter=_equal("source_sha256", episode.source_sha256)),
        trajectory=Min("pk", filter=_equal("trajectory_sha256", episode.trajectory_sha256)),
    )
    kinds = {earlier: Resemblance.Kind.IDENTICAL for earlier in first.values() if earlier is not None}
    lasts_s = film.duration_s - episode.takeover_s
    # One that is identical is linked through the first of them.
    others = siblings.exclude(_equal("source_sha256", episode.source_sha256))
    others = others.exclude(_equal("trajectory_sha256", episode.trajectory_sha256))
    columns = ("pk", "takeover_s", "film__duration_s", "film__picture_hash")
    for pk, takeover_s, duration_s, pictures in others.order_by("-pk").values_list(*columns)[:MOST_COMPARED]:
        is_as_long = abs(duration_s - takeover_s - lasts_s) <= SAME_LENGTH_S
        if is_as_long and look_alike(pictures, film.picture_hash):
            kinds.setdefault(pk, Resemblance.Kind.NEAR)
    if kinds:
        Resemblance.objects.bulk_create(
            [Resemblance(later=episode, earlier_id=earlier, kind=kind) for earlier, kind in kinds.items()]
        )


def hand_on(episode: Episode) -> None:
    """Link those that are identical to this episode, which is about to be deleted, to each other. 3 queries at most."""
    identical = Resemblance.Kind.IDENTICAL
    links = Q(resembles__earlier=episode, resembles__kind=identical)
    links |= Q(resembled_by__later=episode, resembled_by__kind=identical)
    linked = sorted(set(Episode.objects.filter(links).values_list("pk", "source_sha256", "trajectory_sha256")))
    for column, sha256 in ((1, episode.source_sha256), (2, episode.trajectory_sha256)):
        same = [row[0] for row in linked if sha256 and row[column] == sha256]
        Resemblance.objects.bulk_create(
            [Resemblance(later_id=pk, earlier_id=same[0], kind=identical) for pk in same[1:]],
            update_conflicts=True,
            update_fields=["kind"],
            unique_fields=["later", "earlier"],
        )


def _compared(episodes: type[Model]) -> Any:
    """Archived ones too: they may be put back."""
    return episodes._default_manager.filter(status=Episode.Status.READY, reference__isnull=True)


def _equal(column: str, sha256: str) -> Q:
    return Q(**{column: sha256}) & ~Q(**{column: ""})


def note_earlier(episodes: type[Model], resemblances: type[Model]) -> None:
    """Note the episodes with equal bytes of video that became ready before this was kept, for a migration. Running it
    again changes nothing.

    Costs: 1 query of all ready episodes, 1 for each group of equal ones.
    """
    names = ("agent_id", "revision_id", "source_sha256")
    groups = _compared(episodes).order_by().values(*names).annotate(n=Count("pk"), first=Min("pk")).filter(n__gt=1)
    for group in groups.iterator(chunk_size=_BATCH):
        same = _compared(episodes).filter(**{name: group[name] for name in names}).exclude(pk=group["first"])
        resemblances._default_manager.bulk_create(
            [
                resemblances(later_id=pk, earlier_id=group["first"], kind="identical")
                for pk in same.values_list("pk", flat=True)
            ],
            ignore_conflicts=True,
        )
