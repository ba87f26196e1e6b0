"""JSON of the parse annotator: payloads from pipelines, and answers of workers."""

import json
from typing import Any

from rest_framework import serializers

from common.serializers import BooleanField, ChoiceField, StrictSerializer, TextField
from lib.logical_form.spans import MOST_CHARACTERS, MOST_TOKENS, tokenise

MOST_FORM_CHARACTERS = 64_000
MOST_TURNS = 50
MOST_STEPS = 300
"""Most steps of a record that a client keeps itself; the longest real command takes 30."""
SPEAKERS = ("worker", "assistant")


class FormField(serializers.DictField):
    """A logical form as JSON, unread but not huge."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        found: dict[str, Any] = super().to_internal_value(data)
        if len(json.dumps(found)) > MOST_FORM_CHARACTERS:
            raise serializers.ValidationError(f"A form has at most {MOST_FORM_CHARACTERS} characters of JSON.")
        return found


class RecordField(FormField):
    """The answers to a command, by the keys of the steps."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        found = super().to_internal_value(data)
        if len(found) > MOST_STEPS:
            raise serializers.ValidationError(f"A command has at most {MOST_STEPS} steps.")
        return found


class TurnBody(StrictSerializer):
    """One earlier turn of the conversation."""

    speaker = ChoiceField(choices=SPEAKERS)
    text = TextField(max_length=MOST_CHARACTERS)


class PayloadSerializer(StrictSerializer):
    """A command. `form` or `parse`: the agent's own parse; `marked`: somebody marked that as wrong."""

    text = TextField(max_length=MOST_CHARACTERS)
    # The name of a field here hides nothing: the metaclass takes it off the class.
    context = serializers.ListField(child=TurnBody(), max_length=MOST_TURNS, required=False)  # type: ignore[assignment]
    form = FormField(required=False, allow_null=True)
    parse = FormField(required=False, allow_null=True)
    marked = BooleanField(required=False, allow_null=True)

    def validate_text(self, text: str) -> str:
        words = len(tokenise(text))
        if not words:
            raise serializers.ValidationError("The command has no words.")
        if words > MOST_TOKENS:
            raise serializers.ValidationError(f"A command has at most {MOST_TOKENS} words; this one has {words}.")
        return text


class AnswerSerializer(StrictSerializer):
    """One of: the answers of a step or a statement in their place; a whole form; the record of a whole command."""

    answers = serializers.DictField(required=False)
    accept = BooleanField(required=False)
    wrong = TextField(required=False, max_length=2000)
    unknown = BooleanField(required=False)
    not_a_command = BooleanField(required=False)
    back = TextField(required=False, max_length=2000)
    form = FormField(required=False)
    record = RecordField(required=False)


class TruthSerializer(StrictSerializer):
    """A right form of a whole command."""

    form = FormField()
