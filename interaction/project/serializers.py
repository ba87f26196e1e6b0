"""Serializers of the settings of an interaction project, and of its tasks."""

from rest_framework import serializers

from annotation.tools.voxels.serializers import SceneField
from common.serializers import BooleanField, IntegerField, SlugField, StrictSerializer, TextField


class SettingsBody(StrictSerializer):
    agent = SlugField(required=False)
    sessions = IntegerField(min_value=1, max_value=1_000_000, required=False)
    tree = SlugField(required=False)
    minimum_s = IntegerField(min_value=0, max_value=3600, required=False)
    capabilities = serializers.ListField(child=TextField(max_length=200), max_length=50, required=False)
    stoplight = serializers.DictField(required=False)
    prompts = serializers.ListField(child=TextField(max_length=500), max_length=1000, required=False, allow_empty=True)
    evaluation = BooleanField(default=False)


class PayloadBody(StrictSerializer):
    """The agent and the world; without a world, the default world."""

    agent = SlugField()
    world = SceneField(required=False)


class AnswerBody(StrictSerializer):
    """The answer that the server signs when a session is handed in; nobody else can sign it."""

    finished = TextField(max_length=200_000)
