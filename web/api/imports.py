"""`/imports/`: recordings that lie in a bucket which the settings name."""

from urllib.parse import urlencode

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from common.serializers import IntegerField, PatternField, StrictSerializer, read
from evaluation.bucket_files.imports import files_below, import_file
from web.api.uploads import CompleteAnswer
from web.http.cursor_pages import MOST_ROWS
from web.http.endpoints import Endpoint
from web.http.query_parameters import QuerySerializer, asks

ADDRESS = r"s3://[A-Za-z0-9._-]{1,100}(/.{0,1024})?"
NO_ADDRESS = {"invalid": "Write the address as s3://bucket/prefix."}


class ImportsQuery(QuerySerializer):
    prefix = PatternField(ADDRESS, help_text="As `s3://recordings/run-7/`.", error_messages=NO_ADDRESS)
    after = PatternField(ADDRESS, required=False, help_text="Go on after this address.", error_messages=NO_ADDRESS)
    page_size = IntegerField(min_value=1, max_value=MOST_ROWS, required=False, help_text="100 by default.")


class BucketFileAnswer(StrictSerializer):
    address = serializers.CharField()
    bytes = serializers.IntegerField()


class BucketFilePage(StrictSerializer):
    results = BucketFileAnswer(many=True)
    next = serializers.URLField(allow_null=True)


class ImportBody(StrictSerializer):
    address = PatternField(ADDRESS, error_messages=NO_ADDRESS)


class Imports(Endpoint):
    """List files in a bucket, or copy one of them; its `upload` is then named by an episode."""

    commits_with_answer = False

    @extend_schema(operation_id="list_bucket_files", responses=BucketFilePage)
    @asks(ImportsQuery)
    def get(self, request: Request) -> Response:
        size = self.query.get("page_size", 100)
        found = files_below(self.query["prefix"], after=self.query.get("after", ""), most=size + 1)
        page = found[:size]
        following = {**request.query_params.dict(), "after": page[-1].address} if len(found) > size else None
        return Response(
            {
                "results": [one._asdict() for one in page],
                "next": request.build_absolute_uri(f"?{urlencode(following)}") if following else None,
            }
        )

    @extend_schema(operation_id="import_file", request=ImportBody, responses={201: CompleteAnswer})
    def post(self, request: Request) -> Response:
        upload = import_file(read(ImportBody, request.data)["address"], at=timezone.now())
        shown = {"upload": upload.public_id, "bytes": upload.bytes, "sha256": upload.sha256}
        return Response(shown, status=status.HTTP_201_CREATED)
