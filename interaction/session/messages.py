"""The types of messages of a live session: which side sends which, with which body. `docs/live.md` has the table."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from rest_framework import serializers
from rest_framework.serializers import ValidationError

from common.serializers import (
    ChoiceField,
    ExternalIdField,
    IntegerField,
    NumberField,
    PatternField,
    StrictSerializer,
    TextField,
    read,
)
from interaction.models import Event
from interaction.session.refusals import Refusal
from lib.faults import Invalid
from lib.voxels.mask import Size
from lib.voxels.table import AIR, PALETTE

Body = dict[str, Any]
Role = Event.Role
NAME = r"[A-Za-z0-9._:-]{1,64}"
"""Ids that a side chooses for its commands and questions."""
MOST_COMMAND, MOST_SAID, MOST_CHANGES, MOST_VOXELS, MOST_CHOICES = 500, 1000, 4096, 32768, 9
MOST_FORM_BYTES = 65_536
"""Of a logical form, as JSON."""
FARTHEST = 4096


class NameField(PatternField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(NAME, **kwargs)


class PlaceField(serializers.ListField):
    """The place of a block, as [x, y, z]."""

    def __init__(self, **kwargs: Any) -> None:
        whole = IntegerField(min_value=0, max_value=255)
        super().__init__(child=whole, min_length=3, max_length=3, **kwargs)


class ManyPlacesField(serializers.Field[Any, Any, Any, Any]):
    """Lists of whole numbers, checked in one loop, since there may be thousands."""

    def __init__(self, *, parts: int, most: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.parts, self.most = parts, most

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, list) or len(data) > self.most:
            raise ValidationError(f"This is a list of at most {self.most}.")
        for one in data:
            if not isinstance(one, list) or len(one) != self.parts or any(type(part) is not int for part in one):
                raise ValidationError(f"Each of these is a list of {self.parts} whole numbers.")
        return data

    def to_representation(self, value: Any) -> Any:
        return value


class PoseBody(StrictSerializer):
    x = NumberField(min_value=-FARTHEST, max_value=FARTHEST)
    y = NumberField(min_value=-FARTHEST, max_value=FARTHEST)
    z = NumberField(min_value=-FARTHEST, max_value=FARTHEST)
    pitch = NumberField(min_value=-90, max_value=90)
    yaw = NumberField(min_value=-360, max_value=360)


class Nothing(StrictSerializer):
    """An empty body."""


class CommandBody(StrictSerializer):
    id = NameField()
    text = TextField(max_length=MOST_COMMAND)


class OfCommand(StrictSerializer):
    command = NameField()


class PlaceBody(StrictSerializer):
    at = PlaceField()
    block = IntegerField(min_value=0, max_value=255)


class DestroyBody(StrictSerializer):
    at = PlaceField()


class ChooseBody(StrictSerializer):
    question = NameField()
    choice = IntegerField(min_value=0, max_value=MOST_CHOICES - 1)


class MarkBody(StrictSerializer):
    command = NameField()
    node = ExternalIdField()
    choice = IntegerField(min_value=0, max_value=100)
    text = TextField(max_length=2000, required=False, allow_blank=True, allow_null=True)


class ReflectBody(StrictSerializer):
    usability = IntegerField(min_value=1, max_value=7)
    performance = IntegerField(min_value=1, max_value=5)
    feedback = TextField(max_length=4000, allow_blank=True)


class StatusBody(StrictSerializer):
    command = NameField()
    state = ChoiceField(choices=["received", "thinking", "acting", "done", "failed"])
    reason = TextField(max_length=200, required=False, allow_blank=True, allow_null=True)


class ShadowParseBody(StrictSerializer):
    """The parse of a command by a shadow model, which does not act."""

    model = TextField(max_length=100)
    parse = serializers.DictField()

    def validate_parse(self, value: Any) -> Any:
        return _bounded_form(value)


class ParseBody(StrictSerializer):
    command = NameField()
    form = serializers.DictField()
    version = TextField(max_length=100, required=False, allow_blank=True, allow_null=True)
    shadow = ShadowParseBody(required=False, allow_null=True)

    def validate_form(self, value: Any) -> Any:
        return _bounded_form(value)


def _bounded_form(value: Any) -> Any:
    if len(json.dumps(value)) > MOST_FORM_BYTES:
        raise ValidationError(f"A form has at most {MOST_FORM_BYTES} bytes as JSON.")
    return value


class ObjectsBody(StrictSerializer):
    command = NameField()
    phrase = TextField(max_length=MOST_COMMAND)
    voxels = ManyPlacesField(parts=3, most=MOST_VOXELS)


class BlocksBody(StrictSerializer):
    changes = ManyPlacesField(parts=4, most=MOST_CHANGES)


class SayBody(StrictSerializer):
    text = TextField(max_length=MOST_SAID)


class BoxField(serializers.ListField):
    """A box, as its two opposite corners, which belong to it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(child=PlaceField(), min_length=2, max_length=2, **kwargs)


class AskBody(StrictSerializer):
    question = NameField()
    text = TextField(max_length=MOST_SAID)
    choices = serializers.ListField(child=TextField(max_length=200), min_length=1, max_length=MOST_CHOICES)
    point = BoxField(required=False, allow_null=True)


class PointBody(StrictSerializer):
    box = BoxField()


class Message(NamedTuple):
    """One type of message.

    Attributes:
        body: The serializer of its body; None for types that only the server sends.
        means: One sentence for `docs/live.md`.
        has_rule: Whether the message changes more than the log.
    """

    body: type[StrictSerializer] | None
    means: str
    has_rule: bool = True


