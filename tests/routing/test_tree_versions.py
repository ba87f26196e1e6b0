"""Keeping trees: a version for each change, none for none, written once; the first ones of a new server."""

from copy import deepcopy
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from audit.models import AuditEvent
from lib.faults import Conflict, Invalid, NotFound, UnknownField
from lib.trees.engine import Question, now
from lib.trees.shipped import DEFAULT, SHIPPED, shipped_tree
from routing.models import Tree, TreeVersion
from routing.tree_versions import make_first, put_tree, tree_named, version_of
from tests.support.builders import NOON
from tests.support.trees import SEEN, SMALL

pytestmark = pytest.mark.django_db
OTHER = {**SMALL, "title": "Other"}


def _put(content: Any, by: str = "key:pipe") -> tuple[TreeVersion, bool]:
    return put_tree(slug="small", content=content, by=by, at=NOON)


def _acts() -> list[tuple[str, str, Any]]:
    events = AuditEvent.objects.filter(subject_kind="tree").order_by("pk")
    return [(event.verb, event.actor, event.detail) for event in events]


def test_a_change_makes_the_next_version_and_is_noted() -> None:
    first, is_new = _put(SMALL)
    assert (first.number, is_new, first.by) == (1, True, "key:pipe")
    second, is_new = _put(OTHER, by="key:other")
    assert (second.number, is_new) == (2, False)
    assert tree_named("small") == second
    assert _acts() == [
        ("tree.created", "key:pipe", {"before": {}, "after": {"version": 1}}),
        ("tree.changed", "key:other", {"before": {"version": 1}, "after": {"version": 2}}),
    ]
    assert _put(SMALL)[0].number == 3, "the content of an earlier version is a new version"


def test_equal_content_keeps_its_version() -> None:
    first, _ = _put(SMALL)
    spelled = deepcopy(SMALL)
    spelled["nodes"] = dict(reversed(spelled["nodes"].items()))
    spelled["nodes"]["why"]["help"] = ""
    for content in (SMALL, spelled):
        assert _put(content) == (first, False)
    assert len(_acts()) == 1


def test_a_write_based_on_an_earlier_version_is_a_conflict() -> None:
    _put(SMALL)
    _put(OTHER, by="key:other")
    third = {**SMALL, "title": "Third"}
    for begun in (0, 1, 3):
        with pytest.raises(Conflict):
            put_tree(slug="small", content=third, by="key:pipe", at=NOON, based_on=begun)
    second = tree_named("small")
    assert put_tree(slug="small", content=OTHER, by="key:pipe", at=NOON, based_on=1) == (second, False), "the same"
    assert (second.number, tree_named("small")) == (2, second)
    assert put_tree(slug="small", content=third, by="key:pipe", at=NOON, based_on=2)[0].number == 3


def test_a_tree_that_is_to_be_new_takes_no_name_that_is_there() -> None:
    with pytest.raises(Conflict):
        put_tree(slug="small", content=SMALL, by="key:pipe", at=NOON, based_on=1)
    assert not Tree.objects.exists()
    assert put_tree(slug="small", content=SMALL, by="key:pipe", at=NOON, based_on=0)[1]
    with pytest.raises(Conflict):
        put_tree(slug="small", content=OTHER, by="key:pipe", at=NOON, based_on=0)


def test_a_version_is_found_by_its_number_within_its_tree() -> None:
    first, _ = _put(SMALL)
    _put(OTHER)
    put_tree(slug="other", content=SMALL, by="key:pipe", at=NOON)
    assert version_of(first.tree, 1) == first
    for number in (0, 3):
        with pytest.raises(NotFound):
            version_of(first.tree, number)


def test_true_and_one_are_different_content() -> None:
    for number, value in enumerate((1, True), start=1):
        content = deepcopy(SMALL)
        content["nodes"]["seen"]["when"] = {"path": "parse.sure", "op": "eq", "value": value}
        assert _put(content)[0].number == number


def test_an_old_version_still_walks_its_paths() -> None:
    old, _ = _put(SMALL)
    path = [{"node": "done", "choice": 1}, {"node": "seen", "choice": 0}]
    _put({**SMALL, "start": "why", "nodes": {"why": SMALL["nodes"]["why"]}})
    kept = TreeVersion.objects.get(pk=old.pk)
    step = now(kept.read(), SEEN, path)  # type: ignore[arg-type]  # JSON, as it is stored
    assert isinstance(step, Question)
    assert step.node.name == "why"


def test_a_version_is_written_once() -> None:
    version, _ = _put(SMALL)
    with pytest.raises(DatabaseError), transaction.atomic():
        TreeVersion.objects.filter(pk=version.pk).update(by="somebody")
    version.content = OTHER
    with pytest.raises(DatabaseError), transaction.atomic():
        version.save()


def test_a_bad_tree_leaves_nothing_behind() -> None:
    with pytest.raises(Invalid):
        _put({**SMALL, "title": ""})
    with pytest.raises(UnknownField):
        _put({**SMALL, "colour": "red"})
    with pytest.raises(Invalid) as error:
        _put({**SMALL, "title": "NUL \0"})
    assert [fault.pointer for fault in error.value.faults] == ["#/title"]
    assert not Tree.objects.exists()
    with pytest.raises(NotFound):
        tree_named("small")


def test_a_new_server_has_the_first_trees_and_a_restart_changes_nothing() -> None:
    for _ in range(2):
        make_first(at=NOON)
    for slug in SHIPPED:
        assert (tree_named(slug).number, tree_named(slug).content) == (1, shipped_tree(slug))
    assert {event.actor for event in AuditEvent.objects.filter(subject_kind="tree")} == {"system"}


@pytest.mark.parametrize(("by", "number"), [("key:pipe", 1), ("system", 2)])
def test_a_restart_changes_a_tree_only_where_no_person_has_put_it(by: str, number: int) -> None:
    put_tree(slug=DEFAULT, content=OTHER, by=by, at=NOON)
    make_first(at=NOON)
    found = tree_named(DEFAULT)
    assert (found.number, found.content) == (number, OTHER if number == 1 else shipped_tree(DEFAULT))
