"""Failed episodes as something that waits for a person."""

from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from annotation.models import Project
from annotation.review.queue import Item
from evaluation.models import Episode

SEVERITY = 0.6
"""Beside the other kinds of the queue (`docs/reviewing.md`): nobody is kept from work, but a ranking lacks a try."""


class FailedEpisodes:
    """Episodes whose video could not be used. They belong to no project: whoever sees the queue sees them."""

    kind = "failed-episode"
    label = "failed episode"

    def waiting(self, projects: QuerySet[Project]) -> QuerySet[Any, Any]:
        return self._rows().values("pk")

    def worst(self, projects: QuerySet[Project], limit: int) -> list[Item]:
        rows = self._rows().order_by("created_at", "pk").only("external_id", "problem_detail", "created_at")[:limit]
        return [
            Item(
                severity=SEVERITY,
                title=row.external_id,
                detail=row.problem_detail,
                url=reverse("staff-episode", args=[row.external_id]),
                at=row.created_at,
                project=None,
            )
            for row in rows
        ]

    @staticmethod
    def _rows() -> QuerySet[Episode]:
        return Episode.objects.filter(status=Episode.Status.FAILED)
