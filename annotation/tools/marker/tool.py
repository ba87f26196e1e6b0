"""The marker: the one frame at which a recorded episode first succeeds or first fails (paper 000, section 3.3)."""

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from annotation.tool_registry import Json, Merged, YesNo
from annotation.tools.marker.serializers import (
    FAILURE,
    SUCCESS,
    AnswerSerializer,
    PayloadSerializer,
    TruthSerializer,
)
from lib.faults import Fault, Invalid

TOLERANCE_S = 1.0
"""How far a marker may lie from the true moment where a reference names no tolerance."""
_ROUNDING_S = 1e-6
_SAME = 1e-9


@dataclass(frozen=True)
class Clip:
    """The facts about an episode's video that the marker needs.

    Attributes:
        time_s: The time of a frame, in seconds from the first frame = 0.
        frames: The number of frames.
        first, last: The range of frames that may be marked: from the takeover to the deadline, inclusive.
        never: The last frame before the deadline, which is marked if the agent fails by never doing it.
    """

    time_s: Callable[[int], float]
    frames: int
    first: int
    last: int
    never: int


class Marker(YesNo):
    """The marker without episodes: `evaluation.marker` derives from it, because that app owns them."""

    name = "marker"
    payload = PayloadSerializer
    answer = AnswerSerializer
    truth = TruthSerializer
    matter = "episode"

    @abstractmethod
    def clip(self, episode: str) -> Clip:
        """The clip of a ready episode, by its external id."""

    def check(self, payload: Json, answer: Json) -> Json:
        clip = self.clip(payload["episode"])
        frame = int(answer["frame"])
        if not clip.first <= frame <= clip.last:
            raise Invalid(
                faults=[
                    Fault(
                        "#/answer/frame",
                        f"Frame {frame} cannot be marked: the agent acts from frame {clip.first} to {clip.last}.",
                    )
                ]
            )
        return {"outcome": answer["outcome"], "frame": frame, "time_s": round(clip.time_s(frame), 6)}

    def check_truth(self, payload: Json, truth: Json) -> Json:
        if "frame" not in truth:
            return {"outcome": truth["outcome"], "time_s": truth.get("time_s")}
        clip = self.clip(payload["episode"])
        frame = int(truth["frame"])
        if frame >= clip.frames:
            raise Invalid.at("#/frame", f"The video has no frame {frame}; its last is {clip.frames - 1}.")
        return {"outcome": truth["outcome"], "frame": frame, "time_s": round(clip.time_s(frame), 6)}

    def score(self, answer: Json, truth: Json, tolerance_s: float | None) -> float:
        """1 if the outcome matches and, where the truth has a time, it is within tolerance; else 0."""
        if answer["outcome"] != truth["outcome"]:
            return 0.0
        if truth.get("time_s") is None:
            return 1.0
        tolerance = TOLERANCE_S if tolerance_s is None else tolerance_s
        return float(abs(answer["time_s"] - truth["time_s"]) <= tolerance + _ROUNDING_S)

    def verdict(self, answer: Json) -> bool | None:
        outcome = answer.get("outcome")
        return None if outcome is None else outcome == SUCCESS

    def agree(self, a: Json, b: Json) -> float:
        return float(a["outcome"] == b["outcome"])

    def merge(self, answers: Sequence[Json], weights: Sequence[float] | None = None) -> Merged:
        """Majority of the outcomes; the lower median of the winning side's frames; a tie has outcome null.

        With weights both are weighted; equal weights change nothing.
        """
        shares = [1.0] * len(answers) if weights is None else weights
        cast = list(zip(answers, shares, strict=True))
        successes = [vote for vote in cast if vote[0]["outcome"] == SUCCESS]
        failures = [vote for vote in cast if vote[0]["outcome"] == FAILURE]
        yes, no = _total(successes), _total(failures)
        if math.isclose(yes, no, rel_tol=_SAME, abs_tol=0.0):
            return Merged(self.bare(None), 0.5)
        middle = _lower_median(successes if yes > no else failures)
        return Merged({key: middle[key] for key in ("outcome", "frame", "time_s")}, max(yes, no) / (yes + no))

    def bare(self, verdict: bool | None) -> Json:
        outcome = None if verdict is None else SUCCESS if verdict else FAILURE
        return {"outcome": outcome, "frame": None, "time_s": None}

    def truth_of(self, answer: Json) -> Json | None:
        parts = {"outcome": answer.get("outcome"), "frame": answer.get("frame")}
        return None if None in parts.values() else parts


def _total(votes: Sequence[tuple[Json, float]]) -> float:
    return math.fsum(weight for _, weight in votes)


def _lower_median(votes: Sequence[tuple[Json, float]]) -> Json:
    """The earliest marker at which half of the weight is reached."""
    half = _total(votes) * (0.5 - _SAME)
    ordered = sorted(votes, key=lambda vote: int(vote[0]["frame"]))
    below = 0.0
    for answer, weight in ordered:
        below += weight
        if below >= half and weight > 0:
            return answer
    return ordered[-1][0]
