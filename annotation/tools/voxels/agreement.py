"""Agreement of answers of the voxel annotator, and how several answers are merged. Pure."""

from collections.abc import Sequence

import numpy as np

from annotation.models import Task
from annotation.tool_registry import Json, Merged
from lib.voxels.mask import Keys, keys_of, voxels_of
from lib.voxels.overlap import iou
from lib.voxels.votes import voted

VOXELS, ABSENT, PHRASE, NOTHING = "voxels", "absent", "phrase", "nothing"


def mask_of(answer: Json) -> Keys | None:
    """The mask of an answer, empty if the object is not there; None for a tie and for names."""
    if answer.get(ABSENT):
        return np.zeros(0, dtype=np.int32)
    voxels = answer.get(VOXELS)
    return None if voxels is None else keys_of(voxels)


def answer_of(mask: Keys | None) -> Json:
    """The answer with this mask; None is a tie."""
    if mask is None:
        return {VOXELS: None}
    return {VOXELS: voxels_of(mask)} if mask.size else {ABSENT: True}


def folded(phrase: str) -> str:
    """A phrase for comparison: without case, repeated spaces, or a leading article.

    >>> folded(" The  Red tower ")
    'red tower'
    """
    words = phrase.casefold().split()
    return " ".join(words[1:] if len(words) > 1 and words[0] in ("the", "a", "an") else words)


def agreement(a: Json, b: Json) -> float:
    """IoU of two masks, 0..1; two names agree if they are the same words. A tie agrees with nothing."""
    if _is_name(a) or _is_name(b):
        return float(_is_name(a) and _is_name(b) and _said(a) == _said(b))
    these, those = mask_of(a), mask_of(b)
    return 0.0 if these is None or those is None else iou(these, those)


def merged(answers: Sequence[Json], weights: Sequence[float] | None = None) -> Merged:
    """Masks by a vote on each voxel; of names the most frequent, the first given of several."""
    counts = [1.0] * len(answers) if weights is None else list(weights)
    if not any(_is_name(answer) for answer in answers):
        masks = [mask for mask in map(mask_of, answers) if mask is not None]
        vote = voted(masks, counts)
        return Merged(answer_of(vote.mask), vote.confidence)
    totals: dict[str | None, float] = {}
    for answer, count in zip(answers, counts, strict=True):
        totals[_said(answer)] = totals.get(_said(answer), 0.0) + count
    winner = max(totals, key=lambda said: totals[said])
    whole = sum(counts)
    chosen = next(answer for answer in answers if _said(answer) == winner)
    return Merged(chosen, totals[winner] / whole if whole else 1 / len(answers))


def _is_name(answer: Json) -> bool:
    return PHRASE in answer or NOTHING in answer


def _said(answer: Json) -> str | None:
    return folded(answer[PHRASE]) if PHRASE in answer else None


def agent_mask_of(task: Task) -> Keys | None:
    """The agent's mask, empty if it found nothing; None if the payload has none."""
    voxels = task.payload.get("agent_mask")
    return None if voxels is None else keys_of(voxels)
