"""`/suites/{slug}.zip`: a suite with its versions and recordings as one file, out and in."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from django.conf import settings
from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from agents.models import ApiKey
from audit.log import Subject
from common.serializers import ExternalIdField, MomentField, PatternField, SlugField, StrictSerializer, read
from evaluation.suite_files.content import SuiteContent
from evaluation.suite_files.reading import Imported, SuiteFile, import_suite, read_suite_file
from evaluation.suite_files.writing import suite_file
from evaluation.suites import frozen_content, frozen_digest, suite_named
from lib.faults import Invalid, NotFound, TooLarge
from web.api.agents import AgentAnswer
from web.api.authentication import actor_of
from web.api.episodes import EpisodeData
from web.api.suites import ScenarioBody, SuiteBody
from web.api.uploads import RawParser
from web.http.endpoints import Endpoint
from web.http.exports import exported

TYPE = "application/zip"
MOST_WORDINGS, MOST_VERSIONS, MOST_EPISODES = 100_000, 1000, 10_000
_CHUNK = 1024 * 1024


class Sha256Field(PatternField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__("[0-9a-f]{64}", error_messages={"invalid": "Use 64 hexadecimal digits."}, **kwargs)


class WordingNamePart(StrictSerializer):
    scenario = ExternalIdField()
    sha256 = Sha256Field()


class WordingPart(WordingNamePart):
    wording = ScenarioBody()


class VersionPart(StrictSerializer):
    version = SlugField()
    sha256 = Sha256Field()
    frozen_at = MomentField()
    wordings = serializers.ListField(child=WordingNamePart(), max_length=MOST_WORDINGS)


class RecordingData(EpisodeData):
    """The posted fields, without those that the file states elsewhere."""

    agent = None  # type: ignore[assignment]
    suite = None  # type: ignore[assignment]
    scenario = None  # type: ignore[assignment]


class EpisodePart(StrictSerializer):
    data = RecordingData()  # type: ignore[assignment]
    agent = AgentAnswer()
    wording = WordingNamePart()
    video = PatternField("media/[0-9a-f]{64}")


class SuiteContentBody(StrictSerializer):
    """`suite.json` in the file."""

    suite = SuiteBody()
    wordings = serializers.ListField(child=WordingPart(), max_length=MOST_WORDINGS)
    present = serializers.ListField(child=WordingNamePart(), max_length=MOST_WORDINGS)
    versions = serializers.ListField(child=VersionPart(), max_length=MOST_VERSIONS)
    episodes = serializers.ListField(child=EpisodePart(), max_length=MOST_EPISODES)


class ImportedVersion(StrictSerializer):
    version = SlugField()
    sha256 = serializers.CharField()


class ImportedAnswer(StrictSerializer):
    suite = SlugField()
    scenarios = serializers.IntegerField(help_text="Present scenarios of the file.")
    episodes = serializers.IntegerField(help_text="Recordings of the file.")
    versions = ImportedVersion(many=True)


class ZipParser(RawParser):
    media_type = TYPE


def shape_of(parsed: Any) -> SuiteContent:
    """The content of a file with its types. Raises Invalid."""
    content: SuiteContent = read(SuiteContentBody, parsed)  # type: ignore[assignment]
    return content


def show_import(found: Imported) -> dict[str, Any]:
    versions = [{"version": one.slug, "sha256": frozen_digest(frozen_content(one))} for one in found.versions]
    return {
        "suite": found.suite.slug,
        "scenarios": found.scenarios,
        "episodes": found.episodes,
        "versions": versions,
    }


@contextmanager
def received(stream: Any) -> Iterator[IO[bytes]]:
    """The body of a request as a file, from its beginning.

    Raises:
        Invalid: there is no body.
        TooLarge
    """
    with tempfile.TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR) as file:
        size = 0
        while hasattr(stream, "read") and (chunk := stream.read(_CHUNK)):
            size += len(chunk)
            if size > settings.SUITE_MAX_BYTES:
                raise TooLarge(f"The file of a suite has at most {settings.SUITE_MAX_BYTES} bytes here.")
            file.write(chunk)
        if not size:
            raise Invalid("Send the file of a suite as the body.")
        file.seek(0)
        yield file


def _check_agents(key: object, read: SuiteFile) -> None:
    """A key that may act as some agents puts no recordings of others."""
    agents = {one["agent"]["slug"] for one in read.content["episodes"]}
    if isinstance(key, ApiKey) and not all(key.acts_as(agent) for agent in agents):
        raise NotFound


class OneSuiteFile(Endpoint):
    """A suite with its scenarios, versions and recordings as one zip file."""

    parser_classes = [ZipParser]

    def most_body_bytes(self) -> int:
        return int(settings.SUITE_MAX_BYTES)

    @extend_schema(
        operation_id="get_suite_file",
        responses={(200, TYPE): OpenApiResponse(OpenApiTypes.BINARY, description="The suite.")},
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        return exported(
            request._request,
            suite_file(suite_named(slug)),
            what=Subject("suite", slug),
            by=actor_of(request),
            content_type=TYPE,
            filename=f"{slug}.zip",
        )

    @extend_schema(
        operation_id="put_suite_file",
        description="Make the suite equal to that of a file. Its other versions and all episodes stay.",
        request={TYPE: OpenApiTypes.BINARY},
        responses={200: ImportedAnswer, 201: ImportedAnswer},
    )
    def put(self, request: Request, slug: str) -> Response:
        with received(request.data) as file:
            found = read_suite_file(file, shape_of)
            _check_agents(request.auth, found)
            imported = import_suite(slug=slug, read=found, by=actor_of(request), at=timezone.now())
        code = status.HTTP_201_CREATED if imported.is_new else status.HTTP_200_OK
        return Response(show_import(imported), status=code)
