"""Figures that take long, kept under a digest of all that they depend on: they are computed anew where that changed."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from django.utils import timezone

from evaluation.models import KeptFigure
from lib.canonical_json import digest

KEPT_FOR = timedelta(days=30)


def figure_key(names: Sequence[Any]) -> str:
    """The key of a figure that depends on these."""
    return digest(list(names))


def found_figure(key: str) -> Any:
    """The kept figure; None if it is not there. 1 query."""
    return KeptFigure.objects.filter(key=key).values_list("content", flat=True).first()


def keep_figure(key: str, content: Any) -> None:
    """Keep a figure, and forget those that nobody has made anew for a month. 2 queries."""
    now = timezone.now()
    KeptFigure.objects.filter(made_at__lt=now - KEPT_FOR).delete()
    KeptFigure.objects.update_or_create(key=key, defaults={"content": content, "made_at": now})


def kept_figure(names: Sequence[Any], make: Callable[[], Any]) -> Any:
    """The figure that depends on these; made and kept if it is not there. 1 query, 3 the first time."""
    key = figure_key(names)
    found = found_figure(key)
    if found is None:
        found = make()
        keep_figure(key, found)
    return found
