"""Putting decision trees: each PUT makes a version, unless its content means the same as the last version."""

from datetime import datetime
from typing import Any

from django.db import transaction

from audit.changes import changes
from audit.log import Subject, record
from lib.canonical_json import digest
from lib.faults import Conflict, Fault, Invalid, NotFound, UnknownField
from lib.strict_json import unstorable
from lib.trees import tree as trees
from lib.trees.parser import NotATree, read_tree
from lib.trees.shipped import SHIPPED, shipped_tree
from routing.models import Tree, TreeVersion

SYSTEM = "system"
STALE = "Somebody else has saved another version meanwhile. Yours is below, not saved yet."
TAKEN = "There is a tree of this name already. Choose another name."


def tree_named(slug: str) -> TreeVersion:
    """The last version of the tree, its `tree` loaded; 404 if there is none. 1 query."""
    found = TreeVersion.objects.filter(tree__slug=slug).select_related("tree").order_by("-number").first()
    if found is None:
        raise NotFound
    return found


def version_of(tree: Tree, number: int) -> TreeVersion:
    """The version of the tree; 404 if there is none. 1 query."""
    found = tree.versions.select_related("tree").filter(number=number).first()
    if found is None:
        raise NotFound
    return found


def check_tree(content: Any) -> trees.Tree:
    """The tree in parsed JSON.

    Raises:
        Invalid: with a pointer to each fault; `UnknownField` for a field that trees do not have.
    """
    faults = unstorable(content)
    if faults:
        raise Invalid(faults=faults)
    try:
        return read_tree(content)
    except NotATree as error:
        kind = UnknownField if any(fault.is_unknown_field for fault in error.faults) else Invalid
        raise kind(faults=[Fault(fault.pointer, fault.detail) for fault in error.faults]) from None


def put_tree(
    *, slug: str, content: Any, by: str, at: datetime, based_on: int | None = None
) -> tuple[TreeVersion, bool]:
    """Make the tree or a new version of it; returns the version, and whether the tree is new.

    Content with the same meaning as the last version writes nothing, and returns that version.

    Args:
        content: Title, start and nodes, as CONTRACT section 6 has them.
        by: The actor in the audit log.
        based_on: The number of the version that the writer began with, 0 for a tree that is to be new; None: not
            checked.

    Raises:
        Invalid: with a pointer to each fault.
        Conflict: another version was put meanwhile.
    """
    meaning = digest(check_tree(content).as_json())
    with transaction.atomic():
        tree, is_new = Tree.objects.select_for_update().get_or_create(slug=slug, defaults={"created_at": at})
        last = tree.versions.order_by("-number").first()
        if last is not None and last.digest == meaning:
            return last, False
        if based_on is not None and based_on != (last.number if last else 0):
            raise Conflict(TAKEN if based_on == 0 else STALE)
        version = TreeVersion.objects.create(
            tree=tree,
            number=1 if last is None else last.number + 1,
            content=content,
            digest=meaning,
            by=by,
            created_at=at,
        )
        verb = "tree.created" if is_new else "tree.changed"
        numbers = changes({"version": last.number} if last else {}, {"version": version.number})
        record(verb=verb, actor=by, subject=Subject("tree", slug), at=at, **numbers)
    return version, is_new


def make_first(*, at: datetime) -> None:
    """Put the trees that every server ships with; trees that a person has changed stay as they are."""
    changed = set(TreeVersion.objects.newest().exclude(by=SYSTEM).values_list("tree__slug", flat=True))
    for slug in SHIPPED:
        if slug not in changed:
            put_tree(slug=slug, content=shipped_tree(slug), by=SYSTEM, at=at)
