"""What a project is asked about a command: its words for the parse annotator, its objects for the voxel annotator."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.models import Project
from annotation.tasks import TaskBody
from annotation.tools import Json
from annotation.tools.parse.serializers import MOST_FORM_CHARACTERS
from annotation.tools.voxels.agreement import ABSENT, VOXELS, folded
from annotation.tools.voxels.serializers import MOST_PHRASE
from annotation.voxels.mask import fault_of_place
from annotation.voxels.scene import Scene
from common.values import digest
from routing.cases import Case
from routing.routes import PARSE
from routing.spans import moved
from routing.trees.tree import NLU_ERROR
from routing.wording import clean

PREFIX = "command-"
"""How the keys of tasks begin that are made here."""
KIND = "command"
"""What `source.kind` says of a voxel task that is made here."""


@dataclass(frozen=True)
class Asked:
    """One task that a command becomes.

    Attributes:
        phrase: Which of its objects is meant; "" where it is the whole command.
        same_as: Equal for what need be asked only once.
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


def asked_of(to: Project, case: Case, *, scene: KeptScene | None, report: str) -> list[Asked]:
    """The tasks that the command becomes in this project; none, where there is nothing to ask.

    Args:
        report: The public id of its report, "" where it has none.
    """
    if to.tool == PARSE:
        return [_of_words(case)]
    return [] if scene is None else _of_objects(case, scene, report)


def _of_words(case: Case) -> Asked:
    text = clean(case.text)
    payload: Json = {"text": text}
    if case.outcome:
        payload["marked"] = case.outcome == NLU_ERROR
    # The agent counted the words that the worker wrote, markup and all.
    form = moved(case.form, of=case.text, to=text) if isinstance(case.form, dict) else None
    if form is not None and len(json.dumps(form)) <= MOST_FORM_CHARACTERS:
        payload["form"] = form
    return Asked("", digest([KIND, case.plain_text]), payload)


def _of_objects(case: Case, scene: KeptScene, report: str) -> list[Asked]:
    found: dict[str, tuple[str, list[list[int]]]] = {}
    for one in case.objects_found:
        phrase = clean(one["phrase"])[:MOST_PHRASE].strip()
        if not phrase:
            continue
        _, voxels = found.setdefault(folded(phrase), (phrase, []))
        voxels += [list(voxel) for voxel in one["voxels"]]
    return [
        Asked(said, digest([scene.digest, name]), _about(case, scene, report, said, voxels))
        for name, (said, voxels) in found.items()
    ]


def _about(case: Case, scene: KeptScene, report: str, phrase: str, voxels: list[list[int]]) -> Json:
    source = {"kind": KIND, "project": case.project.slug, "command": case.command}
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


def is_usable(tool: str, answer: Any) -> bool:
    """Whether a settled answer repairs something: a form; a mask, or that the object is not there."""
    if not isinstance(answer, dict):
        return False
    if tool == PARSE:
        return isinstance(answer.get("form"), dict)
    return bool(answer.get(VOXELS) or answer.get(ABSENT))
