"""Opening, filling and closing tranches, and what belongs to each.

Tranche 0 is posted. An item belongs to the first later tranche in whose time its truth became known. So an annotation
that comes after a tranche was closed enters the next one, in the split that its item has for ever. If the truth of an
item changes after its tranche was closed, the item stands in the next one again with the new truth, and trainings of
the earlier tranches keep the old one.

Locks: whoever writes a tranche or its items locks the tranche's row first.
"""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple, TypedDict

from django.db import transaction
from django.utils import timezone

from annotation.models import Project
from annotation.projects.projects import project_named
from audit.changes import changes
from audit.log import Subject, record
from common.data.put_row import replace_content
from events.log import Happened, note
from jobs.outbox import LeaseGone, Running, enqueue
from learning.data.kinds import Kind, Known, kind_of
from learning.models import Item, Tranche
from lib.canonical_json import plain_json
from lib.faults import Conflict, CrosswalkError, Fault, Invalid, NotFound, moved
from lib.splits import SPLITS

logger = logging.getLogger(__name__)
MOST_AT_ONCE = 1000
"""The most items of one call."""
CLOSE = "learning.close"
"""The kind of job that closes a tranche by its date or count."""
BY_RULE = "rule:tranche"
"""The actor of the audit log where a tranche closes by itself."""
_BATCH = 500


class TrancheBody(TypedDict):
    """The fields of a tranche that a `PUT` sets."""

    project: str
    opens_at: datetime | None
    closes_at: datetime | None
    close_after: int | None


class Filled(NamedTuple):
    """How many items were made, and how many were there already with the same truth."""

    created: int
    unchanged: int


def tranche_named(module: str, number: int) -> Tranche:
    """The tranche, with its project. 1 query.

    Raises:
        NotFound: there is none.
    """
    found = Tranche.objects.select_related("project").filter(module=module, number=number).first()
    if found is None:
        raise NotFound
    return found


# Opening ---------------------------------------------------------------------------------------------------------


def put_tranche(*, module: str, number: int, body: TrancheBody, by: str, at: datetime) -> tuple[Tranche, bool]:
    """Open a tranche, or change when it closes; True if it is new. Equal content changes nothing.

    Raises:
        Invalid: the project has no items of this module, or the tranche is the one that is posted.
        Conflict: the tranche is closed and has other content.
    """
    kind = kind_of(module)
    if number == 0:
        raise Invalid("Tranche 0 is posted: send its items to `items/`.")
    project = _project_for(kind, body["project"])
    content = {"project": project, **{name: body[name] for name in ("opens_at", "closes_at", "close_after")}}
    opens_at, closes_at = body["opens_at"], body["closes_at"]
    if opens_at is not None and closes_at is not None and closes_at <= opens_at:
        raise Invalid.at("#/closes_at", "It closes later than it opens.")
    with transaction.atomic():
        tranche = Tranche.objects.select_for_update().filter(module=module, number=number).first()
        is_new = tranche is None
        if tranche is None:
            tranche = Tranche.objects.create(module=module, number=number, created_at=at, **content)
            record(verb="tranche.opened", actor=by, subject=subject_of(tranche), at=at, project=project.slug)
            return tranche, is_new
        before = _shown(tranche)
        if tranche.status == Tranche.Status.CLOSED and any(getattr(tranche, name) != content[name] for name in content):
            raise Conflict("This tranche is closed: it is what trainings were made of. Open the next one.")
        if replace_content(tranche, content):
            differing = changes(before, _shown(tranche))
            record(
                verb="tranche.changed", actor=by, subject=subject_of(tranche), at=at, project=project.slug, **differing
            )
    return tranche, is_new


def _project_for(kind: Kind, slug: str) -> Project:
    try:
        project = project_named(slug)
    except NotFound:
        raise Invalid.at("#/project", f"There is no project {slug!r}.") from None
    kind.known_in(project, since=None)
    return project


def _shown(tranche: Tranche) -> dict[str, Any]:
    def text(at: datetime | None) -> str | None:
        return None if at is None else at.isoformat()

    return {
        "project": tranche.project_id,
        "opens_at": text(tranche.opens_at),
        "closes_at": text(tranche.closes_at),
        "close_after": tranche.close_after,
    }


def subject_of(tranche: Tranche) -> Subject:
    return Subject("tranche", str(tranche))


# Filling tranche 0 -------------------------------------------------------------------------------------------------


