"""Keeps a campaign that has ended as a file, and makes its rows from the file again, in another database.

The file is a zip: `rows.json` has the rows of learning and the commands, `files/` the models and their predictions.
What stands behind these (sessions, tasks, annotations, the workers) is not kept.
"""

import json
import zipfile
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models

from annotation.models import Project
from commands.models import Command
from learning.campaigns.progress import spent
from learning.models import (
    Campaign,
    Deployment,
    GateVerdict,
    Item,
    Iteration,
    Replay,
    Run,
    Tested,
    TrainedModel,
    Training,
    Tranche,
)

Json = dict[str, Any]
Kind = type[models.Model]
KEPT: Final[tuple[Kind, ...]] = (
    Tranche, Item, Training, Run, TrainedModel, Tested, GateVerdict, Deployment, Campaign, Iteration, Replay, Command,
)  # fmt: skip
"""In this order, so that each row's others are there before it."""
ROWS, FILES = "rows.json", "files/"
_BATCH = 500
_EARLIEST: Final = "earliest"
"""The name of the first moment of the archive: all moments are moved together with it."""


def write(campaign: Campaign, file: Path) -> int:
    """Write the campaign and all learning of its modules into the file; its size in bytes."""
    rows = {kind.__name__: [_shown(row) for row in _rows_of(kind, campaign)] for kind in KEPT}
    moments = [value for found in rows.values() for row in found for value in row.values() if _is_moment(value)]
    content = {**rows, _EARLIEST: min(moments), "latest": max(moments), "spent": str(spent(campaign))}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr(ROWS, json.dumps(content, cls=DjangoJSONEncoder, ensure_ascii=False))
        for name in _names(campaign):
            with default_storage.open(name, "rb") as stored:
                archive.writestr(f"{FILES}{name}", stored.read())
    return file.stat().st_size


def load(file: Path, *, project: Project, until: datetime) -> Campaign:
    """Make the rows of the file, as those of this project; its last moment becomes `until`. Call in a transaction.

    Nothing is deployed: the models stay as candidates and retired ones, and what acts now goes on acting.
    """
    with zipfile.ZipFile(file) as archive:
        content = json.loads(archive.read(ROWS))
        later = until - datetime.fromisoformat(content["latest"])
        made: dict[Kind, dict[int, int]] = {}
        for kind in KEPT:
            made[kind] = _make(kind, content[kind.__name__], made, project=project, later=later)
        for name in archive.namelist():
            if name.startswith(FILES) and not default_storage.exists(stored := name.removeprefix(FILES)):
                default_storage.save(stored, ContentFile(archive.read(name)))
    TrainedModel.objects.filter(pk__in=made[TrainedModel].values(), status=TrainedModel.Status.DEPLOYED).update(
        status=TrainedModel.Status.RETIRED
    )
    return Campaign.objects.get(pk__in=made[Campaign].values())


# Writing -----------------------------------------------------------------------------------------------------------


def _rows_of(kind: Kind, campaign: Campaign) -> Iterable[models.Model]:
    modules = campaign.modules
    if kind is Campaign:
        return [campaign]
    if kind in (Iteration, Replay):
        return kind._default_manager.filter(campaign=campaign).order_by("pk")
    if kind is Command:
        return Command.objects.filter(project=campaign.project_id).order_by("pk")
    path = {Item: "tranche__", Run: "training__", Tested: "model__", GateVerdict: "model__"}.get(kind, "")
    return kind._default_manager.filter(**{f"{path}module__in": modules}).order_by("pk")


def _names(campaign: Campaign) -> Iterator[str]:
    """The names of the files of the models, and of their predictions."""
    for kind in (TrainedModel, Tested):
        for row in _rows_of(kind, campaign):
            yield str(getattr(row, "file"))  # noqa: B009 - both kinds have it


def _shown(row: models.Model) -> Json:
    columns = {field.attname: field.value_from_object(row) for field in row._meta.concrete_fields}
    many = {
        field.name: [one.pk for one in field.value_from_object(row)]
        for field in row._meta.many_to_many
        if field.related_model in KEPT
    }
    shown = json.loads(json.dumps({**columns, **many}, cls=DjangoJSONEncoder))
    if isinstance(row, Campaign):
        shown["spent"] = str(spent(row))
    return dict(shown)


def _is_moment(value: Any) -> bool:
    return isinstance(value, str) and len(value) > 19 and value[4:5] == "-" and value[10:11] == "T" and "Z" in value


# Reading -----------------------------------------------------------------------------------------------------------


def _make(
    kind: Kind, rows: Iterable[Json], made: dict[Kind, dict[int, int]], *, project: Project, later: timedelta
) -> dict[int, int]:
    """Make the rows of one kind; their primary keys by those of the archive."""
    fields = {field.attname: field for field in kind._meta.concrete_fields}
    many = [field for field in kind._meta.many_to_many if field.related_model in KEPT]
    found: dict[int, int] = {}
    rows = list(rows)
    new = []
    for row in rows:
        values = {
            name: _value(field, row[name], made | {kind: found}, project=project, later=later)
            for name, field in fields.items()
            if name != "id"
        }
        if kind is Campaign:
            values["spent_before"] = {}
        new.append(kind(**values))
    if any(field.related_model is kind for field in fields.values()):
        # Rows of this kind name each other, so they are made one by one.
        for row, one in zip(rows, new, strict=True):
            for name, field in fields.items():
                if field.related_model is kind and row[name] is not None:
                    setattr(one, name, found[row[name]])
            one.save(force_insert=True)
            found[row["id"]] = one.pk
    else:
        kind._default_manager.bulk_create(new, batch_size=_BATCH)
        found.update((row["id"], one.pk) for row, one in zip(rows, new, strict=True))
    for field in many:
        related: Any = field.related_model
        for row, one in zip(rows, new, strict=True):
            getattr(one, field.name).set([made[related][pk] for pk in row[field.name]])
    return found


def _value(field: Any, value: Any, made: dict[Kind, dict[int, int]], *, project: Project, later: timedelta) -> Any:
    if field.related_model is Project:
        return project.pk if value is not None else None
    if field.is_relation:
        return made.get(field.related_model, {}).get(value)
    if isinstance(field, models.DateTimeField) and value is not None:
        moment = field.to_python(value)
        return moment + later
    if isinstance(field, models.DecimalField) and value is not None:
        return Decimal(value)
    return value
