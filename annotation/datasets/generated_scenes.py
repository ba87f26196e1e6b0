"""Generated scenes as tasks or references of a project; the generator knows the right answers."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.models import Project
from annotation.references.references import note_import
from annotation.scene_store import keep
from annotation.tools.voxels.settings import NAME, stage_of
from annotation.tools.voxels.tool import voxels
from annotation.work.posting import MOST_AT_ONCE, Posted, ReferenceBody, TaskBody, post_tasks
from lib.faults import Invalid
from lib.voxels.generator import Generated, generate
from lib.voxels.generator_options import Options


def post_generated(
    *,
    project: Project,
    seed: int,
    n: int,
    options: Options,
    as_references: bool,
    by: str,
    at: datetime,
    first: int = 0,
) -> Posted:
    """Make a task for each example of the scenes `first` to first + n - 1 unless it exists already.

    If the project names objects, each scene is one task without a phrase. Up to MOST_AT_ONCE tasks are made all or
    none, more of them in parts; the same call again continues.

    Args:
        by: The actor in the audit log.

    Raises:
        Invalid: the project has another tool, or references are wanted where objects are named.
        Conflict: a seed and number exists with other options; nothing of that part is made.
        BadOption: the seed or a number is out of range.
    """
    if not voxels.is_tool_of(project):
        only = f"only those of the tool {voxels.name} take generated scenes."
        raise Invalid(f"This project's tool is {project.tool}; {only}")
    if as_references and stage_of(project) == NAME:
        raise Invalid.at("#/references", "In this project objects are named, and no one name is right: say false.")
    created = unchanged = 0
    step = MOST_AT_ONCE // options.per_scene
    for start in range(first, first + n, step):
        scenes = list(generate(seed, min(step, first + n - start), options, first=start))
        posted = _post(project, scenes, as_references=as_references, by=by, at=at)
        created, unchanged = created + posted.created, unchanged + posted.unchanged
    return Posted(created, unchanged)


@transaction.atomic
def _post(project: Project, scenes: Sequence[Generated], *, as_references: bool, by: str, at: datetime) -> Posted:
    # By digest: a thousand scenes written out would be hundreds of megabytes, to be read and checked again.
    digests = keep([one.scene for one in scenes], at=at)
    names = stage_of(project) == NAME
    bodies = [
        body
        for one, digest in zip(scenes, digests, strict=True)
        for body in ([_to_name(one, digest)] if names else _to_mark(one, digest, as_references=as_references))
    ]
    posted = post_tasks(project=project, bodies=bodies, at=at)
    if as_references:
        note_import(project=project, created=posted.created, by=by, at=at)
    return posted


def _to_name(one: Generated, digest: str) -> TaskBody:
    return {"key": one.keys[0], "payload": {"scene": digest, "source": _source(one)}}


def _to_mark(one: Generated, digest: str, *, as_references: bool) -> list[TaskBody]:
    bodies: list[TaskBody] = []
    for key, example in zip(one.keys, one.examples, strict=True):
        body = TaskBody(key=key, payload={"scene": digest, "phrase": example.phrase, "source": _source(one)})
        if as_references:
            body["reference"] = ReferenceBody(answers=[example.answer])
        bodies.append(body)
    return bodies


def _source(one: Generated) -> dict[str, Any]:
    """The identity of a scene and the objects in it; workers never see this."""
    objects = [{"shape": thing.shape, "colour": thing.colour, "material": thing.material} for thing in one.things]
    return {"kind": "generated", "seed": one.seed, "number": one.number, "objects": objects}