def fill(*, module: str, items: Sequence[Mapping[str, Any]], by: str, at: datetime) -> Filled:
    """Put posted items into tranche 0, all or none. A repeat changes nothing.

    Costs: 7 queries.

    Raises:
        Invalid: some are no items of this module.
        Conflict: some are there with another truth, or twice here, or the tranche is closed.
    """
    kind = kind_of(module)
    given, truths = _read_all(kind, items)
    with transaction.atomic():
        kept = kind.keep(given, at=at)
        tranche, is_new = Tranche.objects.select_for_update().get_or_create(
            module=module, number=0, defaults={"created_at": at}
        )
        names = [kind.item(one) for one in kept]
        known = dict(Item.objects.filter(tranche=tranche, item__in=set(names)).values_list("item", "truth"))
        fresh: dict[str, Item] = {}
        faults = []
        for number, (name, one, truth) in enumerate(zip(names, kept, truths, strict=True)):
            before = known.get(name, fresh[name].truth if name in fresh else None)
            if before is None:
                part = kind.split(one)
                origin = Item.Origin.POSTED
                fresh[name] = Item(tranche=tranche, item=name, split=part, given=one, truth=truth, origin=origin)
            elif not kind.is_same(before, truth):
                faults.append(Fault(f"#/items/{number}", "This item is there with another truth."))
        if faults:
            raise Conflict("Some items are there with another truth; nothing was kept.", faults=faults)
        if fresh and tranche.status == Tranche.Status.CLOSED:
            raise Conflict("Tranche 0 is closed: models have learnt from it. New data belongs to the next tranche.")
        Item.objects.bulk_create(fresh.values(), batch_size=_BATCH)
        for name, count in Counter(item.split for item in fresh.values()).items():
            setattr(tranche, name, getattr(tranche, name) + count)
        tranche.save(update_fields=[*SPLITS])
        if fresh:
            record(verb="tranche.filled", actor=by, subject=subject_of(tranche), at=at, items=len(fresh), is_new=is_new)
    return Filled(len(fresh), len(names) - len(fresh))


def _read_all(kind: Kind, items: Sequence[Mapping[str, Any]]) -> tuple[list[dict[str, Any]], list[Any]]:
    given, truths, faults = [], [], []
    for number, body in enumerate(items):
        try:
            one, truth = kind.read(body, pointer="#")
        except Invalid as error:
            faults += moved(error.faults, f"#/items/{number}")
            continue
        given.append(one)
        truths.append(truth)
    if faults:
        raise Invalid(faults=faults)
    return given, truths


# What belongs to a tranche -----------------------------------------------------------------------------------------


def collected(tranche: Tranche) -> Iterator[tuple[str, str, Known]]:
    """The id, the split and the content of each item of an open tranche, as it is now; later a project's items first
    to last. Items of `test` whose truth is not sure enough are left out.

    Costs: some 6 queries for each hundred commands or phrases of its project.
    """
    kind, taken = kind_of(tranche.module), _taken_before(tranche)
    assert tranche.project is not None  # noqa: S101 - only tranche 0 has none, and a constraint says so
    for known in kind.known_in(tranche.project, since=tranche.opens_at):
        if tranche.closes_at is not None and known.known_at >= tranche.closes_at:
            continue
        name, split = kind.item(known.given), kind.split(known.given)
        if split == "test" and not known.may_test:
            continue
        if name in taken and (taken[name] is None or kind.is_same(taken[name], known.truth)):
            continue
        # Once for each item: of equal words the first task counts.
        taken[name] = None
        yield name, split, known


def _taken_before(tranche: Tranche) -> dict[str, Any]:
    """The truths of the items of other tranches; None: another open tranche gets the item, whatever its truth."""
    taken: dict[str, Any] = {}
    others = Tranche.objects.filter(module=tranche.module).exclude(pk=tranche.pk)
    closed = Item.objects.filter(tranche__in=others).usable().order_by("tranche__number")
    taken.update(closed.values_list("item", "truth").iterator(chunk_size=2000))
    for other in others.open().collected().filter(number__lt=tranche.number).select_related("project"):
        taken.update((name, None) for name, _, _ in collected(other))
    return taken


def counts_of(tranche: Tranche) -> dict[str, int]:
    """How many items each split has, computed anew for an open tranche that collects."""
    if tranche.status == Tranche.Status.CLOSED or tranche.number == 0:
        return {split: getattr(tranche, split) for split in SPLITS}
    found = Counter(split for _, split, _ in collected(tranche))
    return {split: found[split] for split in SPLITS}


