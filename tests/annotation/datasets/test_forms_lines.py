"""The line formats: what is written is read back, and what is wrong is said line by line."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.datasets.forms import agent_agrees
from annotation.datasets.forms_lines import SHAPES, Row, Unreadable, Unwritable, parsed, read_lines, shape_of, written
from lib.logical_form.spans import tokenise
from tests.support.shared_data import DATA

HOUSE = {
    "dialogue_type": "HUMAN_GIVE_COMMAND",
    "event_sequence": [
        {
            "action_type": "BUILD",
            "schematic": {"filters": {"where_clause": {"AND": [{"pred_text": "has_name", "obj_text": [0, [2, 2]]}]}}},
        }
    ],
}
TEXTS = [
    "build a house",
    'build a "house"',
    "build a|house",
    "a | {b} |{ c",
    "x|y|z",
    '{"text": 1}',
    "bau ein 🏠 häuschen",
    "it's an \\ and a \\n",
    "‮קוביה אדומה",
    "line\u2028separator\x85here",
]
STRINGS = ["plain", 'quote " and \\" more', "a|{b", "|{", '|{"x": 1}', "tab\tin it", "line\nend", "🏠", '"}|{"']


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("text", TEXTS)
def test_a_written_row_is_read_back(shape: str, text: str) -> None:
    for string in STRINGS:
        row = Row(text, {"a": [string], string: {}}, id="t-1" if shape in ("ids", "jsonl") else "")
        line = written(row, shape)
        assert not {"\n", "\r"} & set(line)
        assert parsed(line, shape) == row


_text = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('|{}"\\'), min_size=1, max_size=30)
_json = st.recursive(st.booleans() | st.integers() | _text, lambda inner: st.dictionaries(_text, inner, max_size=3))


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(text=_text.filter(str.strip), form=st.dictionaries(_text, _json, max_size=3), shape=st.sampled_from(SHAPES))
def test_any_command_and_form_are_read_back(text: str, form: dict[str, Any], shape: str) -> None:
    row = Row(text.strip(), form, id="t-1" if shape == "ids" else "")
    assert parsed(written(row, shape), shape) == row


@pytest.mark.parametrize("shape", ["pairs", "ids", "tabs"])
def test_white_space_that_ends_fields_becomes_a_space_and_the_words_stay(shape: str) -> None:
    text = "build\ta\r\nhouse"
    found = parsed(written(Row(text, HOUSE, id="t"), shape), shape)
    assert found.text == "build a house"
    assert tokenise(found.text) == tokenise(text)


def test_a_row_without_an_id_is_no_line_with_one() -> None:
    with pytest.raises(Unwritable):
        written(Row("build a house", HOUSE), "ids")


@pytest.mark.parametrize(
    ("lines", "shape"),
    [
        (['{"text": "a", "lf": {}}', '{"text": "b", "form": {}}'], "jsonl"),
        (['{"text": "a", "lf": {}}', '{"text": "b", "form": {', '{"text": "c", "form": {}}'], "jsonl"),
        (["build a house|{}", "dig a hole|{}"], "pairs"),
        (["1|build a house|{}", "2|dig a hole|{}"], "ids"),
        (["1|build a house|{}", "dig a hole|{}"], "pairs"),
        (["build it|now|{}"], "pairs"),
        (["build a house\t{}", "dig a hole\t{}"], "tabs"),
        (['build a|{"b"\t{}'], "tabs"),
        (['{"a": 1}|{}'], "pairs"),
    ],
)
def test_the_shape_is_seen_from_the_lines(lines: list[str], shape: str) -> None:
    assert shape_of(lines) == shape


@pytest.mark.parametrize(
    ("line", "shape", "reason"),
    [
        ("build a house", "pairs", "no form"),
        ("build a house|[]", "pairs", "no form"),
        ("build a house|{", "pairs", "no form"),
        ("build a house|{}", "ids", "no ID"),
        ("build a house|{}", "tabs", "a tab"),
        ("{", "jsonl", "not JSON"),
        ("[]", "jsonl", "JSON object"),
        ('{"text": "a"}', "jsonl", "a form"),
        ('{"text": "a", "lf": {}, "form": {}}', "jsonl", "a form"),
        ('{"text": "a", "lf": {"x": NaN}}', "jsonl", "NaN"),
    ],
)
def test_a_line_of_another_shape_is_refused(line: str, shape: str, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        parsed(line, shape)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"text": " "}, "no words"),
        ({"text": "word " * 301}, "at most 300 words"),
        ({"text": 5}, "are text"),
        ({"id": "no spaces here"}, "An id has"),
        ({"marked": "yes"}, "true, false or null"),
        ({"agent_form": []}, "agent's form"),
        ({"text": "a \x00 b"}, "cannot be kept"),
        ({"form": {"dialogue_type": "SING"}}, "is not one of"),
        ({"form": {**HOUSE, "x" * 2: 1}}, "xx"),
        ({"form": {"dialogue_type": "NOOP", "deep": json.loads("[" * 100 + "]" * 100)}}, "nested"),
        ({"text": "build it"}, "no word 2"),
    ],
)
def test_a_line_that_says_something_wrong_is_refused_with_the_reason(fields: dict[str, Any], reason: str) -> None:
    line = json.dumps({"text": "build a house", "form": HOUSE, **fields})
    (found,) = read_lines(line)
    assert found.row is None
    assert reason in found.faults[0].reason


def test_each_line_is_accepted_repaired_or_refused_under_its_number() -> None:
    old = {"dialogue_type": "HUMAN_GIVE_COMMAND", "action_sequence": HOUSE["event_sequence"]}
    words = json.loads(json.dumps(HOUSE).replace("[0, [2, 2]]", '"house"'))
    lines = ["", *(f"build two houses|{json.dumps(form)}" for form in (HOUSE, old, words)), "nothing"]
    good, renamed, placed, bad = read_lines("\r\n".join(lines))
    assert (good.number, renamed.number, placed.number, bad.number) == (2, 3, 4, 5)
    assert good.row == renamed.row == placed.row == Row("build two houses", HOUSE)
    assert not good.changes
    assert [change.reason for change in renamed.changes] == ["action_sequence is called event_sequence now."]
    assert [change.reason for change in placed.changes] == ["“house” is word 2 of the command."]
    assert bad.row is None
    assert "no form" in bad.faults[0].reason


_NAMES = [
    *("event_sequence", "action_type", "location", "location_type", "terminate_condition", "reference_object"),
    *("filters", "selector", "where_clause", "AND", "OR", "pred_text", "obj_text", "dialogue_type", "condition"),
]
_scraps: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, 1.5, "x", "", [], {}, [0, [1]], [0, ["a", 2]], [0, [[0]]], "AGENT_POS", "BUILD"]
)
_rubbish = st.recursive(
    _scraps, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(_NAMES), inner, max_size=3)
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(form=st.dictionaries(st.sampled_from(_NAMES), _rubbish, max_size=3))
def test_rubbish_is_refused_in_place_and_compared_with_nothing(form: dict[str, Any]) -> None:
    (found,) = read_lines(json.dumps({"text": "build a house", "form": form, "agent_form": form}))
    assert found.row is not None or found.faults
    if found.row is None:
        assert not agent_agrees("build a house", form, [HOUSE])


def test_other_line_ends_stay_in_the_command() -> None:
    (found,) = read_lines(f"build a\u2028house|{json.dumps(HOUSE)}")
    assert found.row is not None
    assert found.row.text == "build a\u2028house"


def test_the_real_pairs_are_read_in_every_shape() -> None:
    path = DATA / "droidlet_lf_pairs.jsonl"
    if not path.exists():
        pytest.skip("the shared data are not here")
    real = [json.loads(line) for line in path.read_text().splitlines()][1:]
    for shape in SHAPES:
        rows = [Row(one["text"], one["lf"], id=str(number)) for number, one in enumerate(real)]
        found = list(read_lines("\n".join(written(row, shape) for row in rows), shape))
        assert len(found) == len(real) == 500
        refused = [one["schema_ok"] for one, line in zip(real, found, strict=True) if line.row is None]
        assert not any(refused)
