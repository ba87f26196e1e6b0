"""Forms taken apart into a skeleton and spans, and put together again."""

import json
from typing import Any

import pytest

from lib.logical_form.normal import normal, same
from lib.nlu.skeletons import kinds_of, put_together, root_of, taken_apart
from tests.support.shared_data import FILE, OURS, real_pairs


def _clause(name: str, *words: int) -> dict[str, Any]:
    return {"pred_text": name, "obj_text": [0, [words[0], words[-1]]]}


def _thing(*clauses: dict[str, Any]) -> dict[str, Any]:
    return {"schematic": {"filters": {"where_clause": {"AND": list(clauses)}}}}


@pytest.mark.parametrize("form", [pair.form for pair in OURS])
def test_a_form_taken_apart_can_be_put_together(form: dict[str, Any]) -> None:
    parts = taken_apart(normal(form))
    assert same(put_together(json.loads(parts.skeleton), parts.spans), form)
    assert len(parts.kinds) == len(parts.spans)


def test_all_real_forms_survive_being_taken_apart() -> None:
    if not FILE.exists():
        pytest.skip("../shared/data/droidlet_lf_pairs.jsonl is not here")
    forms = [normal(pair.form) for pair in real_pairs() if pair.is_valid]
    assert len(forms) > 400
    for form in forms:
        parts = taken_apart(form)
        assert same(put_together(json.loads(parts.skeleton), parts.spans), form)


def test_the_place_of_words_makes_no_other_skeleton() -> None:
    """Unordered lists of a normal form are sorted by their spans: [0,[10,10]] comes before [0,[9,9]]."""
    here = taken_apart(_thing(_clause("has_name", 9), _clause("has_colour", 10)))
    there = taken_apart(_thing(_clause("has_colour", 1), _clause("has_name", 2, 3)))
    assert here.skeleton == there.skeleton
    assert here.kinds == ["schematic/has_colour", "schematic/has_name"]
    assert (here.spans, there.spans) == ([[(10, 10)], [(9, 9)]], [[(1, 1)], [(2, 3)]])


def test_members_of_one_skeleton_stand_in_the_order_of_their_words() -> None:
    parts = taken_apart(_thing(_clause("has_tag", 10), _clause("has_tag", 2)))
    assert parts.spans == [[(2, 2)], [(10, 10)]]


def test_the_kind_of_a_hole_tells_whose_word_it_is() -> None:
    beside = {"location": {"reference_object": _thing(_clause("has_name", 4))["schematic"]}, **_thing()}
    skeleton = json.loads(taken_apart({"event_sequence": [{"action_type": "BUILD", **beside}]}).skeleton)
    assert kinds_of(skeleton) == ["location/reference_object/has_name"]
    assert root_of(skeleton) == "BUILD"
    assert root_of({"dialogue_type": "NOOP"}) == "NOOP"
