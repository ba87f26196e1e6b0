"""`/episodes/`: recordings of agents. A recording is posted once, and prepared in the background."""

from collections.abc import Iterable
from functools import partial
from itertools import pairwise
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Project
from annotation.tools.marker.serializers import OUTCOMES
from annotation.tools.marker.tool import TOLERANCE_S
from common.serializers import (
    BIGGEST,
    ChoiceField,
    ExternalIdField,
    IntegerField,
    MetadataField,
    NoBody,
    NumberField,
    SlugField,
    StrictSerializer,
    TextField,
    read,
)
from evaluation import archive
from evaluation.episodes import PostedFile, episode_named, post_episode
from evaluation.models import Episode, Upload
from evaluation.picture_notes import WORDS, picture_notes
from evaluation.ranking import consensus_of_all
from evaluation.uploads import upload_named
from lib.faults import Fault, Invalid, Malformed, NotFound, TooLarge, UnknownField
from lib.strict_json import parse_json
from web.api.authentication import actor_of
from web.api.idempotency import file_digest
from web.http.byte_ranges import serve_file
from web.http.cursor_pages import page_of_many
from web.http.endpoints import Endpoint
from web.http.key_limits import rows_within
from web.http.openapi import listed
from web.http.parsing import JsonParser
from web.http.replaceable import archived

MOST_STEPS = 100_000
_PARTS = ("data", "video", "trajectory")


class LineBody(StrictSerializer):
    at_s = NumberField(min_value=0)
    speaker = TextField(max_length=100)
    text = TextField(max_length=5000)


class EpisodeReference(StrictSerializer):
    outcome = ChoiceField(choices=OUTCOMES)
    time_s = NumberField(min_value=0, default=None, allow_null=True)
    tolerance_s = NumberField(min_value=0, default=TOLERANCE_S)


class EpisodeData(StrictSerializer):
    external_id = ExternalIdField()
    agent = SlugField()
    suite = SlugField()
    scenario = ExternalIdField()
    continuation = IntegerField(min_value=0, max_value=BIGGEST)
    instruction = TextField(max_length=5000, required=False, allow_null=True)
    takeover_s = NumberField(min_value=0, required=False, allow_null=True)
    transcript = serializers.ListField(child=LineBody(), max_length=10_000, required=False, allow_null=True)
    step_frames = serializers.ListField(
        child=IntegerField(min_value=0), max_length=MOST_STEPS, required=False, allow_null=True
    )
    metadata = MetadataField(required=False, allow_null=True)
    reference = EpisodeReference(required=False, allow_null=True)

    def validate_step_frames(self, value: list[int] | None) -> list[int] | None:
        if value and any(later < earlier for earlier, later in pairwise(value)):
            raise serializers.ValidationError("The first frames of steps must not go down.")
        return value


class EpisodeJson(EpisodeData):
    upload = TextField(max_length=64)


class EpisodeMultipart(StrictSerializer):
    """The body of a multipart request, for OpenAPI: `data` is JSON of the usual shape, without `upload`."""

    data = EpisodeData()  # type: ignore[assignment]
    video = serializers.FileField()
    trajectory = serializers.FileField(required=False)


class ProblemAnswer(StrictSerializer):
    code = serializers.CharField()
    detail = serializers.CharField()


class PictureAnswer(StrictSerializer):
    notes = serializers.ListField(child=serializers.ChoiceField(choices=list(WORDS)))
    black = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()))
    frozen = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()))
    cuts = serializers.ListField(child=serializers.FloatField())


class VideoAnswer(StrictSerializer):
    frames = serializers.IntegerField()
    duration_s = serializers.FloatField()
    width = serializers.IntegerField()
    height = serializers.IntegerField()


class ConsensusAnswer(StrictSerializer):
    outcome = serializers.ChoiceField(choices=OUTCOMES, allow_null=True)
    frame = serializers.IntegerField(allow_null=True)
    time_s = serializers.FloatField(allow_null=True)
    annotations = serializers.IntegerField()


class EpisodeAnswer(EpisodeData):
    status = serializers.ChoiceField(choices=Episode.Status.choices)
    problem = ProblemAnswer(allow_null=True)
    video = VideoAnswer(allow_null=True)
    picture = PictureAnswer(allow_null=True)
    consensus = ConsensusAnswer(allow_null=True)
    archived_at = serializers.DateTimeField(required=False, help_text="Only while it is archived.")


def show(episode: Episode, request: Request) -> dict[str, Any]:
    """An episode as JSON. 2 queries."""
    return show_all(request, [episode])[0]


def show_all(request: Request, found: Iterable[Episode]) -> list[dict[str, Any]]:
    """Episodes as JSON, each with a consensus within the limits of the key. 2 queries, however many there are."""
    episodes = list(found)
    consensus = consensus_of_all(episodes, among=rows_within(request, Project.objects.all()))
    return [_show(episode, consensus.get(episode.pk)) for episode in episodes]


def _show(episode: Episode, consensus: dict[str, Any] | None) -> dict[str, Any]:
    film = getattr(episode, "film", None)
    return {
        "external_id": episode.external_id,
        "agent": episode.agent.slug,
        "suite": episode.scenario.suite.slug,
        "scenario": episode.scenario.key,
        "continuation": episode.continuation,
        "instruction": episode.instruction,
        "takeover_s": episode.takeover_s,
        "transcript": episode.transcript,
        "step_frames": episode.step_frames,
        "metadata": episode.metadata,
        "reference": episode.reference,
        "status": episode.status,
        "problem": {"code": episode.problem_code, "detail": episode.problem_detail} if episode.problem_code else None,
        "video": {name: getattr(film, name) for name in ("frames", "duration_s", "width", "height")} if film else None,
        "picture": picture_notes(film) if film else None,
        "consensus": consensus,
        **archived(episode),
    }


