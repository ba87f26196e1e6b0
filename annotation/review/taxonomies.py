"""The two taxonomies, of human errors and of agent failures: their first categories, and changes to them."""

import re
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Max

from annotation.models import Category
from audit.changes import changes
from audit.log import Subject, record
from lib.faults import Conflict, Invalid

Taxonomy = Category.Taxonomy
PLAYER, ANNOTATOR = "player", "annotator"


class First(NamedTuple):
    """A category that every installation begins with."""

    code: str
    label: str
    description: str
    group: str = ""


# Kinds of errors, and which of the two people made them: paper 000, table 1.
HUMAN_ERRORS = (
    First("imprecise", "Imprecise", "The right thing, but carelessly: turned half way, dropped, knocked over.", PLAYER),
    First("out_of_time", "Out of time", "The attempt was good and would have succeeded a little later.", PLAYER),
    First("empty", "Empty", "Nothing was tried.", PLAYER),
    First("control_issues", "Control issues", "The person could not move or act as they wanted to.", PLAYER),
    First("annotation_mistake", "Annotation mistake", "The answer is plainly not what the video shows.", ANNOTATOR),
    First("rigidity", "Rigidity", "It was done, but refused over a detail that nobody asked for.", ANNOTATOR),
    First("ambiguity", "Ambiguity", "The words or the scene allow both answers: which red, how many.", ANNOTATOR),
)
AGENT_FAILURES = (
    First("did_nothing", "Did nothing", "It stood still, or wandered without doing anything about it."),
    First("wrong_object", "Wrong object", "It did the right thing with something else."),
    First("wrong_place", "Wrong place", "It took the right thing to somewhere else."),
    First("wrong_action", "Wrong action", "It did something else with the right thing."),
    First("stopped_early", "Stopped early", "It began well and gave up before the end."),
    First("undid_it", "Undid it", "It succeeded, and then spoilt what it had done before it counted."),
    First("too_slow", "Too slow", "It was on its way when the time was up."),
    First("misunderstood", "Misunderstood the words", "What it did answers another instruction."),
    First("physical", "Failed physically", "It tried the right thing, and fell, slipped, got stuck or missed."),
    First("wrong_words", "Said something wrong", "It answered a question with a wrong or empty answer."),
)


def make_first() -> None:
    """Create the first categories of both taxonomies if there is no category at all; a repeat changes nothing."""
    if Category.objects.exists():
        return
    Category.objects.bulk_create(
        [
            Category(taxonomy=taxonomy, position=place, **first._asdict())
            for taxonomy, entries in ((Taxonomy.HUMAN_ERROR, HUMAN_ERRORS), (Taxonomy.AGENT_FAILURE, AGENT_FAILURES))
            for place, first in enumerate(entries)
        ],
        # Two processes may start at once.
        ignore_conflicts=True,
    )


def add(*, taxonomy: str, label: str, description: str, group: str, by: User, at: datetime) -> Category:
    """Add a category at the end of its taxonomy. Its code is made from the label and never changes.

    Raises:
        Invalid: there is no such taxonomy, or no label.
        Conflict: a category with this code exists, perhaps retired.
    """
    if taxonomy not in Taxonomy.values:
        raise Invalid.at("#/taxonomy", "There is no such taxonomy.")
    words = _words(label, description, group)
    code = re.sub(r"[^a-z0-9]+", "_", words["label"].lower()).strip("_")[:63]
    if not code:
        raise Invalid.at("#/label", "Use at least one letter or digit from a to z and 0 to 9.")
    last = Category.objects.filter(taxonomy=taxonomy).aggregate(last=Max("position"))["last"]
    try:
        with transaction.atomic():
            made = Category.objects.create(
                taxonomy=taxonomy, code=code, position=0 if last is None else last + 1, **words
            )
            _audit("category.added", made, by=by, at=at, **words)
    except IntegrityError:
        raise Conflict(f"There is a category {code!r} already; if it is retired, bring it back.") from None
    return made


def change(*, category: Category, label: str, description: str, group: str, by: User, at: datetime) -> None:
    """Change the words of a category; its findings stay.

    Raises:
        Invalid: there is no label.
    """
    words = _words(label, description, group)
    before = {name: getattr(category, name) for name in words}
    if before == words:
        return
    with transaction.atomic():
        Category.objects.filter(pk=category.pk).update(**words)
        _audit("category.changed", category, by=by, at=at, **changes(before, words))


def move(*, category: Category, up: bool, by: User, at: datetime) -> None:
    """Move a category one place up or down among those of its taxonomy that are in use."""
    with transaction.atomic():
        rows = list(
            Category.objects.select_for_update()
            .filter(taxonomy=category.taxonomy, retired_at=None)
            .order_by("position", "pk")
        )
        order = [row.pk for row in rows]
        if category.pk not in order:
            return
        place = order.index(category.pk)
        other = place - 1 if up else place + 1
        if not 0 <= other < len(rows):
            return
        rows[place], rows[other] = rows[other], rows[place]
        for number, row in enumerate(rows):
            row.position = number
        Category.objects.bulk_update(rows, ["position"])
        moved = changes({"position": place}, {"position": other})
        _audit("category.moved", category, by=by, at=at, to=other, **moved)


def set_retired(*, category: Category, retired: bool, by: User, at: datetime) -> None:
    """Retire or restore a category; its findings stay. A repeat changes nothing."""
    with transaction.atomic():
        changed = Category.objects.filter(pk=category.pk, retired_at__isnull=retired).update(
            retired_at=at if retired else None
        )
        if changed:
            verb = "category.retired" if retired else "category.restored"
            _audit(verb, category, by=by, at=at, **changes({"retired": not retired}, {"retired": retired}))


def _words(label: str, description: str, group: str) -> dict[str, str]:
    words = {"label": label.strip(), "description": description.strip(), "group": group.strip()}
    if not words["label"]:
        raise Invalid.at("#/label", "Give it a name.")
    for name, most in (("label", 100), ("description", 1000), ("group", 64)):
        if len(words[name]) > most:
            raise Invalid.at(f"#/{name}", f"Use {most} characters at most; these are {len(words[name])}.")
    return words


def _audit(verb: str, category: Category, *, by: User, at: datetime, **detail: Any) -> None:
    record(
        verb=verb,
        actor=f"staff:{by.get_username()}",
        subject=Subject("category", f"{category.taxonomy}/{category.code}"),
        at=at,
        **detail,
    )
