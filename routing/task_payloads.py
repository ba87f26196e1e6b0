"""The tasks that a command becomes: its words for the parse annotator, its objects for the voxel annotator."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.models import Project
from annotation.tool_registry import Json
from annotation.tools.parse.serializers import MOST_FORM_CHARACTERS
from annotation.tools.voxels.agreement import ABSENT, VOXELS, folded
from annotation.tools.voxels.serializers import MOST_PHRASE
from annotation.work.posting import TaskBody
from commands.models import Command
from lib.canonical_json import digest
from lib.command_text import clean
from lib.logical_form.realign import moved
from lib.trees.tree import NLU_ERROR
from lib.voxels.mask import fault_of_place
from lib.voxels.scene import Scene
from routing.routes import asks_for_form

PREFIX = "command-"
"""The prefix of the keys of tasks that are made here."""
KIND = "command"
"""The value of `source.kind` in voxel tasks that are made here."""


@dataclass(frozen=True)
class Asked:
    """One task that a command becomes.

    Attributes:
        phrase: The object that it asks about; "" where it asks about the whole command.
        same_as: Equal for tasks of which one is enough.
    """

    phrase: str
    same_as: str
    payload: Json

    def body(self) -> TaskBody:
        return TaskBody(key=self.key, payload=self.payload)

    @property
    def key(self) -> str:
        return f"{PREFIX}{self.same_as[:32]}"


@dataclass(frozen=True)
class KeptScene:
    """The world as it was when the command was given, kept under this digest."""

    digest: str
    scene: Scene


def asked_of(to: Project, command: Command, *, scene: KeptScene | None, report: str) -> list[Asked]:
    """The tasks that the command becomes in this project; none where there is nothing to ask. No query where the
    command's project is loaded.

    Args:
        report: The public id of its report, "" where it has none.
    """
    if asks_for_form(to):
        return [_of_words(command)]
    return [] if scene is None else _of_objects(command, scene, report)


def _of_words(command: Command) -> Asked:
    text = clean(command.text)
    payload: Json = {"text": text}
    if command.outcome:
        payload["marked"] = command.outcome == NLU_ERROR
    # The agent counted the words that the worker wrote, markup and all.
    form = moved(command.form, of=command.text, to=text) if isinstance(command.form, dict) else None
    if form is not None and len(json.dumps(form)) <= MOST_FORM_CHARACTERS:
        payload["form"] = form
    return Asked("", digest([KIND, command.plain_text]), payload)


def _of_objects(command: Command, scene: KeptScene, report: str) -> list[Asked]:
    found: dict[str, tuple[str, list[list[int]]]] = {}
    for one in command.objects_found:
        phrase = clean(one["phrase"])[:MOST_PHRASE].strip()
        if not phrase:
            continue
        _, voxels = found.setdefault(folded(phrase), (phrase, []))
        voxels += [list(voxel) for voxel in one["voxels"]]
    return [
        Asked(said, digest([scene.digest, name]), _about(command, scene, report, said, voxels))
        for name, (said, voxels) in found.items()
    ]


def _about(command: Command, scene: KeptScene, report: str, phrase: str, voxels: list[list[int]]) -> Json:
    source = {"kind": KIND, "project": command.project.slug, "command": command.public_id}
    payload: Json = {"scene": scene.digest, "phrase": phrase, "source": source | ({"report": report} if report else {})}
    size = scene.scene.size
    inside = sorted({tuple(voxel) for voxel in voxels if fault_of_place(voxel, size, parts=3) is None})
    return payload | ({"agent_mask": [list(voxel) for voxel in inside]} if inside else {})


NOTHING_THERE: Mapping[str, str] = {
    "scene": "There is no scene of the time when it was given.",
    "object": "The agent named no object.",
}


def why_nothing(scene: KeptScene | None) -> str:
    """Why there is nothing to ask about the objects of a command, as a sentence."""
    return NOTHING_THERE["scene" if scene is None else "object"]


def is_usable(project: Project, answer: Any) -> bool:
    """True if a settled answer of this project repairs something: a form; a mask, or that the object is not there."""
    if asks_for_form(project):
        return is_form(answer)
    return isinstance(answer, dict) and bool(answer.get(VOXELS) or answer.get(ABSENT))


def is_form(answer: Any) -> bool:
    """True if a settled answer says a form."""
    return isinstance(answer, dict) and isinstance(answer.get("form"), dict)
