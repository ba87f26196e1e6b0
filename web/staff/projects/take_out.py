"""Everything of a project as files: each format with the shape of its columns, and a download that needs no key."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_safe
from rest_framework import serializers

from annotation.access import roles
from annotation.access.roles import Role
from annotation.datasets import annotations
from annotation.datasets.annotations import as_lines
from annotation.datasets.forms import dataset_lines, dataset_rows
from annotation.datasets.forms_lines import JSONL, SHAPES
from annotation.models import Project
from annotation.review.findings import finding_rows
from annotation.tools.parse.tool import parse
from annotation.tools.voxels.tool import voxels
from interaction.project.tool import interaction
from lib.faults import NotFound
from routing.exports import report_rows
from web.api.commands import CommandLine, command_rows
from web.api.exports import AnnotationLine, ConsensusLine, FindingLine
from web.api.forms import FormLine
from web.api.masks import MaskLine
from web.api.reports import ErrorReportLine
from web.http.exports import exported
from web.staff.decorators import staff_actor, staff_only

LINES = "application/x-ndjson"


class Format(NamedTuple):
    """One file of a project.

    Attributes:
        name: Its name, and the last part of its address.
        about: What a line is.
        line: The shape of a line; None where the format's own page tells it.
        pieces: Makes the file; None where another address does.
        elsewhere: That address, with its query.
    """

    name: str
    about: str
    line: type[serializers.Serializer[Any]] | None
    pieces: Callable[[Project], Iterator[bytes]] | None = None
    elsewhere: Callable[[Project], str] | None = None


class Field(NamedTuple):
    """A column: its name, its type in words, and what it means if the API says so."""

    name: str
    type: str
    can_lack: bool
    about: str


class ShownFormat(NamedTuple):
    format: Format
    address: str
    fields: list[Field]
    api: str


def _list_of(name: str) -> Callable[[Project], str]:
    return lambda project: f"{reverse(name, args=[project.slug])}?download=jsonl"


def _of_ledger(project: Project) -> str:
    return f"{reverse('staff-ledger')}?project={project.slug}&download=csv"


EVERY = (
    Format(
        "annotations.jsonl",
        "One line an answer, oldest first. Workers stand under their pseudonyms.",
        AnnotationLine,
        annotations.annotation_lines,
    ),
    Format(
        "consensus.jsonl",
        "One line a task that has a settled answer.",
        ConsensusLine,
        annotations.consensus_lines,
    ),
    Format(
        "findings.jsonl",
        "One line a category that a reviewer gave to a task or an answer.",
        FindingLine,
        lambda project: as_lines(finding_rows(project)),
    ),
    Format("tasks.jsonl", "One line a task, as its list shows it.", None, elsewhere=_list_of("staff-tasks")),
)
COMMANDS = (
    Format(
        "commands.jsonl",
        "One line a command that was given or posted here, with the agent's parse and its outcome.",
        CommandLine,
        lambda project: as_lines(command_rows(project, since="", with_identity=False)),
    ),
    Format(
        "error_reports.jsonl",
        "One line a command that was marked as gone wrong, with its repair.",
        ErrorReportLine,
        lambda project: as_lines(report_rows(project=project)),
    ),
)


def _forms(shape: str) -> Callable[[Project], str]:
    return lambda project: f"{reverse('staff-forms-download', args=[project.slug])}?shape={shape}"


FORMS = (
    Format(
        "forms.jsonl",
        "One line a command with its settled logical form, its other forms, and how people came to it.",
        FormLine,
        lambda project: dataset_lines(dataset_rows(project), JSONL),
    ),
    *(
        Format(f"forms-{shape}.txt", "The settled forms as lines of droidlet's files.", None, elsewhere=_forms(shape))
        for shape in SHAPES
        if shape != JSONL
    ),
)


def _masks(form: str) -> Callable[[Project], str]:
    return lambda project: f"{reverse('staff-masks-download', args=[project.slug])}?form={form}"


MASKS = (
    Format("masks.jsonl", "One line a phrase with its settled mask.", MaskLine, elsewhere=_masks("jsonl")),
    Format("masks.npz", "The settled masks as NumPy arrays, for numpy.load.", None, elsewhere=_masks("npz")),
    Format("scene_list.json", "The scenes with their masks, as droidlet reads them.", None, elsewhere=_masks("scenes")),
)
LEDGER = Format("ledger.csv", "One line an amount that is owed or paid here.", None, elsewhere=_of_ledger)


def _formats(request: HttpRequest, project: Project) -> list[Format]:
    """The formats that the project's tool has, and those that the account may take."""
    found = [*EVERY]
    if parse.is_tool_of(project):
        found += FORMS
    if voxels.is_tool_of(project):
        found += MASKS
    if interaction.is_tool_of(project) or project.commands.exists():
        found += COMMANDS
    if roles.may_in(request.user, project, Role.ADMIN):
        found.append(LEDGER)
    return found


@staff_only
@require_safe
def take_out(request: HttpRequest, slug: str) -> HttpResponse:
    """The page of all formats."""
    project = roles.project_for(request.user, slug)
    ctx = {
        "section": "projects",
        "project": project,
        "formats": [_shown(one, project) for one in _formats(request, project)],
    }
    return render(request, "staff/projects/take_out.html", ctx)


@staff_only
@require_safe
def take_file(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """One file, streamed. Workers have their pseudonyms in it, even for admins.

    Raises:
        NotFound: the project has no such file here.
    """
    project = roles.project_for(request.user, slug)
    found = next((one for one in _formats(request, project) if one.name == name and one.pieces), None)
    if found is None or found.pieces is None:
        raise NotFound
    return exported(
        request,
        found.pieces(project),
        what=slugify(name.partition(".")[0]).replace("-", "_"),
        by=staff_actor(request),
        project=project.slug,
        content_type=LINES,
        filename=f"{project.slug}-{name}",
    )


def _shown(one: Format, project: Project) -> ShownFormat:
    if one.pieces is not None:
        address = reverse("staff-take-file", args=[project.slug, one.name])
    else:
        assert one.elsewhere is not None  # noqa: S101 - a format has one or the other
        address = one.elsewhere(project)
    return ShownFormat(one, address, _fields(one.line) if one.line else [], _api(one, project))


def _api(one: Format, project: Project) -> str:
    """The path of the same file in the API; "" if it has none."""
    if one in COMMANDS:
        return f"/api/v1/{one.name}?project={project.slug}"
    if one.line is not None or one.name in {"masks.npz", "scene_list.json"}:
        return f"/api/v1/projects/{project.slug}/{one.name}"
    return ""


WORDS: dict[type[serializers.Field[Any, Any, Any, Any]], str] = {
    serializers.DateTimeField: "time, ISO 8601",
    serializers.BooleanField: "true or false",
    serializers.IntegerField: "whole number",
    serializers.FloatField: "number",
    serializers.DictField: "object",
    serializers.JSONField: "any JSON",
    serializers.ListField: "list",
    serializers.ListSerializer: "list of objects",
    serializers.BaseSerializer: "object",
}


def _fields(line: type[serializers.Serializer[Any]]) -> list[Field]:
    return [
        Field(
            name,
            next((words for kind, words in WORDS.items() if isinstance(field, kind)), "text"),
            field.allow_null or not field.required,
            str(field.help_text or ""),
        )
        for name, field in line().fields.items()
    ]
