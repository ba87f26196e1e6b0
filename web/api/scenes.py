"""Scenes of voxel worlds. Each scene is stored once, under the digest of its content."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.scene_store import keep, scene_named
from common.serializers import StrictSerializer, read
from lib.faults import read_each
from lib.voxels.mask import MOST_FAULTS
from lib.voxels.scene import read_scene

MOST_SCENES = 100


class ScenePose(StrictSerializer):
    x = serializers.FloatField()
    y = serializers.FloatField()
    z = serializers.FloatField()
    pitch = serializers.FloatField()
    yaw = serializers.FloatField()


class SceneAnswer(StrictSerializer):
    """`size` is [x, y, z], a block is [x, y, z, id]. The page on voxels explains the axes and the ids."""

    size = serializers.ListField(child=serializers.IntegerField(), min_length=3, max_length=3)
    blocks = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    agent = ScenePose(allow_null=True)
    player = ScenePose(allow_null=True)


class ScenesBody(StrictSerializer):
    scenes = serializers.ListField(child=serializers.DictField(), min_length=1, max_length=MOST_SCENES)


class ScenesAnswer(StrictSerializer):
    """The digests of the scenes, in the order of the body."""

    scenes = serializers.ListField(child=serializers.CharField())


class Scenes(APIView):
    """Store scenes. Payloads of tasks then name them by their digests."""

    @extend_schema(operation_id="post_scenes", request=ScenesBody, responses={200: ScenesAnswer})
    def post(self, request: Request) -> Response:
        body = read(ScenesBody, request.data)
        scenes = read_each(body["scenes"], read_scene, pointer="#/scenes", most=MOST_FAULTS)
        return Response({"scenes": keep(scenes, at=timezone.now())})


class OneScene(APIView):
    """A scene by its digest. Equal scenes have the same digest, even if their JSON differs."""

    @extend_schema(operation_id="get_scene", responses=SceneAnswer)
    def get(self, request: Request, digest: str) -> Response:
        return Response(scene_named(digest).as_json())
