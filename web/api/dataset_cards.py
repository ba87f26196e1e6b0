"""The card of a project's datasets, as the `README.md` of a folder with its Parquet files."""

from typing import cast

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from annotation.datasets.card import dataset_card
from annotation.models import Project
from annotation.projects.progress import progress_of_all
from annotation.projects.projects import project_named
from annotation.tools.parse.tool import parse
from annotation.tools.voxels.tool import voxels
from commands.models import Command
from web.http.endpoints import Endpoint

MARKDOWN = "text/markdown"


class DatasetCard(Endpoint):
    """The dataset card: question, workers, method of judging and counts, in the form that `datasets` reads."""

    @extend_schema(operation_id="get_dataset_card", responses={(200, MARKDOWN): OpenApiTypes.STR})
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        project = project_named(slug)
        counts = progress_of_all([project])[project.pk]
        card = dataset_card(
            project, names=datasets_of(project), counts=cast("dict[str, int]", counts), at=timezone.now()
        )
        return HttpResponse(card, content_type=f"{MARKDOWN}; charset=utf-8")


def datasets_of(project: Project) -> list[str]:
    """The datasets that have rows, or may have some by the project's tool. At most 1 query."""
    found = ["annotations", "consensus"]
    if parse.is_tool_of(project):
        found.append("forms")
    if voxels.marks_in(project):
        found.append("masks")
    if Command.objects.filter(project=project).exists():
        found.append("commands")
    return found
