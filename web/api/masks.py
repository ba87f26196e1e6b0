"""The masks of a project: export as a dataset, and import of droidlet's scenes as tasks."""

from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.datasets import annotations as exports
from annotation.datasets.masks import as_list, check_tool, dataset_rows, scene_list
from annotation.datasets.masks_import import KINDS, MOST_SCENES, PREFIX, import_payloads
from annotation.models import Project
from annotation.projects.projects import project_named
from common.serializers import StrictSerializer, read
from lib.faults import Invalid
from web.api import mask_files
from web.api.authentication import actor_of
from web.api.exports import LINES
from web.http.query_parameters import asked, since_asked
from web.http.streams import streamed


class MaskAnswer(StrictSerializer):
    """The voxels of the object, or that the object is absent."""

    voxels = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()), required=False)
    absent = serializers.BooleanField(required=False)


class MaskLine(StrictSerializer):
    task = serializers.CharField()
    scene = serializers.CharField()
    phrase = serializers.CharField()
    answer = MaskAnswer()
    method = serializers.CharField()
    confidence = serializers.FloatField()
    annotations = serializers.IntegerField()
    settled_at = serializers.DateTimeField()
    source = serializers.DictField(allow_null=True)  # type: ignore[assignment]
    agent_mask_iou = serializers.FloatField(allow_null=True)
    shares = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()), required=False, help_text="[x, y, z, share]"
    )


class AncestorFigure(StrictSerializer):
    pos = serializers.ListField(child=serializers.FloatField())
    look = serializers.ListField(child=serializers.FloatField(), help_text="[yaw, pitch] in radians")


class AncestorTag(StrictSerializer):
    tags = serializers.ListField(child=serializers.CharField())
    locs = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))


class AncestorFrame(StrictSerializer):
    origin = serializers.ListField(child=serializers.IntegerField())
    size = serializers.ListField(child=serializers.IntegerField())


class AncestorScene(StrictSerializer):
    avatarInfo = AncestorFigure(required=False)  # noqa: N815 - droidlet's spelling
    agentInfo = AncestorFigure(required=False)  # noqa: N815
    blocks = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    inst_seg_tags = AncestorTag(many=True)
    frame = AncestorFrame()


# `from` is a keyword of Python, so the field cannot be written as an attribute.
MasksBody = type(
    "MasksBody",
    (StrictSerializer,),
    {
        "__doc__": "Scenes in droidlet's form; what their masks are taken for; how the keys of the tasks begin.",
        "scenes": serializers.ListField(child=serializers.DictField(), min_length=1, max_length=MOST_SCENES),
        "as": serializers.ChoiceField(choices=KINDS),
        "key_prefix": serializers.RegexField(rf"^{PREFIX}\Z", trim_whitespace=False),
    },
)


class MasksAnswer(StrictSerializer):
    created = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    scenes = serializers.ListField(child=serializers.CharField())
    origins = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    ignored = serializers.ListField(child=serializers.CharField())


def project_that_marks(slug: str) -> Project:
    """The project, if its tool marks voxels.

    Raises:
        NotFound: there is no such project.
        Invalid: the project has another tool.
    """
    found = project_named(slug)
    check_tool(found)
    return found


class ProjectMasks(APIView):
    """Every settled mask of a project, one JSON object a line, in the order of the tasks."""

    @extend_schema(
        operation_id="export_masks",
        parameters=[
            OpenApiParameter("since", OpenApiTypes.DATETIME, description="Only what settled after this moment."),
            OpenApiParameter("shares", str, enum=["0", "1"], description="1: how many marked each voxel, too."),
        ],
        responses={(200, LINES): MaskLine},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        project, since = project_that_marks(slug), since_asked(request)
        shares = asked(request, "shares") or "0"
        if shares not in ("0", "1"):
            raise Invalid.at("#/shares", "This is 0 or 1.")
        rows = dataset_rows(project, since=since, with_shares=shares == "1")
        return streamed(request._request, exports.as_lines(rows), content_type=LINES)


class ProjectMaskArrays(APIView):
    """Settled masks as NumPy arrays, at most 1000 a file. The last entry of `tasks` is the `after` of the next file."""

    @extend_schema(
        operation_id="export_mask_arrays",
        parameters=[OpenApiParameter("after", str, description="Go on after the task with this key.")],
        responses={(200, mask_files.ARRAYS): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        return mask_files.arrays(request._request, project_that_marks(slug), after=asked(request, "after"))


class ProjectSceneList(APIView):
    """Scenes with settled masks in droidlet's format; the masks are tags."""

    @extend_schema(operation_id="export_scene_list", responses={200: AncestorScene(many=True)})
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        rows = scene_list(project_that_marks(slug))
        return streamed(request._request, as_list(rows), content_type="application/json")


class ImportMasks(APIView):
    """Import scenes in droidlet's format, as tasks."""

    @extend_schema(operation_id="import_masks", request=MasksBody, responses={200: MasksAnswer})
    def post(self, request: Request, slug: str) -> Response:
        project = project_that_marks(slug)
        body = read(MasksBody, request.data)
        imported = import_payloads(
            project=project,
            payloads=body["scenes"],
            kind=body["as"],
            key_prefix=body["key_prefix"],
            by=actor_of(request),
            at=timezone.now(),
        )
        return Response(imported._asdict())
