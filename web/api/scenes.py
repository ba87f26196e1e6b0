"""Scenes of voxel worlds. Each scene is stored once, under the digest of its content."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.scene_store import keep, scene_named
from common.serializers import IntegerField, NumberField, StrictSerializer, read
from lib.faults import read_each
from lib.voxels.mask import MOST_FAULTS
from lib.voxels.scene import read_scene
from lib.voxels.table import MOST_AXIS, MOST_BLOCKS, MOST_PLACE
from web.http.endpoints import Endpoint

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


# These classes only describe a scene for the OpenAPI document; `lib.voxels.scene` reads scenes and reports faults.
class PoseBody(StrictSerializer):
    x = NumberField(min_value=-MOST_PLACE, max_value=MOST_PLACE)
    y = NumberField(min_value=-MOST_PLACE, max_value=MOST_PLACE)
    z = NumberField(min_value=-MOST_PLACE, max_value=MOST_PLACE)
    pitch = NumberField(min_value=-90, max_value=90)
    yaw = NumberField(min_value=-360, max_value=360)


class SceneBody(StrictSerializer):
    """`size` is [x, y, z], a block is [x, y, z, id] within it."""

    size = serializers.ListField(child=IntegerField(min_value=1, max_value=MOST_AXIS), min_length=3, max_length=3)
    blocks = serializers.ListField(
        child=serializers.ListField(child=IntegerField(min_value=0, max_value=255), min_length=4, max_length=4),
        max_length=MOST_BLOCKS,
    )
    agent = PoseBody(required=False, allow_null=True)
    player = PoseBody(required=False, allow_null=True)


@extend_schema_field(SceneBody)
class SceneField(serializers.DictField):
    """A scene, which is read in one pass, because it may have very many blocks."""


class ScenesBody(StrictSerializer):
    scenes = serializers.ListField(child=SceneField(), min_length=1, max_length=MOST_SCENES)


class ScenesAnswer(StrictSerializer):
    """The digests of the scenes, in the order of the body."""

    scenes = serializers.ListField(child=serializers.CharField())


class Scenes(Endpoint):
    """Store scenes. Payloads of tasks then name them by their digests."""

    commits_with_answer = False

    @extend_schema(operation_id="post_scenes", request=ScenesBody, responses={200: ScenesAnswer})
    def post(self, request: Request) -> Response:
        body = read(ScenesBody, request.data)
        scenes = read_each(body["scenes"], read_scene, pointer="#/scenes", most=MOST_FAULTS)
        return Response({"scenes": keep(scenes, at=timezone.now())})


class OneScene(Endpoint):
    """A scene by its digest. Equal scenes have the same digest, even if their JSON differs."""

    @extend_schema(operation_id="get_scene", responses=SceneAnswer)
    def get(self, request: Request, digest: str) -> Response:
        return Response(scene_named(digest).as_json())
