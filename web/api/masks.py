"""The masks of a project: export as a dataset, and import of droidlet's scenes as tasks."""

from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.datasets import annotations as exports
from annotation.datasets.masks import as_list, check_tool, dataset_rows, scene_list
from annotation.datasets.masks_import import KINDS, MOST_SCENES, PREFIX, import_payloads
from annotation.models import Project
from annotation.projects.projects import project_named
from common.serializers import ChoiceField, ExternalIdField, MomentField, PatternField, StrictSerializer, read
from lib.voxels.droidlet import FARTHEST
from lib.voxels.table import MOST_BLOCKS
from web.api import mask_files
from web.api.authentication import actor_of
from web.api.exports import LINES
from web.http.endpoints import Endpoint
from web.http.exports import exported
from web.http.query_parameters import QuerySerializer, asks


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


@extend_schema_field(
    {
        "type": "object",
        "required": ["blocks"],
        "properties": {
            "blocks": {
                "type": "array",
                "items": {
                    "type": "array",
                    "items": {"type": "integer", "minimum": -FARTHEST, "maximum": FARTHEST},
                    "minItems": 4,
                    "maxItems": 4,
                },
                "maxItems": MOST_BLOCKS,
            },
        },
        "additionalProperties": {},
    }
)
class AncestorField(serializers.DictField):
    """A scene in droidlet's form; `lib.voxels.droidlet` reads it, and ignores fields that it does not know."""


# `from` is a keyword of Python, so the field cannot be written as an attribute.
MasksBody = type(
    "MasksBody",
    (StrictSerializer,),
    {
        "__doc__": "Scenes in droidlet's form; what their masks are taken for; how the keys of the tasks begin.",
        "scenes": serializers.ListField(child=AncestorField(), min_length=1, max_length=MOST_SCENES),
        "as": ChoiceField(choices=KINDS),
        "key_prefix": PatternField(PREFIX),
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


class MasksQuery(QuerySerializer):
    since = MomentField(required=False, help_text="Only what settled after this moment.")
    shares = ChoiceField(choices=["0", "1"], default="0", help_text="1: how many marked each voxel, too.")


class ArraysQuery(QuerySerializer):
    after = ExternalIdField(required=False, help_text="Go on after the task with this key.")


class ProjectMasks(Endpoint):
    """Every settled mask of a project, one JSON object a line, in the order of the tasks."""

    @extend_schema(operation_id="export_masks", responses={(200, LINES): MaskLine})
    @asks(MasksQuery)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        with_shares = self.query["shares"] == "1"
        rows = dataset_rows(project_that_marks(slug), since=self.query.get("since"), with_shares=with_shares)
        return exported(
            request._request,
            exports.as_lines(rows),
            what="masks",
            by=actor_of(request),
            project=slug,
            content_type=LINES,
        )


class ProjectMaskArrays(Endpoint):
    """Settled masks as NumPy arrays, at most 1000 a file. The last entry of `tasks` is the `after` of the next file."""

    @extend_schema(operation_id="export_mask_arrays", responses={(200, mask_files.ARRAYS): OpenApiTypes.BINARY})
    @asks(ArraysQuery)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        project, after = project_that_marks(slug), self.query.get("after", "")
        return mask_files.arrays(request._request, project, by=actor_of(request), after=after)


class ProjectSceneList(Endpoint):
    """Scenes with settled masks in droidlet's format; the masks are tags."""

    @extend_schema(operation_id="export_scene_list", responses={200: AncestorScene(many=True)})
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        rows = scene_list(project_that_marks(slug))
        return exported(
            request._request,
            as_list(rows),
            what="scenes",
            by=actor_of(request),
            project=slug,
            content_type="application/json",
        )


class ImportMasks(Endpoint):
    """Import scenes in droidlet's format, as tasks."""

    commits_with_answer = False

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
