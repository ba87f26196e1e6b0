"""JSON of the marker: payload, answer and truth."""

from typing import Any

from rest_framework import serializers

from common.serializers import ChoiceField, ExternalIdField, IntegerField, NumberField, StrictSerializer

SUCCESS, FAILURE = "success", "failure"
OUTCOMES = (SUCCESS, FAILURE)


class PayloadSerializer(StrictSerializer):
    episode = ExternalIdField()


class AnswerSerializer(StrictSerializer):
    outcome = ChoiceField(choices=OUTCOMES)
    frame = IntegerField(min_value=0)


class TruthSerializer(StrictSerializer):
    outcome = ChoiceField(choices=OUTCOMES)
    frame = IntegerField(min_value=0, required=False)
    time_s = NumberField(min_value=0, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "frame" in attrs and "time_s" in attrs:
            raise serializers.ValidationError({"time_s": "Name the frame or the time, not both."})
        return attrs
