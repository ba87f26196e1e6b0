"""Answers of the voxel annotator in words, for staff; short however many voxels there are. Pure."""

from annotation.tool_registry import Json
from annotation.tools.voxels.agreement import ABSENT, NOTHING, PHRASE, VOXELS

NOT_THERE = "it is not there"
NOTHING_HERE = "nothing is there"
TIE = "a tie: there or not there"


def answer_in_words(answer: Json) -> str:
    """An answer, a consensus or a truth in one line.

    >>> answer_in_words({"voxels": [[0, 0, 0], [0, 0, 1]]}), answer_in_words({"absent": True})
    ('2 voxels', 'it is not there')
    >>> answer_in_words({"phrase": "the red tower"}), answer_in_words({"voxels": None})
    ('“the red tower”', 'a tie: there or not there')
    """
    if PHRASE in answer:
        return f"“{answer[PHRASE]}”"
    if answer.get(NOTHING):
        return NOTHING_HERE
    if answer.get(ABSENT):
        return NOT_THERE
    voxels = answer.get(VOXELS)
    return TIE if voxels is None else count_in_words(len(voxels))


def count_in_words(voxels: int) -> str:
    """A number of voxels in words.

    >>> count_in_words(1), count_in_words(4096)
    ('1 voxel', '4,096 voxels')
    """
    return f"{voxels:,} voxel{'' if voxels == 1 else 's'}"


def is_of_voxels(answer: Json) -> bool:
    """True if an answer, a consensus or a truth is this tool's."""
    return not {VOXELS, ABSENT, PHRASE, NOTHING}.isdisjoint(answer)