class Episodes(Endpoint):
    """List all episodes, or post one."""

    commits_with_answer = False
    parser_classes = [JsonParser, MultiPartParser]

    def most_body_bytes(self) -> int:
        """A multipart body has all three parts, and their headers."""
        files = settings.VIDEO_MAX_BYTES + settings.TRAJECTORY_MAX_BYTES
        return int(files + settings.DATA_UPLOAD_MAX_MEMORY_SIZE + settings.ANONYMOUS_BODY_MAX_BYTES)

    @listed("list_episodes", EpisodeAnswer)
    def get(self, request: Request) -> Response:
        rows = Episode.objects.listed().select_related("agent", "scenario__suite", "revision", "film")
        return page_of_many(request, rows, partial(show_all, request))

    @extend_schema(
        operation_id="post_episode",
        request={"application/json": EpisodeJson, "multipart/form-data": EpisodeMultipart},
        responses={200: EpisodeAnswer, 201: EpisodeAnswer},
    )
    def post(self, request: Request) -> Response:
        if isinstance(request.data, QueryDict):
            data, video, trajectory = _multipart(request, request.data)
        else:
            data = read(EpisodeJson, request.data)
            video, trajectory = _uploaded(data.pop("upload")), None
        episode, is_new = post_episode(data=data, video=video, trajectory=trajectory, at=timezone.now())
        shown = show(episode_named(episode.external_id), request)
        return Response(shown, status=status.HTTP_201_CREATED if is_new else status.HTTP_200_OK)


def _uploaded(public_id: str) -> PostedFile:
    try:
        upload = upload_named(public_id)
    except NotFound:
        raise Invalid.at("#/upload", "There is no such upload.") from None
    if upload.state != Upload.State.COMPLETE:
        raise Invalid.at("#/upload", "This upload is not complete: send its parts, then call …/complete/.")
    return PostedFile(upload.filename, upload.sha256, None, upload.file)


def _multipart(request: Request, parts: QueryDict) -> tuple[dict[str, Any], PostedFile, PostedFile | None]:
    unknown = [name for name in parts if name not in _PARTS]
    if unknown:
        raise UnknownField(
            faults=[Fault(f"#/{name}", f"There is no part {name!r}; use {', '.join(_PARTS)}.") for name in unknown]
        )
    raw: Any = parts.get("data")
    if raw is None:
        raise Invalid.at("#/data", "The part `data` is missing: the episode as JSON.")
    most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    text = raw.read(most + 1) if isinstance(raw, UploadedFile) else raw
    if len(text) > most:
        raise TooLarge(f"The part `data` has at most {most} bytes, like every JSON body.")
    try:
        parsed = parse_json(text)
    except ValueError as error:
        raise Malformed(f"The part `data` is not JSON: {error}.") from None
    data = read(EpisodeData, parsed)
    video = _file(request, "video", most=settings.VIDEO_MAX_BYTES)
    if video is None:
        raise Invalid.at("#/video", "The part `video` is missing: send the recording as a file.")
    return data, video, _file(request, "trajectory", most=settings.TRAJECTORY_MAX_BYTES)


def _file(request: Request, name: str, *, most: int) -> PostedFile | None:
    file = request.FILES.get(name)
    if file is None:
        if name in request.data:
            raise Invalid.at(f"#/{name}", "Send this part as a file: with a `filename`.")
        return None
    if (file.size or 0) > most:
        raise TooLarge(f"The part `{name}` has {file.size} bytes; at most {most} are taken.")
    return PostedFile(file.name or name, file_digest(file), file.file)


class OneEpisode(Endpoint):
    """One episode by its external id."""

    @extend_schema(operation_id="get_episode", responses=EpisodeAnswer)
    def get(self, request: Request, external_id: str) -> Response:
        return Response(show(episode_named(external_id), request))

    @extend_schema(
        operation_id="archive_episode",
        description="Archive it: it is hidden, not judged and left out of rankings, until `restore/`.",
        responses={204: None},
    )
    def delete(self, request: Request, external_id: str) -> Response:
        archive.archive_episode(episode=episode_named(external_id), by=actor_of(request), at=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class RestoreEpisode(Endpoint):
    """Put an archived episode back, with its tasks."""

    @extend_schema(operation_id="restore_episode", request=NoBody, responses=EpisodeAnswer)
    def post(self, request: Request, external_id: str) -> Response:
        read(NoBody, request.data)
        archive.restore_episode(episode=episode_named(external_id), by=actor_of(request), at=timezone.now())
        return Response(show(episode_named(external_id), request))


class Trajectory(Endpoint):
    """The trajectory as it was posted."""

    @extend_schema(operation_id="get_trajectory", responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
    def get(self, request: Request, external_id: str) -> HttpResponseBase:
        episode = episode_named(external_id)
        if not episode.trajectory:
            raise NotFound
        return serve_file(
            request._request,
            default_storage,
            episode.trajectory,
            content_type="application/octet-stream",
            etag=episode.folder,
        )
