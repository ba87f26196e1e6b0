"""The shape of a posted task."""

from rest_framework import serializers

from common.quick_checks import QuickSerializer
from common.serializers import ExternalIdField, IntegerField, NumberField, StrictSerializer


class TaskReference(StrictSerializer):
    answers = serializers.ListField(child=serializers.DictField(), min_length=1, max_length=100)
    tolerance_s = NumberField(min_value=0, required=False, allow_null=True)


class TaskBody(QuickSerializer):
    key = ExternalIdField()
    payload = serializers.DictField()
    priority = IntegerField(min_value=-1_000_000, max_value=1_000_000, default=0)
    redundancy = IntegerField(min_value=1, max_value=1000, required=False, allow_null=True)
    reference = TaskReference(required=False, allow_null=True)
