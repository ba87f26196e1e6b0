"""A project's datasets as Parquet: the rows of the JSON Lines, with a schema that depends on no project."""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from agents.models import ApiKey
from annotation.datasets import annotations, forms, masks
from annotation.datasets.forms_import import check_tool
from annotation.projects.projects import project_named
from common.serializers import ExternalIdField, MomentField, OpaqueIdField
from lib.extras import check_installed
from lib.files.parquet import CONTENT_TYPE, EXTRA, Column, pieces
from web.api.authentication import actor_of
from web.api.commands import command_rows
from web.http.endpoints import Endpoint
from web.http.exports import exported
from web.http.query_parameters import QuerySerializer, asks

MANY, FEW = 5000, 500
"""Rows of a group: of small rows, and of rows with whole forms or masks in them."""

ANNOTATIONS = (
    Column("annotation", "text"),
    Column("task", "text"),
    Column("worker", "text"),
    Column("answer", "json"),
    Column("is_reference", "boolean"),
    Column("score", "number"),
    Column("claimed_at", "moment"),
    Column("submitted_at", "moment"),
    Column("active_s", "number"),
    Column("superseded_by", "text"),
    Column("instructions_version", "integer"),
)
CONSENSUS = (
    Column("task", "text"),
    Column("answer", "json"),
    Column("method", "text"),
    Column("confidence", "number"),
    Column("annotations", "integer"),
)
FORMS = (
    Column("command", "text"),
    Column("text", "text"),
    Column("tokens", "texts"),
    Column("context", "json"),
    Column("form", "json"),
    Column("other_forms", "json"),
    Column("words", "text"),
    Column("method", "text"),
    Column("confidence", "number"),
    Column("settled_at", "moment"),
    Column("marked", "boolean"),
    Column("agent_form", "json"),
    Column("agrees", "boolean"),
    Column("is_reference", "boolean"),
    Column("with_guess", "boolean"),
    Column("adjudicated", "json"),
    Column("provenance", "json"),
)
MASKS = (
    Column("task", "text"),
    Column("scene", "text"),
    Column("phrase", "text"),
    Column("voxels", "places"),
    Column("absent", "boolean"),
    Column("method", "text"),
    Column("confidence", "number"),
    Column("annotations", "integer"),
    Column("settled_at", "moment"),
    Column("source", "json"),
    Column("agent_mask_iou", "number"),
)
COMMANDS = (
    Column("command", "text"),
    Column("session", "text"),
    Column("worker", "text"),
    Column("agent", "text"),
    Column("text", "text"),
    Column("parse", "json"),
    Column("model", "text"),
    Column("shadow", "json"),
    Column("status", "text"),
    Column("outcome", "text"),
    Column("path", "json"),
    Column("feedback", "text"),
    Column("scores", "json"),
    Column("at", "moment"),
    Column("dropped", "boolean"),
)

Rows = Iterable[Mapping[str, Any]]
described = {(200, CONTENT_TYPE): OpenApiTypes.BINARY}


class AfterAnnotation(QuerySerializer):
    since = OpaqueIdField(required=False, help_text="Go on after this annotation.")


class AfterCommand(QuerySerializer):
    since = ExternalIdField(required=False, help_text="Go on after this command.")


class AfterMoment(QuerySerializer):
    since = MomentField(required=False, help_text="Only what settled after this moment.")


class _Dataset(Endpoint):
    def since(self) -> Any:
        return self.query.get("since")

    def since_moment(self) -> datetime | None:
        found: datetime | None = self.query.get("since")
        return found

    def sent(
        self, request: Request, slug: str, rows: Rows, columns: tuple[Column, ...], *, what: str, rows_a_group: int
    ) -> HttpResponseBase:
        return exported(
            request._request,
            pieces(rows, columns, rows_a_group=rows_a_group),
            what=what,
            by=actor_of(request),
            project=slug,
            with_identity=names_people(request),
            content_type=CONTENT_TYPE,
            filename=f"{slug}-{what}.parquet",
        )


class ParquetAnnotations(_Dataset):
    """Every annotation of a project, oldest first, as Parquet; answers are JSON in a column of text."""

    @extend_schema(operation_id="export_annotations_parquet", responses=described)
    @asks(AfterAnnotation)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        check_installed(EXTRA)
        lines = annotations.annotation_lines(
            project_named(slug), since=self.since() or "", with_identity=names_people(request)
        )
        return self.sent(request, slug, _read(lines), ANNOTATIONS, what="annotations", rows_a_group=MANY)


class ParquetConsensus(_Dataset):
    """The consensus of each task that has one, as Parquet; answers are JSON in a column of text."""

    @extend_schema(operation_id="export_consensus_parquet", responses=described)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        check_installed(EXTRA)
        lines = annotations.consensus_lines(project_named(slug))
        return self.sent(request, slug, _read(lines), CONSENSUS, what="consensus", rows_a_group=MANY)


class ParquetForms(_Dataset):
    """Every command of a project whose form is known, as Parquet; forms are JSON in columns of text."""

    @extend_schema(operation_id="export_forms_parquet", responses=described)
    @asks(AfterMoment)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        check_installed(EXTRA)
        project = project_named(slug)
        check_tool(project)
        rows = forms.dataset_rows(project, since=self.since_moment(), with_identity=names_people(request))
        return self.sent(request, slug, rows, FORMS, what="forms", rows_a_group=FEW)


class ParquetMasks(_Dataset):
    """Every settled mask of a project, as Parquet; `voxels` is null where the object is absent."""

    @extend_schema(operation_id="export_masks_parquet", responses=described)
    @asks(AfterMoment)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        check_installed(EXTRA)
        project = project_named(slug)
        masks.check_tool(project)
        rows = ({**row, **_mask(row["answer"])} for row in masks.dataset_rows(project, since=self.since_moment()))
        return self.sent(request, slug, rows, MASKS, what="masks", rows_a_group=FEW)


class ParquetCommands(_Dataset):
    """Every command that was given in a project, oldest first, as Parquet; parses are JSON in a column of text."""

    @extend_schema(operation_id="export_commands_parquet", responses=described)
    @asks(AfterCommand)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        check_installed(EXTRA)
        rows = command_rows(project_named(slug), since=self.since() or "", with_identity=names_people(request))
        return self.sent(request, slug, rows, COMMANDS, what="commands", rows_a_group=MANY)


def names_people(request: Request) -> bool:
    """Whether the key may see workers under their names."""
    assert isinstance(request.auth, ApiKey)  # noqa: S101 - HasScope has seen to it
    return request.auth.allows(ApiKey.Scope.IDENTITY)


def _read(pages: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for page in pages for line in page.split(b"\n") if line)


def _mask(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {"voxels": answer.get("voxels"), "absent": bool(answer.get("absent"))}
