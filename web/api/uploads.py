"""`/uploads/`: uploads of large files in parts."""

from typing import IO, Any

from django.conf import settings
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from common.serializers import StrictSerializer, read
from evaluation import uploads


class UploadBody(StrictSerializer):
    filename = serializers.CharField(max_length=255)
    bytes = serializers.IntegerField(min_value=1)
    sha256 = serializers.RegexField(r"^[0-9a-fA-F]{64}\Z", error_messages={"invalid": "Use 64 hexadecimal digits."})


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
    number = serializers.IntegerField(min_value=1)
    etag = serializers.CharField(max_length=100)


class CompleteBody(StrictSerializer):
    parts = serializers.ListField(child=PartTag(), max_length=10_000)


class CompleteAnswer(StrictSerializer):
    upload = serializers.CharField()
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()


class RawParser(BaseParser):
    """Accepts any body without reading it."""

    media_type = "*/*"

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        return stream


class Uploads(APIView):
    """Announce a file. The answer has an address for each part."""

    @extend_schema(operation_id="begin_upload", request=UploadBody, responses={201: UploadAnswer})
    def post(self, request: Request) -> Response:
        body = read(UploadBody, request.data)
        upload = uploads.begin(filename=body["filename"], size=body["bytes"], sha256=body["sha256"], at=timezone.now())
        shown = {
            "upload": upload.public_id,
            "part_bytes": settings.UPLOAD_PART_BYTES,
            "parts": uploads.parts_of(upload),
        }
        return Response(shown, status=status.HTTP_201_CREATED)


class Part(APIView):
    """Send one part to its signed address; no credential is needed. The answer has its `ETag`."""

    authentication_classes = []
    permission_classes = []
    parser_classes = [RawParser]

    @extend_schema(
        operation_id="put_part",
        auth=[],
        parameters=[
            OpenApiParameter("at", OpenApiTypes.STR),
            OpenApiParameter("signature", OpenApiTypes.STR),
        ],
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses={200: None},
    )
    def put(self, request: Request, upload: str, number: int) -> Response:
        found = uploads.check_part_address(
            upload,
            number,
            at=request.query_params.get("at", ""),
            signature=request.query_params.get("signature", ""),
        )
        etag = uploads.receive_part(upload=found, number=number, stream=request._request)  # type: ignore[arg-type]
        return Response(status=status.HTTP_200_OK, headers={"ETag": f'"{etag}"'})


class Complete(APIView):
    """Complete an upload after all parts have arrived: the server joins them and checks the whole file."""

    @extend_schema(operation_id="complete_upload", request=CompleteBody, responses={200: CompleteAnswer})
    def post(self, request: Request, upload: str) -> Response:
        found = uploads.upload_named(upload)
        body = read(CompleteBody, request.data)
        whole = uploads.complete(upload=found, parts=body["parts"])
        return Response({"upload": whole.public_id, "bytes": whole.bytes, "sha256": whole.sha256})
