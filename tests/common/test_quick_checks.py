"""A quick check passes plain bodies, and nothing that its serializer would refuse or change."""

from typing import Any

import pytest
from rest_framework import serializers

from annotation.tool_registry import all_tools
from annotation.tools.marker.serializers import PayloadSerializer as EpisodePayload
from annotation.tools.parse.serializers import PayloadSerializer as CommandPayload
from annotation.tools.voxels.serializers import AnswerSerializer as Voxels
from annotation.tools.voxels.serializers import PayloadSerializer as ScenePayload
from annotation.work.serializers import TaskBody, TaskReference
from common.quick_checks import QuickListField, QuickSerializer, errors_of_each, quick_check
from common.serializers import ExternalIdField, IntegerField, StrictSerializer, TextField, read
from lib.faults import Invalid
from lib.strict_json import unstorable
from web.api.work import AnswerBody, CorrectionBody, DraftBody, Empty

PLAIN: list[tuple[type[StrictSerializer], dict[str, Any]]] = [
    (TaskBody, {"key": "a-1", "payload": {"any": []}}),
    (TaskBody, {"key": "a", "payload": {}, "priority": -3, "redundancy": None, "reference": None}),
    (TaskBody, {"key": "a", "payload": {}, "redundancy": 1000, "reference": {"answers": [{}], "tolerance_s": 0.5}}),
    (EpisodePayload, {"episode": "e"}),
    (ScenePayload, {"scene": "0" * 64, "phrase": "the rote Tür", "agent_mask": []}),
    (CommandPayload, {"text": "build a house", "marked": True}),
    (CommandPayload, {"text": "build", "context": [{"speaker": "worker", "text": "hi"}], "marked": None}),
    (Voxels, {"voxels": [[1, 2, 3]]}),
    (Voxels, {"absent": True}),
    (AnswerBody, {"answer": {"voxels": [[1, 2, 3]]}, "active_s": 3.5}),
    (AnswerBody, {"answer": {}, "active_s": None}),
    (CorrectionBody, {"answer": {"a": [None]}}),
    (DraftBody, {"draft": {"voxels": []}}),
    (DraftBody, {"draft": None}),
    (Empty, {}),
]
ODD: list[Any] = [
    *(None, True, False, 0, 1, -1, 2.0, 1e6, 0.5, [], [1], [{}], [{}] * 101, [[]], {}, {"a": 1}),
    *("", " ", "a", " a", "a ", "a b", "a/b", "a\n", "\0", "\ud800", "ä", "\x7f", "word " * 10_000, b"a", (1,)),
    *("a" * 128, "a" * 129, "a" * 201, "0" * 64, "0" * 63),
    *({"answers": []}, {"answers": [{}]}, {"answers": [1]}, {"answers": [{}], "b": 1}),
    *({"answers": [{}], "tolerance_s": 2}, [{"speaker": "nobody", "text": "a"}], [{"speaker": "worker"}]),
]  # fmt: skip


@pytest.mark.parametrize(("serializer", "value"), PLAIN)
def test_what_pipelines_mostly_post_is_passed(serializer: type[StrictSerializer], value: dict[str, Any]) -> None:
    assert quick_check(serializer)(value)
    assert read(serializer, value).items() >= value.items()


@pytest.mark.parametrize(
    "serializer",
    [
        *(TaskBody, TaskReference, Voxels, AnswerBody, CorrectionBody, DraftBody, Empty),
        *(tool.payload for tool in all_tools()),
    ],
)
def test_nothing_is_passed_that_would_be_refused_or_changed(
    serializer: type[StrictSerializer], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Or else a serializer that asks its quick check would be compared with itself.
    monkeypatch.delattr(QuickSerializer, "run_validation")
    plain = next((value for shape, value in PLAIN if shape is serializer), {})
    names = [*serializer().fields, "unknown"]
    odd: list[Any] = [*ODD, *({**plain, name: value} for name in names for value in ODD)]
    odd += [{name: value for name, value in plain.items() if name != gone} for gone in plain]
    refused = 0
    for value in odd:
        try:
            found = read(serializer, value)
        except Invalid:
            # `read` looks for texts that cannot be stored before it asks the serializer.
            assert unstorable(value) or not quick_check(serializer)(value), value
            refused += 1
            continue
        if quick_check(serializer)(value):
            assert {name: found[name] for name in value} == value
            assert [type(found[name]) for name in value] == [type(one) for one in value.values()]
    assert 0 < refused < len(odd)


class Checked(StrictSerializer):
    """One that looks at its fields together."""

    a = TextField()

    def validate(self, attrs: Any) -> Any:
        raise serializers.ValidationError("No.")


class Ruled(StrictSerializer):
    """One with a rule of its own for a field, and one that it holds."""

    key = ExternalIdField()
    number = IntegerField(min_value=0, max_value=9, required=False)
    inner = Checked(required=False)

    def validate_key(self, key: str) -> str:
        if key == "bad":
            raise serializers.ValidationError("Not this.")
        return key if key.islower() else key.lower()


@pytest.mark.parametrize(
    ("value", "is_passed"),
    [
        ({"key": "good"}, True),
        ({"key": "good", "number": 9}, True),
        ({"key": "good", "number": 10}, False),
        ({"key": "good", "number": -1}, False),
        ({"key": "good", "number": 1.0}, False),
        ({"key": "bad"}, False),
        ({"key": "GOOD"}, False),
        ({"key": "good", "inner": {"a": "x"}}, False),
        ({"key": "good", "more": 1}, False),
        ({}, False),
    ],
)
def test_the_rules_of_a_serializer_are_asked_too(value: dict[str, Any], is_passed: bool) -> None:
    assert quick_check(Ruled)(value) is is_passed


def test_a_serializer_that_looks_at_its_fields_together_decides_itself() -> None:
    assert not quick_check(Checked)({"a": "x"})
    assert list(errors_of_each(Checked, [{"a": "x"}])) == [0]


def test_errors_are_those_of_reading_each_alone() -> None:
    values: list[Any] = [{"episode": "e"}, {"episode": "a b"}, {"episode": "e", "x": 1}, {"episode": "\0"}, 3]
    found = errors_of_each(EpisodePayload, values)
    assert list(found) == [1, 2, 3, 4]
    for place, error in found.items():
        with pytest.raises(Invalid) as alone:
            read(EpisodePayload, values[place])
        assert (type(error), error.faults) == (type(alone.value), alone.value.faults)


class Quick(QuickSerializer):
    """An item of a list, with a default."""

    key = ExternalIdField()
    number = IntegerField(default=0)


class Listed(StrictSerializer):
    quick = QuickListField(child=Quick(), max_length=3)


class ListedOneByOne(StrictSerializer):
    quick = serializers.ListField(child=Quick(), max_length=3)


@pytest.mark.parametrize(
    "items",
    [
        *([], [{"key": "a"}], [{"key": "a"}, {"key": "b", "number": 2}], [{"key": "a"}] * 4, None, {}, "a"),
        *([{"key": "a"}, {"key": "b", "number": 2.0}], [{"key": "a b"}, 3, {"key": "c"}], [{"more": 1}, {"key": 2}]),
    ],
)
def test_a_list_of_quick_items_is_read_as_each_of_them_would_be(items: Any) -> None:
    said = []
    for serializer in (Listed, ListedOneByOne):
        try:
            said.append(read(serializer, {"quick": items}))
        except Invalid as error:
            said.append({"faults": error.faults})
    assert said[0] == said[1]
