"""A marker that pays a bonus, as sessions do, in place of the plain one."""

from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal

import pytest

from annotation import tool_registry
from annotation.models import Annotation, Approval, Assignment, Project
from annotation.tool_registry import Bonus
from evaluation.marker import EpisodeMarker

Decided = Callable[[Annotation, Approval, datetime], None]


class PayingMarker(EpisodeMarker, Bonus):
    """Expects the same bonus for each answer, and calls `then` with each decision."""

    def __init__(self, bonus: Decimal, then: Decided) -> None:
        self.bonus, self.then = bonus, then

    def base_pay_of(self, assignment: Assignment, present: Decimal | None) -> Decimal | None:
        return present

    def most_bonus(self, project: Project) -> Decimal:
        return self.bonus

    def open_bonus(self, project: Project) -> Decimal:
        return Annotation.objects.undecided().filter(project=project).count() * self.bonus

    def expected_bonuses(self, annotations: Sequence[Annotation]) -> dict[int, Decimal]:
        return {one.pk: self.bonus for one in annotations}

    def decided(self, annotation: Annotation, approval: Approval, *, at: datetime) -> None:
        self.then(annotation, approval, at)


def _ignore(annotation: Annotation, approval: Approval, at: datetime) -> None:
    pass


def pay_bonuses(monkeypatch: pytest.MonkeyPatch, bonus: Decimal = Decimal(0), then: Decided = _ignore) -> None:
    """Let the marker pay this bonus until the end of the test."""
    monkeypatch.setitem(tool_registry._tools, "marker", PayingMarker(bonus, then))
