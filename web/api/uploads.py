"""`/uploads/`: uploads of large files in parts."""

from typing import IO, Any

from django.conf import settings
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import BaseParser
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from common.serializers import IntegerField, PatternField, StrictSerializer, TextField, read
from evaluation import uploads
from web.http.endpoints import Endpoint
from web.http.query_parameters import QuerySerializer, asks


class UploadBody(StrictSerializer):
    filename = TextField(max_length=255)
    bytes = IntegerField(min_value=1)
    sha256 = PatternField(r"[0-9a-fA-F]{64}", error_messages={"invalid": "Use 64 hexadecimal digits."})


class PartAddress(StrictSerializer):
    number = serializers.IntegerField()
    url = serializers.URLField()
    method = serializers.CharField()
    headers = serializers.DictField(child=serializers.CharField())


class UploadAnswer(StrictSerializer):
    upload = serializers.CharField()
    part_bytes = serializers.IntegerField()
    parts = PartAddress(many=True)


class PartTag(StrictSerializer):
    number = IntegerField(min_value=1)
    etag = TextField(max_length=100)


class CompleteBody(StrictSerializer):
    parts = serializers.ListField(child=PartTag(), max_length=10_000)


class CompleteAnswer(StrictSerializer):
    upload = serializers.CharField()
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()


class PartQuery(QuerySerializer):
    at = TextField(max_length=20, help_text="As in the address of the part.")
    signature = TextField(max_length=100, help_text="As in the address of the part.")


class RawParser(BaseParser):
    """Accepts any body without reading it."""

    media_type = "*/*"

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        return stream


class Uploads(Endpoint):
    """Announce a file. The answer has an address for each part."""

    @extend_schema(operation_id="begin_upload", request=UploadBody, responses={201: UploadAnswer})
    def post(self, request: Request) -> Response:
        body = read(UploadBody, request.data)
        upload = uploads.begin(
            filename=body["filename"], size=body["bytes"], sha256=body["sha256"], at=timezone.now(), is_direct=True
        )
        shown = {
            "upload": upload.public_id,
            "part_bytes": settings.UPLOAD_PART_BYTES,
            "parts": uploads.parts_of(upload),
        }
        return Response(shown, status=status.HTTP_201_CREATED)


class HasPartAddress(BasePermission):
    """Admits requests to an address that this server signed for one part; 404 for every other one."""

    def has_permission(self, request: Request, view: Any) -> bool:
        request.auth = uploads.check_part_address(
            view.kwargs["upload"],
            view.kwargs["number"],
            at=request.query_params.get("at", ""),
            signature=request.query_params.get("signature", ""),
        )
        return True


class Part(Endpoint):
    """Send one part to its signed address; no credential is needed. The answer has its `ETag`."""

    authentication_classes = []
    permission_classes = [HasPartAddress]
    parser_classes = [RawParser]

    def most_body_bytes(self) -> int:
        return int(settings.UPLOAD_PART_BYTES)

    @extend_schema(
        operation_id="put_part",
        auth=[],
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses={200: None},
    )
    @asks(PartQuery)
    def put(self, request: Request, upload: str, number: int) -> Response:
        etag = uploads.receive_part(upload=request.auth, number=number, stream=request._request)  # type: ignore[arg-type]
        return Response(status=status.HTTP_200_OK, headers={"ETag": f'"{etag}"'})


class Complete(Endpoint):
    """Complete an upload after all parts have arrived: the server joins them and checks the whole file."""

    commits_with_answer = False

    @extend_schema(operation_id="complete_upload", request=CompleteBody, responses={200: CompleteAnswer})
    def post(self, request: Request, upload: str) -> Response:
        found = uploads.upload_named(upload)
        body = read(CompleteBody, request.data)
        whole = uploads.complete(upload=found, parts=body["parts"])
        return Response({"upload": whole.public_id, "bytes": whole.bytes, "sha256": whole.sha256})
