"""Import of scenes in droidlet's form: each tag becomes a task to mark, a reference, or a mask of the agent."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction

from annotation.datasets.masks import ORIGIN, SOURCE, check_tool
from annotation.models import Project
from annotation.references.references import note_import
from annotation.scene_store import keep
from annotation.tools.voxels.agreement import answer_of
from annotation.work.posting import MOST_AT_ONCE, ReferenceBody, TaskBody, post_tasks
from lib.canonical_json import canonical, digest
from lib.faults import Conflict, Fault, Invalid, TooLarge, read_each
from lib.voxels.droidlet import Payload, Place, TaggedPhrase, read_payload
from lib.voxels.mask import MOST_FAULTS, keys_of

TASKS, REFERENCES, AGENT_MASKS = "tasks", "references", "agent_masks"
KINDS = (TASKS, REFERENCES, AGENT_MASKS)
MOST_SCENES = 200
PREFIX = r"[A-Za-z0-9._:-]{1,64}"
"""The prefix of a key; a key has 128 characters at most, and half of it is made from the content."""


class Imported(NamedTuple):
    """The result of an import.

    Attributes:
        scenes: The digest of each scene, in order.
        origins: The position of each scene's corner; exports give it back.
        ignored: Names of fields that were ignored.
    """

    created: int
    unchanged: int
    scenes: list[str]
    origins: list[list[int]]
    ignored: list[str]


class _Asked(NamedTuple):
    """A phrase of a scene, and all masks that were given for it."""

    scene: str
    origin: Place
    phrase: str
    told: list[TaggedPhrase]
    pointer: str


def import_payloads(
    *, project: Project, payloads: Sequence[Any], kind: str, key_prefix: str, by: str, at: datetime
) -> Imported:
    """Make a task for each phrase of each scene unless it exists already; all or none.

    A phrase that a scene has several times gives one task. Each of its masks is right if it becomes a reference;
    together they are one mask if they are the agent's.

    Args:
        kind: One of KINDS, the meaning of the masks. TASKS ignores them and asks for new ones.
        key_prefix: The beginning of the tasks' keys; the rest is made from scene, origin and phrase.

    Raises:
        Invalid: the project marks nothing; or pointers below `#/scenes/NUMBER` name the faults.
        Conflict: a task exists with other content, pointers the same.
        TooLarge: there are too many scenes.
    """
    check_tool(project)
    if kind not in KINDS:
        raise Invalid.at("#/as", f"This is one of {', '.join(KINDS)}.")
    if not re.fullmatch(PREFIX, key_prefix):
        raise Invalid.at("#/key_prefix", "Use letters, digits, . _ : and - only; 64 at most.")
    if len(payloads) > MOST_SCENES:
        raise TooLarge(f"At most {MOST_SCENES} scenes are read at once.")
    read = read_each(payloads, read_payload, pointer="#/scenes", most=MOST_FAULTS)
    with transaction.atomic():
        scenes = keep([one.scene for one in read], at=at)
        asked = _asked(read, scenes)
        if not asked:
            raise Invalid.at("#/scenes", "None of these scenes has a tag, so there is nothing to ask for.")
        bodies = [_body(one, kind, key_prefix) for one in asked]
        created = unchanged = 0
        for start in range(0, len(bodies), MOST_AT_ONCE):
            try:
                posted = post_tasks(project=project, bodies=bodies[start : start + MOST_AT_ONCE], at=at)
            except (Invalid, Conflict) as error:
                places = [one.pointer for one in asked[start : start + MOST_AT_ONCE]]
                raise type(error)(faults=[_at_tag(fault, places) for fault in error.faults]) from None
            created, unchanged = created + posted.created, unchanged + posted.unchanged
        if kind == REFERENCES:
            note_import(project=project, created=created, by=by, at=at)
    ignored = sorted({name for one in read for name in one.ignored})
    return Imported(created, unchanged, scenes, [list(one.origin) for one in read], ignored)


def _asked(read: Sequence[Payload], scenes: Sequence[str]) -> list[_Asked]:
    found: dict[tuple[str, Place, str], _Asked] = {}
    for number, (payload, scene) in enumerate(zip(read, scenes, strict=True)):
        for told in payload.phrases:
            one = _Asked(scene, payload.origin, told.phrase, [], f"#/scenes/{number}/{told.pointer}")
            found.setdefault((scene, payload.origin, told.phrase), one).told.append(told)
    return list(found.values())


def _body(asked: _Asked, kind: str, key_prefix: str) -> TaskBody:
    name = digest([kind, asked.scene, asked.origin, asked.phrase])[:32]
    payload: dict[str, Any] = {
        "scene": asked.scene,
        "phrase": asked.phrase,
        SOURCE: {"kind": "ancestor", ORIGIN: list(asked.origin)},
    }
    body = TaskBody(key=f"{key_prefix}-{name}", payload=payload)
    if kind == AGENT_MASKS:
        # Sorted and without repeats, so that the same mask written otherwise gives the same task.
        payload["agent_mask"] = sorted({tuple(voxel) for one in asked.told for voxel in one.voxels or []})
        payload["agent_mask"] = [list(voxel) for voxel in payload["agent_mask"]]
    elif kind == REFERENCES:
        body["reference"] = ReferenceBody(answers=_truths(asked))
    return body


def _truths(asked: _Asked) -> list[dict[str, Any]]:
    if len({one.voxels is None for one in asked.told}) > 1:
        raise Invalid.at(asked.pointer, f"“{asked.phrase}” is both there and not there.")
    answers: Mapping[str, dict[str, Any]] = {
        canonical(answer): answer for one in asked.told if (answer := answer_of(keys_of(one.voxels or [])))
    }
    return [answers[name] for name in sorted(answers)]


def _at_tag(fault: Fault, places: Sequence[str]) -> Fault:
    """The fault with `#/tasks/INDEX/…` replaced by the pointer to the tag of that task."""
    index = fault.pointer.removeprefix("#/tasks/").partition("/")[0]
    return Fault(places[int(index)], fault.detail) if index.isdigit() else fault
