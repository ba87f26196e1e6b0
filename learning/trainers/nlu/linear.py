"""The trainer of the linear parser, which needs no accelerator: a minute for ten thousand commands on one core."""

from collections.abc import Sequence
from typing import Any

from learning.trainers.nlu.settings import linear_settings
from learning.trainers.protocol import Example, Prediction, Predictor, Settings, Told
from lib.extras import check_installed
from lib.faults import Invalid
from lib.logical_form.normal import normal, same
from lib.logical_form.spans import tokenise
from lib.nlu.parser import LearntParser, is_valid

MOST_EXAMPLES = 50_000


class LinearParserTrainer:
    """Trains linear parsers of the present grammar. Truths are learnt and compared in normal form."""

    name = "linear"
    module = "nlu"
    extra = "nlu"

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
        """The artefact of a parser; see `Trainer.fit`. Examples whose truth is not valid are left out.

        Costs: about 60 s and 700 MB for 10,000 examples.
        """
        chosen = linear_settings(settings)
        check_installed(self.extra)
        if len(train) > MOST_EXAMPLES:
            raise Invalid(f"A parser learns from at most {MOST_EXAMPLES} commands; there are {len(train)}.")
        # Loaded here: only a training needs it.
        from learning.trainers.nlu.fitting import Fitting

        fitting = Fitting(settings=chosen, seed=seed, told=told, is_correct=self.is_correct)
        usable = _in_normal_form(train)
        return (fitting.continued if start else fitting.fitted)(usable, _in_normal_form(valid), start or b"").to_bytes()

    def load(self, artefact: bytes) -> Predictor:
        return _Model(LearntParser.of(artefact))

    def is_correct(self, value: Any, truth: Any) -> bool:
        """Whether both forms mean the same: they are compared in normal form."""
        return same(value, truth)

    def score(self, value: Any, truth: Any) -> float:
        return float(self.is_correct(value, truth))


class _Model:
    def __init__(self, parser: LearntParser) -> None:
        self._parser = parser

    def predict(self, given: Sequence[Any]) -> list[Prediction]:
        return [Prediction(*self._parser.parse(str(text))) for text in given]


def _in_normal_form(examples: Sequence[Example]) -> list[Example]:
    found = []
    for example in examples:
        form = normal(example.truth)
        if is_valid(form, len(tokenise(example.given))):
            found.append(example._replace(truth=form))
    return found
