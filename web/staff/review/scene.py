"""A scene under review: the workers' masks or names side by side, and reading the reviewer's form."""

from typing import Any, NamedTuple

from django.http import HttpRequest

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Annotation, Task
from annotation.review.masks import MarkedAnswer, Masks, masks_of
from annotation.review.side_by_side import SideBySide
from annotation.tool_registry import Json, tool_named
from annotation.tools.voxels.agreement import ABSENT, NOTHING, PHRASE, VOXELS
from annotation.tools.voxels.readout import answer_in_words, count_in_words
from annotation.tools.voxels.settings import is_to_mark
from lib.canonical_json import canonical, digest
from lib.faults import Conflict, Invalid
from lib.strict_json import parse_json
from web.staff.review.scene_picture import AGENT, CONSENSUS, PROPOSED, layer_of, picture_of, truth_layer

PICK, OWN, NAMED, COME_TO = "pick", "own", "named", "come_to"
"""Form fields.

The picked answer, the reviewer's own mask, the reviewer's own words, and the consensus that was shown.
"""


class Row(NamedTuple):
    """One answer in the table; `layer` is the id of its layer in the picture, "" if it has no mask."""

    marked: MarkedAnswer
    words: str
    layer: str


class Beside(NamedTuple):
    """A mask that answers are compared to: the consensus, a proposal, a truth or the agent's mask."""

    name: str
    words: str
    layer: str


def context_of(request: HttpRequest, seen: SideBySide) -> dict[str, Any]:
    """The part of the page's context that only scenes have."""
    task = seen.task
    masks = masks_of(seen)
    consensus = seen.consensus.answer if seen.consensus else None
    may_answer = roles.may_in(request.user, task.project, Role.REVIEWER) and not task.is_reference
    return {
        "has_no_other_page": True,
        "is_to_mark": is_to_mark(task.payload),
        "phrase": task.payload.get(PHRASE, ""),
        "rows": [_row(marked) for marked in masks.answers],
        "replaced": sum(not said.is_current for said in seen.answers),
        "masks": masks,
        "pair_lines": list(zip(masks.pairs.answers, masks.pairs.rows, strict=True)),
        "beside": _beside(seen, masks),
        "has_agent": masks.agent is not None,
        "picture": picture_of(request.user, seen, masks),
        "came_from": [(name, _plain(value)) for name, value in sorted(task.payload.get("source", {}).items())],
        "may_answer": may_answer,
        "may_take_consensus": consensus is not None and tool_named(task.project.tool).truth_of(consensus) is not None,
        "come_to": digest(consensus),
        "picked": request.POST.get(PICK, ""),
        "own": request.POST.get(OWN, ""),
        "named": request.POST.get(NAMED, ""),
    }


def answer_of(request: HttpRequest, task: Task) -> Json:
    """The answer in the reviewer's form.

    Raises:
        Invalid: nothing is chosen, or nothing is drawn.
        Conflict: the consensus has changed since the page was loaded.
    """
    picked = request.POST.get(PICK, "")
    match picked:
        case "absent":
            return {ABSENT: True}
        case "nothing":
            return {NOTHING: True}
        case "named":
            return {PHRASE: request.POST.get(NAMED, "").strip()}
        case "own":
            return _drawn(request.POST.get(OWN, ""))
        case "consensus":
            return _consensus(task, request.POST.get(COME_TO, ""))
    given = Annotation.objects.filter(task=task, public_id=picked).first() if picked else None
    if given is None:
        raise Invalid.at("#/answer", "Choose an answer, or give your own.")
    answer: Json = given.answer
    return answer


def _drawn(text: str) -> Json:
    if not text.strip():
        raise Invalid.at("#/answer/voxels", "Mark it first, or say that it is not there.")
    try:
        drawn = parse_json(text)
    except ValueError as error:
        raise Invalid.at("#/answer", f"What was marked is not JSON: {error}.") from None
    if not isinstance(drawn, dict) or set(drawn) != {VOXELS}:
        raise Invalid.at("#/answer", 'What is marked is an object: {"voxels": [[x, y, z], …]}.')
    return drawn


def _consensus(task: Task, looked_at: str) -> Json:
    found = getattr(task, "consensus", None)
    answer: Json | None = found.answer if found else None
    if answer is None or digest(answer) != looked_at:
        raise Conflict("The answers come to something else than when you looked. Please look again.")
    return answer


def _row(marked: MarkedAnswer) -> Row:
    words = answer_in_words(marked.said.annotation.answer)
    return Row(marked, words, "" if marked.mask is None else layer_of(marked.said))


def _beside(seen: SideBySide, masks: Masks) -> list[Beside]:
    found = []
    for number, truth in enumerate(seen.truth.answers if seen.truth else [], 1):
        found.append(Beside("Truth", answer_in_words(truth), truth_layer(number) if masks.truths else ""))
    if seen.consensus is not None:
        layer = "" if masks.consensus is None else CONSENSUS
        found.append(Beside("Consensus", answer_in_words(seen.consensus.answer), layer))
    if seen.proposed is not None:
        layer = "" if masks.proposed is None else PROPOSED
        found.append(Beside("What is proposed", answer_in_words(seen.proposed.answer), layer))
    if masks.agent is not None:
        words = count_in_words(masks.agent.size) if masks.agent.size else "nothing"
        found.append(Beside("The agent's mask", words, AGENT))
    return found


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else canonical(value)