FROM: Mapping[Role, Mapping[str, Message]] = {
    Role.WORKER: {
        "start": Message(Nothing, "Starts the clock."),
        "command": Message(CommandBody, "Tells the agent to do something."),
        "stop": Message(OfCommand, "Asks the agent to stop what it does."),
        "pose": Message(PoseBody, "Where the worker's figure stands and looks.", has_rule=False),
        "place": Message(PlaceBody, "The worker puts a block.", has_rule=False),
        "destroy": Message(DestroyBody, "The worker takes a block away.", has_rule=False),
        "choose": Message(ChooseBody, "Answers the agent's question, by the index of the choice."),
        "mark": Message(MarkBody, "Answers one question of the decision tree."),
        "back": Message(OfCommand, "Goes back one question of the decision tree."),
        "reflect": Message(ReflectBody, "The worker's two ratings and remark."),
        "finish": Message(Nothing, "Hands the session in."),
    },
    Role.AGENT: {
        "status": Message(StatusBody, "How far the agent is with a command."),
        "parse": Message(ParseBody, "What the agent understood, as a logical form."),
        "objects": Message(ObjectsBody, "Which blocks the agent takes a phrase for; none: it found nothing."),
        "blocks": Message(BlocksBody, "The agent changes blocks; id 0 is air.", has_rule=False),
        "pose": Message(PoseBody, "Where the agent stands and looks.", has_rule=False),
        "say": Message(SayBody, "The agent speaks.", has_rule=False),
        "ask": Message(AskBody, "The agent asks the worker to choose."),
        "point": Message(PointBody, "The agent flashes a box of blocks.", has_rule=False),
    },
    Role.SERVER: {
        "status": Message(None, "A command failed because the agent fell silent or went away."),
        "question": Message(None, "The next question of the decision tree."),
        "outcome": Message(None, "What the worker's answers come to; the next command may be given."),
        "score": Message(None, "What the session is worth so far, after each outcome."),
        "clock": Message(None, "How long the clock runs, and how long it must at least."),
        "may_finish": Message(None, "Whether the session may be handed in now."),
        "peer": Message(None, "Whether the agent or the worker is here."),
        "prompt": Message(None, "What the next command is to be improvised on, where the project has prompts."),
        "closed": Message(None, "The session is over."),
    },
}
TO_AGENTS: Mapping[Role, frozenset[str]] = {
    Role.WORKER: frozenset({"start", "command", "stop", "choose", "pose", "place", "destroy"}),
    Role.AGENT: frozenset(FROM[Role.AGENT]),
    Role.SERVER: frozenset({"status", "closed", "peer", "clock"}),
}
"""The types of messages that an agent receives. Judgements of its work are not among them."""
PLACEABLE = tuple(range(46, 62))
"""The blocks that a worker may build with: wool in its sixteen colours."""


def read_body(role: Role, kind: Any, body: Any, *, size: Size) -> Body:
    """Check the body of a message; returns the body as it is kept.

    Args:
        size: Sides of the session's world.

    Raises:
        Refusal: the side may not send this type, or the body is not valid.
    """
    message = FROM[role].get(kind) if isinstance(kind, str) else None
    if message is None or message.body is None:
        known = ", ".join(FROM[role])
        raise Refusal(f"There is no message {str(kind)[:40]!r} for this side; there is {known}.")
    if not isinstance(body, dict):
        raise Refusal("The body is a JSON object.")
    if is_plain(kind, body):
        _check_places(body, size)
        return body
    try:
        found: Body = dict(read(message.body, body))
    except Invalid as error:
        raise Refusal("; ".join(f"body{one.pointer[1:]}: {one.detail}" for one in error.faults[:5])) from None
    _check_places(found, size)
    return found


def is_plain(kind: str, body: Body) -> bool:
    """True if a frequent message equals what its serializer would return, so that the serializer can be skipped.

    A walking figure sends several messages a second, and its serializer takes longer than all other work on them.
    """
    if kind == "pose":
        return body.keys() == _POSE.keys() and all(
            type(value) in (int, float) and -_POSE[name] <= value <= _POSE[name] for name, value in body.items()
        )
    if kind == "place":
        return body.keys() == {"at", "block"} and _is_place(body["at"]) and _is_small(body["block"])
    if kind == "destroy":
        return body.keys() == {"at"} and _is_place(body["at"])
    return False


def _is_place(value: Any) -> bool:
    return type(value) is list and len(value) == 3 and all(_is_small(part) for part in value)


def _is_small(value: Any) -> bool:
    return type(value) is int and 0 <= value <= 255


_POSE = {"x": FARTHEST, "y": FARTHEST, "z": FARTHEST, "pitch": 90, "yaw": 360}


def _check_places(body: Body, size: Size) -> None:
    """Check that all blocks lie within the world and are of known kinds.

    Raises:
        Refusal: one does not, or is not.
    """
    places = [body["at"]] if "at" in body else []
    places += body.get("box") or body.get("point") or body.get("voxels") or body.get("changes") or []
    for place in places:
        if not all(0 <= place[axis] < size[axis] for axis in range(3)):
            sides = " × ".join(map(str, size))
            raise Refusal(f"{place[:3]} lies outside of the world, which is {sides} blocks.")
    ids = [change[3] for change in body.get("changes", [])] + ([body["block"]] if "block" in body else [])
    for block in ids:
        if block not in PALETTE and block != AIR:
            raise Refusal(f"There is no block with the id {block}.")
    if body.get("block") == AIR:
        raise Refusal("Air cannot be placed; send `destroy`.")


def cseq_of(text: str) -> int | None:
    """The `cseq` of a frame that is not parsed, if it can be found in the text."""
    found = re.search(r'"cseq"\s*:\s*(\d{1,9})\b', text[:2000]) or re.search(r'"cseq"\s*:\s*(\d{1,9})\b', text[-200:])
    return int(found.group(1)) if found else None
