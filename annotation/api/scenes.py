"""Scenes of voxel worlds: kept once each, under the digest of what they hold."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.voxels.mask import MOST_FAULTS
from annotation.voxels.scene import read_scene
from annotation.voxels.store import keep, scene_named
from common.api import StrictSerializer, read
from common.errors import read_each

MOST_SCENES = 100


class ScenePose(StrictSerializer):
    x = serializers.FloatField()
    y = serializers.FloatField()
    z = serializers.FloatField()
    pitch = serializers.FloatField()
    yaw = serializers.FloatField()


class SceneAnswer(StrictSerializer):
    """`size` is [x, y, z], a block [x, y, z, id]; see the page on voxels for the frame and the ids."""

    size = serializers.ListField(child=serializers.IntegerField(), min_length=3, max_length=3)
    blocks = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    agent = ScenePose(allow_null=True)
    player = ScenePose(allow_null=True)


class ScenesBody(StrictSerializer):
    scenes = serializers.ListField(child=serializers.DictField(), min_length=1, max_length=MOST_SCENES)


class ScenesAnswer(StrictSerializer):
    """The digest of each scene, in order."""

    scenes = serializers.ListField(child=serializers.CharField())


class Scenes(APIView):
    """Scenes to be shown in tasks, whose payloads then name them by their digests."""

    @extend_schema(operation_id="post_scenes", request=ScenesBody, responses={200: ScenesAnswer})
    def post(self, request: Request) -> Response:
        body = read(ScenesBody, request.data)
        scenes = read_each(body["scenes"], read_scene, pointer="#/scenes", most=MOST_FAULTS)
        return Response({"scenes": keep(scenes, at=timezone.now())})


class OneScene(APIView):
    """A scene by its digest; the digest of equal scenes is the same, however they were written down."""

    @extend_schema(operation_id="get_scene", responses=SceneAnswer)
    def get(self, request: Request, digest: str) -> Response:
        return Response(scene_named(digest).as_json())
