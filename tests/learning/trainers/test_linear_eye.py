"""The trainer of linear eyes, on generated scenes: what it learns, that it learns the same again, what it refuses."""

import sys
from typing import Any

import numpy as np
import pytest

from learning.trainers.protocol import Example, Progress
from learning.trainers.registry import trainer_for
from lib.faults import ExtraMissing, Invalid
from lib.files.model_file import NotAnArtefact, written
from lib.vision.model import KIND, LinearEye, Weights
from lib.vision.pieces import pieces_of
from lib.voxels.generator import generate
from lib.voxels.generator_options import Options
from lib.voxels.mask import keys_of
from lib.voxels.scene import read_scene

TRAINER = trainer_for("vision", "linear")


def examples(seed: int, scenes: int) -> list[Example]:
    options = Options(per_scene=2, holes=(0, 1))
    return [
        Example(row["key"], {"scene": row["scene"], "phrase": row["phrase"]}, row["answer"].get("voxels", []))
        for scene in generate(seed, scenes, options)
        for row in scene.rows()
    ]


TRAIN, TEST = examples(1, 120), examples(2, 40)


def fit(train: list[Example] = TRAIN, seed: int = 0, start: bytes | None = None, **settings: Any) -> bytes:
    return TRAINER.fit(train, [], seed=seed, settings=settings, start=start, told=lambda progress: None)


@pytest.fixture(scope="module")
def artefact() -> bytes:
    return fit()


def mean_iou(artefact: bytes, items: list[Example]) -> float:
    predictions = TRAINER.load(artefact).predict([one.given for one in items])
    assert all(0 <= one.score <= 1 for one in predictions)
    return float(np.mean([TRAINER.score(one.value, item.truth) for one, item in zip(predictions, items, strict=True)]))


@pytest.mark.long
def test_an_eye_finds_things_in_scenes_that_it_has_not_seen(artefact: bytes) -> None:
    """An eye that always answers that nothing is there has only the share of phrases that name nothing."""
    nothing = float(np.mean([not one.truth for one in TEST]))
    assert nothing < 0.4
    assert mean_iou(artefact, TEST) > 0.75
    assert mean_iou(fit(TRAIN[:20]), TEST) < mean_iou(artefact, TEST)


@pytest.mark.long
def test_the_same_seed_gives_the_same_bytes_and_another_seed_other_ones(artefact: bytes) -> None:
    assert fit() == artefact
    assert fit(seed=1, rounds=2) == fit(seed=1, rounds=2) != fit(rounds=2)


def test_an_eye_can_be_continued(artefact: bytes) -> None:
    assert fit(start=artefact, further_rounds=2) != artefact
    assert mean_iou(fit(start=artefact, further_rounds=2), TEST) > 0.7
    assert list(Weights.of(fit(TRAIN[:10], start=artefact)).features) == list(Weights.of(artefact).features)


def test_progress_tells_loss_and_validation(artefact: bytes) -> None:
    told: list[Progress] = []
    TRAINER.fit(TRAIN[:40], TEST[:5], seed=0, settings={"rounds": 3}, start=None, told=told.append)
    assert [one.step for one in told] == [1, 2, 3]
    assert told[-1].share == 1
    losses = [one.loss for one in told if one.loss is not None]
    assert losses == sorted(losses, reverse=True)
    assert all(one.valid is not None for one in told)


def test_the_pieces_of_a_generated_scene_are_its_objects() -> None:
    for made in generate(3, 20, Options(holes=(1, 1))):
        masks = [piece.mask.tolist() for piece in pieces_of(read_scene(made.scene.as_json()))]
        for thing in made.things:
            assert keys_of(thing.voxels).tolist() in masks


def test_a_thing_of_two_materials_has_two_pieces_and_words_tell_them_apart() -> None:
    blocks = [[x, 0, z, 2] for x in range(5) for z in range(5)] + [[1, 1, 1, 57], [1, 2, 1, 41]]
    scene = read_scene({"size": [5, 5, 5], "blocks": blocks})
    colours = [next(one for one in piece.features if one.startswith("colour=")) for piece in pieces_of(scene)]
    assert len(set(colours)) == 2
    weights = Weights([f"word {colours[1]}"], np.array([9.0], np.float32), -4.0)
    assert LinearEye(weights).choose(pieces_of(scene), "the word").voxels == [[1, 2, 1]]
    assert LinearEye(weights).choose(pieces_of(scene), "another").voxels == []


def test_correct_is_voxel_by_voxel_and_the_score_is_the_iou() -> None:
    one, two = [[1, 1, 1]], [[1, 1, 1], [1, 1, 2]]
    assert (TRAINER.is_correct(one, one), TRAINER.is_correct(one, two), TRAINER.score(one, two)) == (True, False, 0.5)
    assert TRAINER.is_correct([], [])


@pytest.mark.parametrize("settings", [{"unknown": 1}, {"rounds": 0}, {"rounds": 1.5}, {"further_rounds": True}])
def test_settings_out_of_bounds_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        fit(**settings)


@pytest.mark.parametrize("train", [[], [one._replace(truth=[]) for one in TRAIN[:20]]])
def test_examples_that_teach_nothing_are_refused(train: list[Example]) -> None:
    with pytest.raises(Invalid):
        fit(train)


@pytest.mark.parametrize(
    ("meta", "weights"),
    [
        ({"features": ["a"], "constant": 0}, np.zeros(2, np.float32)),
        ({"features": [1], "constant": 0}, np.zeros(1, np.float32)),
        ({"features": ["a"], "constant": "0"}, np.zeros(1, np.float32)),
        ({"features": ["a"]}, np.zeros(1, np.float32)),
    ],
)
def test_artefacts_whose_parts_do_not_fit_are_refused(meta: dict[str, Any], weights: np.ndarray) -> None:
    with pytest.raises(NotAnArtefact):
        TRAINER.load(written(KIND, meta, {"weights": weights}))
    with pytest.raises(NotAnArtefact):
        TRAINER.load(b"PK")


def test_without_scikit_learn_the_fault_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ExtraMissing, match="CROSSWALK_EXTRAS=vision"):
        fit()
