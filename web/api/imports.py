"""`/imports/`: recordings that lie in a bucket which the settings name."""

from typing import Any
from urllib.parse import urlencode

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from common.serializers import IntegerField, PatternField, StrictSerializer, read
from evaluation.bucket_files.copies import import_file, import_named, progress
from evaluation.bucket_files.imports import files_below
from evaluation.models import Upload
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


class ImportProblem(StrictSerializer):
    code = serializers.CharField()
    detail = serializers.CharField()


class ImportAnswer(StrictSerializer):
    upload = serializers.CharField(help_text="The name of the import, and of the upload that it becomes.")
    address = serializers.CharField()
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField(allow_null=True, help_text="Null until the copy is complete.")
    state = serializers.ChoiceField(choices=["copying", "complete", "failed"])
    progress = serializers.FloatField(help_text="In 0..1.")
    problem = ImportProblem(allow_null=True, help_text="Why it has failed; or, while it is copied, why it waits.")


def show_import(upload: Upload) -> dict[str, Any]:
    """The answer about one import. At most 1 query."""
    share, waits_for = progress(upload)
    problem = None
    if upload.problem_code:
        problem = {"code": upload.problem_code, "detail": upload.problem_detail}
    elif waits_for is not None:
        problem = {"code": waits_for.code, "detail": waits_for.detail}
    return {
        "upload": upload.public_id,
        "address": upload.source,
        "bytes": upload.bytes,
        "sha256": upload.sha256 or None,
        "state": "copying" if upload.state == Upload.State.OPEN else upload.state,
        "progress": share,
        "problem": problem,
    }


class Imports(Endpoint):
    """List files in a bucket, or copy one of them; its `upload` is then named by an episode.

    A small file is copied at once (201). A larger one is copied in the background (202): ask for the import until its
    `state` is `complete`.
    """

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
                "results": [{"address": one.address, "bytes": one.bytes} for one in page],
                "next": request.build_absolute_uri(f"?{urlencode(following)}") if following else None,
            }
        )

    @extend_schema(operation_id="import_file", request=ImportBody, responses={201: ImportAnswer, 202: ImportAnswer})
    def post(self, request: Request) -> Response:
        upload = import_file(read(ImportBody, request.data)["address"], at=timezone.now())
        is_there = upload.state == Upload.State.COMPLETE
        return Response(show_import(upload), status=status.HTTP_201_CREATED if is_there else status.HTTP_202_ACCEPTED)


class Import(Endpoint):
    """How far the copy of a file in a bucket is."""

    @extend_schema(operation_id="get_import", responses=ImportAnswer)
    def get(self, request: Request, upload: str) -> Response:
        return Response(show_import(import_named(upload)))
