"""Keeping decision trees: putting one makes a version, unless it says what the last version says."""

from datetime import datetime
from typing import Any

from django.db import transaction

from audit.log import Subject, record
from common.errors import Conflict, Fault, Invalid, NotFound, UnknownField
from common.strict_json import unstorable
from common.values import digest
from routing.models import Tree, TreeVersion
from routing.trees import tree as trees
from routing.trees.reading import NotATree, read_tree
from routing.trees.shipped import SHIPPED, shipped_tree

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
    """The tree that parsed JSON says.

    Raises:
        Invalid: with a pointer to each fault; `UnknownField` where there is a field that nobody knows.
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
    """Make the tree or a new version of it; the version, and whether the tree is new.

    Content that means what the last version means keeps that version and writes nothing.

    Args:
        content: Title, start and nodes, as CONTRACT section 6 has them.
        by: Who puts it, as the audit log names them.
        based_on: The number of the version that the writer began with, 0 for a tree that is to be new; None: whichever.

    Raises:
        Invalid: with a pointer to each fault.
        Conflict: somebody else has put another version meanwhile.
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
        record(verb=verb, actor=by, subject=Subject("tree", slug), at=at, version=version.number)
    return version, is_new


def make_first(*, at: datetime) -> None:
    """Put the trees that every server begins with; those that a person has put since stay as they are."""
    changed = set(TreeVersion.objects.newest().exclude(by=SYSTEM).values_list("tree__slug", flat=True))
    for slug in SHIPPED:
        if slug not in changed:
            put_tree(slug=slug, content=shipped_tree(slug), by=SYSTEM, at=at)
