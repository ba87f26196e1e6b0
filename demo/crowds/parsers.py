"""Simulated workers of the parse tool: the answer to each step, given the truth.

Every random number comes from a seed: the same seed gives the same answers.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
CANNOT_TELL: Json = {"answers": {}, "unknown": True}


@dataclass(frozen=True)
class Kind:
    """A kind of worker: the rate of wrong answers, the rate of giving up, the seconds for a step."""

    errs: float
    gives_up: float
    seconds: tuple[float, float]


CAREFUL = Kind(errs=0.01, gives_up=0.0, seconds=(4.0, 12.0))
CARELESS = Kind(errs=0.12, gives_up=0.0, seconds=(1.5, 4.0))
UNSURE = Kind(errs=0.03, gives_up=0.03, seconds=(6.0, 20.0))


class Parser:
    """One simulated worker with its own random numbers."""

    def __init__(self, name: str, kind: Kind, *, seed: int | str) -> None:
        self.name, self.kind = name, kind
        # The seed makes a crowd repeatable; nothing secret depends on it.
        self.chance = random.Random(f"{seed}:{name}")

    def answers(self, payload: Json, record: Mapping[str, Json]) -> Json:
        """The answer to the step with this payload.

        Args:
            payload: As in a claim.
            record: The right answers for the command's steps, by their keys.
        """
        asked = payload["questions"]
        if asked[0]["id"] == "right":
            return {"answers": {"right": True}}
        if self.chance.random() < self.kind.gives_up:
            return CANNOT_TELL
        true = record.get(payload["node"]["step"])
        given = dict(true or {})
        for question in asked:
            # A step outside the right form has no known answer, so the answer is random.
            if true is None or self.chance.random() < self.kind.errs:
                other = self._anything(question, len(payload["tokens"]))
                given.pop(question["id"], None)
                if other not in (None, []):
                    given[question["id"]] = other
        return {"answers": given}

    def takes_s(self) -> float:
        """How many seconds the worker takes for the next step."""
        return self.chance.uniform(*self.kind.seconds)

    def _anything(self, question: Json, words: int) -> Any:
        if question["optional"] and self.chance.random() < 0.7:
            return None
        values = [option["value"] for option in question["options"] if option["value"] != "more"]
        match question["kind"]:
            case "choice":
                return self.chance.choice(values)
            case "choices":
                return [self.chance.choice(values)]
            case "spans":
                first = self.chance.randrange(words)
                return [[first, min(words - 1, first + self.chance.randrange(2))]]
            case "text":
                return "something"
            case _:
                return True
