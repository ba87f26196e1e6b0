"""JSON that all tools share."""

from rest_framework import serializers

from common.serializers import BooleanField, NumberField, StrictSerializer, TextField


class PracticeSerializer(StrictSerializer):
    """The setting `practice`: a task as a pipeline posts it, and all its right answers."""

    ask = TextField(max_length=300, required=False)
    payload = serializers.DictField()
    accept = serializers.ListField(child=serializers.DictField(), min_length=1, max_length=100)
    tolerance_s = NumberField(required=False, min_value=0)
    why = TextField(max_length=600, required=False)
    first = BooleanField(required=False)
