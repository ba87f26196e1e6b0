"""JSON of the voxel annotator: payloads of pipelines, answers of workers. The tool checks what needs the scene."""

import re
from typing import Any

from rest_framework import serializers

from common.quick_checks import QuickSerializer
from common.serializers import BooleanField, StrictSerializer, TextField
from lib.canonical_json import canonical
from lib.strict_json import parse_json

MOST_PHRASE = 200
MOST_SOURCE_CHARACTERS = 4000
DIGEST = r"[0-9a-f]{64}"


class SceneField(serializers.Field[Any, Any, Any, Any]):
    """A scene as JSON, which the tool reads, or the digest of a stored scene."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict) or (isinstance(data, str) and re.fullmatch(DIGEST, data)):
            return data
        raise serializers.ValidationError("This is a scene, or the digest (64 hex digits) of one that is kept.")

    def to_representation(self, value: Any) -> Any:
        return value


class SourceField(serializers.DictField):
    """The origin of a task: any small JSON object."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        found: dict[str, Any] = super().to_internal_value(data)
        if len(canonical(found)) > MOST_SOURCE_CHARACTERS:
            raise serializers.ValidationError(f"A source has at most {MOST_SOURCE_CHARACTERS} characters of JSON.")
        # Normalised, as the database will return it.
        parsed: dict[str, Any] = parse_json(canonical(found))
        return parsed


class PayloadSerializer(StrictSerializer):
    """A scene, and the phrase of the object to mark in it; workers see neither `source` nor `agent_mask`."""

    scene = SceneField()
    phrase = TextField(max_length=MOST_PHRASE, required=False)
    # The name of a field here hides nothing: the metaclass takes it off the class.
    source = SourceField(required=False)  # type: ignore[assignment]
    agent_mask = serializers.ListField(required=False)


class AnswerSerializer(QuickSerializer):
    """One of: the voxels of the object; that it is not there; a phrase for one object; that there is nothing."""

    voxels = serializers.ListField(required=False)
    absent = BooleanField(required=False)
    phrase = TextField(max_length=MOST_PHRASE, required=False)
    nothing = BooleanField(required=False)


class TruthSerializer(AnswerSerializer):
    """A right answer, in the same shape."""
