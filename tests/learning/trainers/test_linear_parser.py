"""The trainer of linear parsers: what it learns, that it learns the same again, and what it refuses."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

from learning.trainers.nlu.linear import LinearParserTrainer
from learning.trainers.nlu.settings import LinearSettings
from learning.trainers.protocol import Example, Progress
from learning.trainers.registry import modules, trainer_for
from lib.faults import ExtraMissing, Invalid, NotFound
from lib.logical_form.normal import normal
from lib.logical_form.validate import faults_of
from lib.nlu.features import character_runs, word_runs
from lib.nlu.parser import LearntParser, Weights
from lib.nlu.skeletons import taken_apart
from tests.support.small_corpus import small_corpus

TRAINER = LinearParserTrainer()
CORPUS = small_corpus()
TRAIN = [example for number, example in enumerate(CORPUS) if number % 4]
VALID = [example for number, example in enumerate(CORPUS) if not number % 4]


def fit(seed: int = 0, start: bytes | None = None, **settings: Any) -> tuple[bytes, list[Progress]]:
    told: list[Progress] = []
    artefact = TRAINER.fit(TRAIN, VALID, seed=seed, settings=settings, start=start, told=told.append)
    return artefact, told


@pytest.fixture(scope="module")
def artefact() -> bytes:
    return fit()[0]


def _share_right(artefact: bytes, examples: list[Example]) -> float:
    predictions = TRAINER.load(artefact).predict([one.given for one in examples])
    assert all(not faults_of(one.value, words=None) and 0 <= one.score <= 1 for one in predictions)
    return sum(
        TRAINER.is_correct(one.value, example.truth) for one, example in zip(predictions, examples, strict=True)
    ) / len(examples)


def test_a_parser_learns_commands_that_it_has_not_seen(artefact: bytes) -> None:
    assert not {one.given for one in TRAIN} & {one.given for one in VALID}
    assert _share_right(artefact, VALID) > 0.9


def test_the_same_seed_gives_the_same_bytes_and_another_seed_other_ones(artefact: bytes) -> None:
    """Another seed draws the examples anew, with replacement."""
    assert fit()[0] == artefact
    assert fit(seed=1)[0] == fit(seed=1)[0] != artefact


def test_the_margins_are_those_of_scikit_learn(artefact: bytes) -> None:
    """The parser computes with numpy what scikit-learn's own vectorisers and support vector machine compute."""
    weights = Weights.of(artefact)
    parts = [taken_apart(normal(one.truth)) for one in TRAIN]
    learnt = [(one, part) for one, part in zip(TRAIN, parts, strict=True)]
    blocks = [
        TfidfVectorizer(analyzer=word_runs, sublinear_tf=True, min_df=2).fit([one.given for one, _ in learnt]),
        TfidfVectorizer(analyzer=character_runs, sublinear_tf=True, min_df=2).fit([one.given for one, _ in learnt]),
    ]
    assert list(weights.words) == sorted(blocks[0].vocabulary_)
    truths = [
        weights.skeletons.index(part.skeleton) if part.skeleton in weights.skeletons else -1 for _, part in learnt
    ]
    seen = hstack([block.transform([one.given for one, _ in learnt]) for block in blocks])
    model = LinearSVC(C=LinearSettings().strength, random_state=0).fit(seen, truths)
    expected = model.decision_function(hstack([block.transform([one.given for one in VALID]) for block in blocks]))
    parser = LearntParser.of(artefact)
    found = np.array([parser.margins(one.given) for one in VALID])
    classes = [number for number in model.classes_ if number >= 0]
    assert classes == list(range(len(weights.skeletons)))
    # The weights are kept with 16 bits.
    assert found == pytest.approx(expected[:, -len(classes) :], abs=5e-3)
    assert (found.argmax(axis=1) == expected[:, -len(classes) :].argmax(axis=1)).all()


def test_progress_rises_and_ends_with_the_share_of_right_answers(artefact: bytes) -> None:
    _, told = fit()
    assert [one.step for one in told] == list(range(1, len(told) + 1))
    shares = [one.share for one in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert told[-1].valid == pytest.approx(_share_right(artefact, VALID))
    assert any(one.loss is not None for one in told)


def test_an_error_in_told_ends_the_training() -> None:
    def refuse(_: Progress) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        TRAINER.fit(TRAIN, VALID, seed=0, settings={}, start=None, told=refuse)


def test_a_continued_parser_keeps_its_skeletons_and_moves_towards_the_examples(artefact: bytes) -> None:
    """Taught that every "build" is a destruction, it forgets what "build" was."""
    other = [
        one._replace(truth=normal({**one.truth, "event_sequence": [_destroyed(one.truth)]}))
        for one in TRAIN
        if one.given.startswith("build a ")
    ]
    before, after = (
        TRAINER.load(artefact),
        TRAINER.fit(
            other,
            VALID,
            seed=0,
            settings={"further_rounds": 20, "further_step": 0.2},
            start=artefact,
            told=lambda _: None,
        ),
    )
    assert Weights.of(after).skeletons == Weights.of(artefact).skeletons
    told = {
        name: model.predict(["build a red cube"])[0].value
        for name, model in {"old": before, "new": TRAINER.load(after)}.items()
    }
    assert told["old"]["event_sequence"][0]["action_type"] == "BUILD"
    assert told["new"]["event_sequence"][0]["action_type"] == "DESTROY"
    gentle, reports = fit(start=artefact)
    assert _share_right(gentle, VALID) > 0.9
    assert len(reports) == 6
    assert fit(start=artefact)[0] == gentle


def _destroyed(form: dict[str, Any]) -> dict[str, Any]:
    (step,) = form["event_sequence"]
    return {"action_type": "DESTROY", "reference_object": step["schematic"]}


@pytest.mark.parametrize(
    "settings",
    [
        {"unknown": 1},
        {"strength": 0},
        {"strength": "1"},
        {"rounds": 2.5},
        {"rounds": True},
        {"further_step": float("nan")},
    ],
)
def test_settings_out_of_bounds_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as refused:
        fit(**settings)
    assert refused.value.faults[0].pointer == f"#/{next(iter(settings))}"


@pytest.mark.parametrize("train", [[], VALID[:1], [one._replace(truth={"dialogue_type": "NO"}) for one in TRAIN]])
def test_too_few_usable_examples_are_refused(train: list[Example]) -> None:
    for seed in (0, 1):
        with pytest.raises(Invalid):
            TRAINER.fit(train, VALID, seed=seed, settings={}, start=None, told=lambda _: None)


def test_what_is_no_parser_cannot_be_continued() -> None:
    with pytest.raises(Invalid):
        fit(start=b"no parser")


def test_without_scikit_learn_the_fault_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ExtraMissing, match="CROSSWALK_EXTRAS=nlu"):
        fit()


def test_the_registry_knows_its_trainers_and_says_which_there_are() -> None:
    assert "nlu" in modules()
    assert trainer_for("nlu") is trainer_for("nlu", "linear")
    with pytest.raises(NotFound, match="nlu/linear"):
        trainer_for("nlu", "another")
