"""The messages of each side: good bodies are kept as they are, bad ones are refused and the place is named."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interaction.models import Event
from interaction.session.message_effects import RULES
from interaction.session.messages import (
    FROM,
    MOST_CHANGES,
    MOST_COMMAND,
    MOST_FORM_BYTES,
    MOST_SAID,
    MOST_VOXELS,
    PLACEABLE,
    TO_AGENTS,
    Role,
    cseq_of,
    read_body,
)
from interaction.session.refusals import Refusal
from lib.strict_json import unstorable

SIZE = (40, 24, 40)
WORKER, AGENT = Role.WORKER, Role.AGENT
POSE = {"x": 3, "y": 1.5, "z": -4.0, "pitch": -30, "yaw": 90}
COMMAND, ASK = {"id": "c1", "text": "build"}, {"question": "q1", "text": "Which?", "choices": ["this", "that"]}
MARK = {"command": "c1", "node": "done", "choice": 0}
REFLECT = {"usability": 7, "performance": 1, "feedback": ""}
STATUS, PARSE = {"command": "c1", "state": "done"}, {"command": "c1", "form": {"dialogue_type": "NOOP"}}
OBJECTS = {"command": "c1", "phrase": "the cube", "voxels": [[1, 2, 3]]}
BOX = [[0, 0, 0], [39, 23, 39]]

GOOD: list[tuple[Role, str, dict[str, Any]]] = [
    (WORKER, "start", {}),
    (WORKER, "finish", {}),
    (WORKER, "command", COMMAND),
    (WORKER, "command", {"id": "A.z_0:9-" * 8, "text": "x" * MOST_COMMAND}),
    (WORKER, "stop", {"command": "c1"}),
    (WORKER, "back", {"command": "c1"}),
    (WORKER, "pose", POSE),
    (WORKER, "place", {"at": [39, 23, 39], "block": PLACEABLE[0]}),
    (WORKER, "destroy", {"at": [0, 0, 0]}),
    (WORKER, "choose", {"question": "q1", "choice": 8}),
    (WORKER, "mark", MARK),
    (WORKER, "mark", {**MARK, "text": "it fell over"}),
    # As long as a tree may name it.
    (WORKER, "mark", {**MARK, "node": "n" * 128}),
    (WORKER, "reflect", REFLECT),
    (AGENT, "status", STATUS),
    (AGENT, "status", {**STATUS, "state": "failed", "reason": "stopped"}),
    (AGENT, "status", {**STATUS, "reason": None}),
    (AGENT, "parse", {**PARSE, "version": "7"}),
    (AGENT, "objects", OBJECTS),
    (AGENT, "objects", {**OBJECTS, "voxels": []}),
    (AGENT, "blocks", {"changes": [[0, 0, 0, 60], [1, 0, 0, 0]]}),
    (AGENT, "blocks", {"changes": [[0, 0, 0, 60]] * MOST_CHANGES}),
    (AGENT, "pose", POSE),
    (AGENT, "say", {"text": "x" * MOST_SAID}),
    (AGENT, "ask", ASK),
    (AGENT, "ask", {**ASK, "point": BOX}),
    (AGENT, "ask", {**ASK, "point": None}),
    (AGENT, "point", {"box": BOX}),
]
ONE_GOOD = {(role, kind): body for role, kind, body in reversed(GOOD)}
SENT = [(role, kind) for role in (WORKER, AGENT) for kind in FROM[role]]
NUL, HALF = "a\0b", "\ud800"

BAD: list[tuple[Role, str, Any, str]] = [
    (AGENT, "parse", {**PARSE, "form": {"a": "x" * MOST_FORM_BYTES}}, "body/form"),
    (WORKER, "command", {**COMMAND, "text": ""}, "body/text"),
    (WORKER, "command", {**COMMAND, "text": "   "}, "body/text"),
    (WORKER, "command", {**COMMAND, "text": "x" * (MOST_COMMAND + 1)}, "body/text"),
    (WORKER, "command", {**COMMAND, "text": NUL}, "body/text"),
    (WORKER, "command", {**COMMAND, "text": HALF}, "body/text"),
    (WORKER, "command", {**COMMAND, "text": ["build"]}, "body/text"),
    (WORKER, "command", {**COMMAND, "id": "a b"}, "body/id"),
    (WORKER, "command", {**COMMAND, "id": "c1\n"}, "body/id"),
    (WORKER, "command", {**COMMAND, "id": "c" * 65}, "body/id"),
    (WORKER, "command", {"text": "build"}, "body/id"),
    (WORKER, "stop", {"command": None}, "body/command"),
    (WORKER, "back", {"command": ""}, "body/command"),
    (WORKER, "pose", {**POSE, "x": "east"}, "body/x"),
    (WORKER, "pose", {**POSE, "y": float("inf")}, "body/y"),
    (WORKER, "pose", {**POSE, "z": 1e5}, "body/z"),
    (WORKER, "pose", {**POSE, "pitch": 91}, "body/pitch"),
    (WORKER, "pose", {**POSE, "yaw": -361}, "body/yaw"),
    (WORKER, "place", {"at": [40, 0, 0], "block": 46}, "outside of the world, which is 40 × 24 × 40"),
    (WORKER, "place", {"at": [0, 24, 0], "block": 46}, "outside of the world"),
    (WORKER, "place", {"at": [-1, 0, 0], "block": 46}, "body/at"),
    (WORKER, "place", {"at": [0, 0], "block": 46}, "body/at"),
    (WORKER, "place", {"at": "here", "block": 46}, "body/at"),
    (WORKER, "place", {"at": [0, 0, 0], "block": 0}, "Air cannot be placed"),
    (WORKER, "place", {"at": [0, 0, 0], "block": 255}, "no block with the id 255"),
    (WORKER, "place", {"at": [0, 0, 0], "block": 256}, "body/block"),
    (WORKER, "place", {"at": [0, 0, 0]}, "body/block"),
    (WORKER, "destroy", {"at": [0, 0, 40]}, "outside of the world"),
    (WORKER, "choose", {"question": "q1", "choice": 9}, "body/choice"),
    (WORKER, "choose", {"question": "q1", "choice": -1}, "body/choice"),
    (WORKER, "mark", {**MARK, "choice": "0.5"}, "body/choice"),
    (WORKER, "mark", {**MARK, "text": "x" * 2001}, "body/text"),
    (WORKER, "mark", {**MARK, "node": "n" * 129}, "body/node"),
    (WORKER, "reflect", {**REFLECT, "usability": 8}, "body/usability"),
    (WORKER, "reflect", {**REFLECT, "performance": 6}, "body/performance"),
    (WORKER, "reflect", {**REFLECT, "feedback": "x" * 4001}, "body/feedback"),
    (WORKER, "reflect", {**REFLECT, "feedback": None}, "body/feedback"),
    (AGENT, "status", {**STATUS, "state": "sent"}, "body/state"),
    (AGENT, "status", {**STATUS, "reason": "x" * 201}, "body/reason"),
    (AGENT, "parse", {**PARSE, "form": []}, "body/form"),
    (AGENT, "parse", {**PARSE, "form": {"a": [NUL]}}, "body/form/a/0"),
    (AGENT, "parse", {**PARSE, "version": "7" * 101}, "body/version"),
    (AGENT, "objects", {**OBJECTS, "voxels": [[1, 2]]}, "body/voxels"),
    (AGENT, "objects", {**OBJECTS, "voxels": [[1, 2, True]]}, "body/voxels"),
    (AGENT, "objects", {**OBJECTS, "voxels": [[1, 2, 3]] * (MOST_VOXELS + 1)}, "body/voxels"),
    (AGENT, "objects", {**OBJECTS, "voxels": [[1, 2, 300]]}, "outside of the world"),
    (AGENT, "objects", {**OBJECTS, "phrase": ""}, "body/phrase"),
    (AGENT, "blocks", {"changes": [[0, 0, 0]]}, "body/changes"),
    (AGENT, "blocks", {"changes": [[0, 0, 0, 1.0]]}, "body/changes"),
    (AGENT, "blocks", {"changes": [[0, 0, 0, 60]] * (MOST_CHANGES + 1)}, "body/changes"),
    (AGENT, "blocks", {"changes": [[0, 0, -1, 60]]}, "outside of the world"),
    (AGENT, "blocks", {"changes": [[0, 0, 0, 60], [0, 0, 0, -5]]}, "no block with the id -5"),
    (AGENT, "pose", {**POSE, "yaw": None}, "body/yaw"),
    (AGENT, "pose", {**POSE, "x": "nan"}, "body/x"),
    (AGENT, "pose", {**POSE, "x": 10**400}, "body/x"),
    (AGENT, "say", {"text": "x" * (MOST_SAID + 1)}, "body/text"),
    (AGENT, "say", {"text": True}, "body/text"),
    (AGENT, "ask", {**ASK, "choices": []}, "body/choices"),
    (AGENT, "ask", {**ASK, "choices": ["a"] * 10}, "body/choices"),
    (AGENT, "ask", {**ASK, "choices": ["a" * 201]}, "body/choices/0"),
    (AGENT, "ask", {**ASK, "point": [[0, 0, 0]]}, "body/point"),
    (AGENT, "ask", {**ASK, "point": [[0, 0, 0], [0, 99, 0]]}, "outside of the world"),
    (AGENT, "point", {"box": [[0, 0, 0], [0, 0]]}, "body/box/1"),
    (AGENT, "point", {"box": None}, "body/box"),
]


def refusal_of(role: Role, kind: Any, body: Any) -> str:
    with pytest.raises(Refusal) as refused:
        read_body(role, kind, body, size=SIZE)
    assert refused.value.code == "invalid"
    return str(refused.value)


@pytest.mark.parametrize(("role", "kind", "body"), GOOD)
def test_a_good_body_is_kept_as_it_is(role: Role, kind: str, body: dict[str, Any]) -> None:
    assert read_body(role, kind, body, size=SIZE) == body


def test_every_type_has_a_good_and_a_bad_body_here() -> None:
    assert set(ONE_GOOD) == set(SENT)
    with_fields = {(role, kind) for role, kind in SENT if ONE_GOOD[role, kind]}
    assert {(role, kind) for role, kind, *_ in BAD} == with_fields


@pytest.mark.parametrize(("role", "kind", "body", "place"), BAD)
def test_a_bad_body_is_refused_with_the_place(role: Role, kind: str, body: Any, place: str) -> None:
    sentence = refusal_of(role, kind, body)
    assert place in sentence
    assert len(sentence) < 1000


@pytest.mark.parametrize(("role", "kind"), SENT)
def test_an_unknown_field_is_refused_by_name(role: Role, kind: str) -> None:
    assert "body/colour" in refusal_of(role, kind, {**ONE_GOOD[role, kind], "colour": "red"})


@pytest.mark.parametrize("body", [None, [], "", 5, True, [["id", "c1"]]])
@pytest.mark.parametrize(("role", "kind"), SENT)
def test_a_body_is_an_object(role: Role, kind: str, body: Any) -> None:
    assert refusal_of(role, kind, body) == "The body is a JSON object."


@pytest.mark.parametrize(("role", "kind"), [(role, kind) for role, kind in SENT if ONE_GOOD[role, kind]])
def test_a_missing_field_is_refused(role: Role, kind: str) -> None:
    assert "body/" in refusal_of(role, kind, {})


@pytest.mark.parametrize("kind", [None, 5, [], {}, "", "dance", "outcome", "closed", "x" * 10_000])
@pytest.mark.parametrize("role", [WORKER, AGENT])
def test_a_side_sends_only_its_own_types_and_never_the_servers(role: Role, kind: Any) -> None:
    sentence = refusal_of(role, kind, {})
    assert next(iter(FROM[role])) in sentence
    assert len(sentence) < 500
    for other, theirs in SENT:
        if theirs not in FROM[role]:
            refusal_of(role, theirs, ONE_GOOD[other, theirs])


def test_a_form_that_is_nested_too_deeply_is_refused() -> None:
    form: Any = {}
    for _ in range(200):
        form = {"a": form}
    assert "levels deep" in refusal_of(AGENT, "parse", {"command": "c1", "form": form})


def test_each_message_that_changes_more_than_the_log_has_a_rule() -> None:
    for role in (WORKER, AGENT):
        assert {kind for kind, message in FROM[role].items() if message.has_rule} == set(RULES[role])
    for role, kinds in TO_AGENTS.items():
        assert kinds <= set(FROM[role])


def test_every_type_fits_its_column() -> None:
    longest = Event._meta.get_field("type").max_length
    assert longest is not None
    assert all(len(kind) <= longest for kinds in FROM.values() for kind in kinds)


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-2, 300)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["c1", "q1", "done", "nan", NUL, HALF, 10**400]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=10), inner, max_size=5),
    max_leaves=12,
)


@st.composite
def nearly_good(draw: st.DrawFn) -> tuple[Role, str, Any]:
    """A good body in which one field, or all of them, are anything."""
    role, kind = draw(st.sampled_from(SENT))
    body = dict(ONE_GOOD[role, kind])
    if not body or draw(st.booleans()):
        return role, kind, draw(anything)
    body[draw(st.sampled_from(sorted(body)))] = draw(anything)
    return role, kind, body


@given(sent=nearly_good())
def test_any_json_is_taken_or_refused_and_nothing_else_happens(sent: tuple[Role, str, Any]) -> None:
    role, kind, body = sent
    try:
        kept = read_body(role, kind, body, size=SIZE)
    except Refusal:
        return
    serializer = FROM[role][kind].body
    assert serializer is not None
    assert set(kept) <= set(serializer().fields)
    assert unstorable(kept) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"t":"send","cseq":7,"type":"say","body":{"text":"' + "x" * 9000 + '"}}', 7),
        ('{"t":"send","type":"say","body":{"text":"' + "x" * 9000 + '"},"cseq" : 12}', 12),
        ('{"t":"send","type":"say"}', None),
        ('{"cseq":99999999999}', None),
    ],
)
def test_the_number_of_a_frame_is_seen_at_its_ends(text: str, found: int | None) -> None:
    assert cseq_of(text) == found
