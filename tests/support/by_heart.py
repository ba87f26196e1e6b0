"""A trainer that learns by heart, for tests: it needs no packages, and does what its settings say."""

import json
import time
from collections.abc import Sequence
from typing import Any

from learning.trainers.protocol import Example, Prediction, Predictor, Settings, Told
from learning.trainers.protocol import Progress as Report
from lib.faults import Invalid
from lib.logical_form.normal import same

NOOP = {"dialogue_type": "NOOP"}


class ByHeart:
    """Knows what it has seen, and says NOOP to everything else. It refuses to learn two truths of one item.

    Settings: `sleep_s` before it answers; `fail` with `refuse`, `crash` or `memory`; `always` is what it says to
    everything; `forget` what it does not learn.
    """

    name = "by_heart"
    module = "nlu"
    extra = ""

    def fit(
        self,
        train: Sequence[Example],
        valid: Sequence[Example],
        *,
        seed: int,
        settings: Settings,
        start: bytes | None,
        told: Told,
    ) -> bytes:
        if len({one.item for one in train}) < len(train):
            raise Invalid("An item is here twice.")
        told(Report(0.5, 1, 0.25, 0.5))
        match settings.get("fail"):
            case "refuse":
                raise Invalid.at("#/fail", "It was asked to.")
            case "crash":
                raise RuntimeError("it crashed")
            case "memory":
                bytearray(2**33)
        time.sleep(settings.get("sleep_s", 0))
        known = json.loads(start) if start else {"seed": seed, "forms": {}, "always": settings.get("always")}
        forgotten = settings.get("forget", [])
        known["forms"] |= {one.given: one.truth for one in train if one.given not in forgotten}
        told(Report(1.0, 2, 0.125, 1.0))
        return json.dumps(known, sort_keys=True).encode()

    def load(self, artefact: bytes) -> Predictor:
        return _Known(json.loads(artefact))

    def is_correct(self, value: Any, truth: Any) -> bool:
        return same(value, truth)

    def score(self, value: Any, truth: Any) -> float:
        return float(self.is_correct(value, truth))


class _Known:
    def __init__(self, known: dict[str, Any]) -> None:
        self._known = known

    def predict(self, given: Sequence[Any]) -> list[Prediction]:
        forms, always = self._known["forms"], self._known["always"]
        return [Prediction(always or forms.get(text, NOOP), 1.0) for text in given]