# Closing -----------------------------------------------------------------------------------------------------------


def close_tranche(*, tranche: Tranche, by: str, at: datetime) -> Tranche:
    """Close the tranche: its items are kept as they are now. Closing it again changes nothing.

    Raises:
        Conflict: an earlier tranche of the module is open, which would take some of its items; or it has no items.
    """
    with transaction.atomic():
        tranche = Tranche.objects.select_for_update(of=("self",)).select_related("project").get(pk=tranche.pk)
        if tranche.status == Tranche.Status.CLOSED:
            return tranche
        earlier = Tranche.objects.filter(module=tranche.module, number__lt=tranche.number).collected().open().first()
        if earlier is not None:
            raise Conflict(f"Close tranche {earlier.number} first: it takes what became known in its time.")
        if tranche.number > 0:
            _keep(tranche, collected(tranche))
        counts = _kept_counts(tranche)
        if not any(counts.values()):
            raise Conflict("This tranche has no items, so there is nothing to keep.")
        for split in SPLITS:
            setattr(tranche, split, counts[split])
        tranche.status, tranche.closed_at, tranche.sha256 = Tranche.Status.CLOSED, at, digest_of(tranche)
        tranche.save(update_fields=["status", "closed_at", "sha256", *SPLITS])
        project = tranche.project.slug if tranche.project else ""
        facts: dict[str, Any] = {**counts, "sha256": tranche.sha256}
        record(verb="tranche.closed", actor=by, subject=subject_of(tranche), at=at, project=project, **facts)
        data = {"module": tranche.module, "n": tranche.number, **facts}
        note(Happened("tranche.closed", str(tranche), data, project=project), at=at)
    return tranche


def _kept_counts(tranche: Tranche) -> dict[str, int]:
    return {split: tranche.items.of(split).count() for split in SPLITS}


def _keep(tranche: Tranche, found: Iterator[tuple[str, str, Known]]) -> None:
    while batch := list(islice(found, _BATCH)):
        rows = Item.objects.bulk_create(
            Item(
                tranche=tranche,
                item=name,
                split=split,
                given=known.given,
                truth=known.truth,
                origin=known.origin,
                task_id=known.task,
            )
            for name, split, known in batch
        )
        answers, authors = Item.annotations.through, Item.authors.through
        pairs = list(zip(rows, (known for _, _, known in batch), strict=True))
        answers.objects.bulk_create(
            (answers(item_id=row.pk, annotation_id=pk) for row, known in pairs for pk in known.annotations),
            batch_size=5000,
        )
        authors.objects.bulk_create(
            (authors(item_id=row.pk, worker_id=pk) for row, known in pairs for pk in known.authors), batch_size=5000
        )


def digest_of(tranche: Tranche) -> str:
    """SHA-256 over the kept items, in the order of their ids: for each a line of id, split and truth."""
    found = sha256()
    for name, split, truth in tranche.items.order_by("item").values_list("item", "split", "truth").iterator():
        found.update(f"{name} {split} {plain_json(truth)}\n".encode())
    return found.hexdigest()


# Closing by date and count -----------------------------------------------------------------------------------------


def ask_for_closing(at: datetime) -> None:
    """Have the open tranches looked at that close by date or count; each minute. 1 query where there is none."""
    rows = Tranche.objects.open().collected().order_by("module", "number")
    for pk, closes_at, close_after in rows.values_list("pk", "closes_at", "close_after"):
        if close_after is not None or (closes_at is not None and closes_at <= at):
            enqueue(CLOSE, str(pk), unique_key=f"{CLOSE}@{pk}", max_attempts=1)


def close_if_due(running: Running) -> None:
    """Job handler: close the tranche of the subject if its time has come or it has its count."""
    tranche = Tranche.objects.select_related("project").filter(pk=int(running.subject)).open().first()
    if tranche is None:
        return
    at = timezone.now()
    is_over = tranche.closes_at is not None and tranche.closes_at <= at
    is_full = tranche.close_after is not None and sum(counts_of(tranche).values()) >= tranche.close_after
    if not (is_over or is_full):
        return
    try:
        close_tranche(tranche=tranche, by=BY_RULE, at=at)
    except LeaseGone:
        raise
    except CrosswalkError as reason:
        # An earlier tranche is open, or nothing came: it closes as soon as that changes.
        logger.info("tranche.not_closed", extra={"tranche": str(tranche), "reason": reason.detail})
