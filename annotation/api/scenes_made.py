"""Scenes made by rule: as tasks of a project, and as a dataset to train with."""

from collections.abc import Mapping
from typing import Any

from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents.authentication import actor_of
from annotation.api.pipelines import LINES, TasksAnswer
from annotation.projects import project_named
from annotation.tasks import MOST_AT_ONCE
from annotation.voxels.generated_files import as_lines
from annotation.voxels.generator import generate
from annotation.voxels.generator_options import (
    MOST_HOLES,
    MOST_PER_SCENE,
    MOST_SEED,
    MOST_SHAPES,
    BadOption,
    Options,
    range_of,
    size_of,
)
from annotation.voxels.made import post_generated
from annotation.voxels.table import MOST_AXIS
from common.api import NumberField, StrictSerializer, asked, read
from common.errors import Invalid
from common.streams import streamed

MOST_STREAMED = 10_000
USUAL_N = 100
_LINES_AT_ONCE = 20
"""A line of a usual scene has some 25 kB."""
_OPTIONS = ("shapes", "holes", "size", "ground_depth", "negatives", "per_scene")


class OptionsBody(StrictSerializer):
    """What the scenes are to be like; see `docs/generated-scenes.md`."""

    seed = serializers.IntegerField(min_value=0, max_value=MOST_SEED, default=0)
    first = serializers.IntegerField(min_value=0, max_value=MOST_SEED, default=0)
    shapes = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=MOST_SHAPES), min_length=2, max_length=2, required=False
    )
    holes = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=MOST_HOLES), min_length=2, max_length=2, required=False
    )
    size = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=MOST_AXIS), min_length=3, max_length=3, required=False
    )
    ground_depth = serializers.IntegerField(min_value=1, max_value=MOST_AXIS, required=False)
    negatives = NumberField(min_value=0, max_value=1, required=False)
    per_scene = serializers.IntegerField(min_value=1, max_value=MOST_PER_SCENE, required=False)


class GeneratedBody(OptionsBody):
    """Scenes to be made into tasks."""

    n = serializers.IntegerField(min_value=1, max_value=MOST_AT_ONCE)
    seed = serializers.IntegerField(min_value=0, max_value=MOST_SEED)
    references = serializers.BooleanField(default=True)


class StreamBody(OptionsBody):
    """Scenes to be sent."""

    n = serializers.IntegerField(min_value=1, max_value=MOST_STREAMED, default=USUAL_N)


class GeneratedLine(StrictSerializer):
    """A phrase about a scene, with the right answer and all that stands there."""

    key = serializers.CharField()
    scene = serializers.DictField()
    phrase = serializers.CharField()
    answer = serializers.DictField()
    objects = serializers.ListField(child=serializers.DictField())


class ProjectGenerated(APIView):
    """Scenes made by rule, with phrases and exact masks, as tasks or references of a project."""

    @extend_schema(operation_id="post_generated_scenes", request=GeneratedBody, responses={200: TasksAnswer})
    def post(self, request: Request, slug: str) -> Response:
        project = project_named(slug)
        body = read(GeneratedBody, request.data)
        options = options_of(body)
        if body["n"] * options.per_scene > MOST_AT_ONCE:
            raise Invalid.at("#/n", f"At most {MOST_AT_ONCE} tasks are made at once; go on with `first`.")
        try:
            posted = post_generated(
                project=project,
                seed=body["seed"],
                n=body["n"],
                options=options,
                as_references=body["references"],
                by=actor_of(request),
                at=timezone.now(),
                first=body["first"],
            )
        except BadOption as error:
            raise _refused(error) from None
        return Response(posted._asdict())


class GeneratedScenes(APIView):
    """Scenes made by rule, one JSON object a line for each phrase; nothing is kept of them."""

    @extend_schema(
        operation_id="generate_scenes",
        parameters=[
            OpenApiParameter("n", OpenApiTypes.INT, description=f"Scenes, {USUAL_N} if it says nothing."),
            OpenApiParameter("seed", OpenApiTypes.INT, description="The same seed gives the same scenes."),
            OpenApiParameter("first", OpenApiTypes.INT, description="The number of the first scene."),
            OpenApiParameter("shapes", str, description="Least and greatest number of objects: 1-3."),
            OpenApiParameter("holes", str, description="The same for holes in the ground: 0-2."),
            OpenApiParameter("size", str, description="Sides along x, y, z: 17,13,17."),
            OpenApiParameter("ground_depth", OpenApiTypes.INT, description="Layers of ground."),
            OpenApiParameter("negatives", OpenApiTypes.NUMBER, description="Share of phrases that mean nothing there."),
            OpenApiParameter("per_scene", OpenApiTypes.INT, description="Phrases for each scene."),
        ],
        responses={(200, LINES): GeneratedLine},
    )
    def get(self, request: Request) -> HttpResponseBase:
        body = read(StreamBody, _query(request))
        options = options_of(body)
        try:
            scenes = generate(body["seed"], body["n"], options, first=body["first"])
        except BadOption as error:
            raise _refused(error) from None
        return streamed(request._request, as_lines(scenes), content_type=LINES, batch=_LINES_AT_ONCE)


def options_of(body: Mapping[str, Any]) -> Options:
    """The options that a body says, the usual ones where it says nothing.

    Raises:
        Invalid: they do not go together.
    """
    said: dict[str, Any] = {name: body[name] for name in _OPTIONS if name in body}
    said |= {name: tuple(value) for name, value in said.items() if isinstance(value, list)}
    try:
        return Options(**said)
    except BadOption as error:
        raise _refused(error) from None


def _query(request: Request) -> dict[str, Any]:
    """What the address asks for, in the shape of a body."""
    names = ("n", "seed", "first", *_OPTIONS)
    said: dict[str, Any] = {name: text for name in names if (text := asked(request, name))}
    try:
        said |= {name: list(range_of(name, said[name])) for name in ("shapes", "holes") if name in said}
        said |= {"size": list(size_of(said["size"]))} if "size" in said else {}
    except BadOption as error:
        raise _refused(error) from None
    return said


def _refused(error: BadOption) -> Invalid:
    return Invalid.at(f"#/{error.name}", str(error))
