"""The network of paper 004: how it answers with numpy alone, what it refuses, and what it learns where PyTorch is."""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from learning.trainers.protocol import Example, Progress
from learning.trainers.registry import trainer_for
from learning.trainers.vision.network_settings import read_settings
from lib.extras import BY_HAND, is_installed
from lib.faults import ExtraMissing, Invalid
from lib.files.model_file import NotAnArtefact, read, written
from lib.vision import network
from lib.vision.network import BLOCK_KINDS, BLOCK_SIZE, EPSILON, KIND, LAYERS, NetworkEye, Weights, convolved, cut
from lib.vision.words import TEXT_SIZE, phrase_vector
from lib.voxels.generator import generate
from lib.voxels.generator_options import Options
from lib.voxels.scene import read_scene

TRAINER = trainer_for("vision", "network")
RED, BLUE = 61, 58
SCENE = {"size": [9, 5, 7], "blocks": [[x, 1, 2, BLUE] for x in range(3, 6)] + [[5, 2, 3, RED], [7, 3, 4, RED]]}
needs_torch = pytest.mark.skipif(not is_installed("torch"), reason=f"PyTorch is not here: {BY_HAND['torch']}")


def drawn(kernel: int = 3, hidden: int = 6, seed: int = 0) -> Weights:
    """A network by chance."""
    draw = np.random.default_rng(seed)

    def some(*shape: int) -> Any:
        return draw.normal(0, 0.3, shape).astype(np.float32)

    shapes = network.shapes_of(kernel, hidden)
    norms = some(*shapes["norms"])
    norms[:, 3] = np.abs(norms[:, 3]) + 0.5
    return Weights(
        threshold=0.5,
        kernels=[some(*shapes[f"kernel_{number}"]) for number in range(LAYERS)],
        norms=norms,
        **{name: some(*shapes[name]) for name in ("blocks", "projection", "bias", "constant")},
    )


def of_red_blocks() -> Weights:
    """A network that was made by hand: it names red blocks if the phrase says “red”, and nothing else."""
    blocks = np.zeros((BLOCK_KINDS, BLOCK_SIZE), np.float32)
    blocks[RED, 0] = 1
    kernels = []
    for entering in (BLOCK_SIZE, 1, 1, 1):
        kernel = np.zeros((3, 3, 3, entering, 1), np.float32)
        kernel[1, 1, 1, 0] = 1
        kernels.append(kernel)
    return Weights(
        threshold=0.8,
        blocks=blocks,
        kernels=kernels,
        norms=np.repeat(np.array([[[1], [0], [0], [1 - EPSILON]]], np.float32), LAYERS, axis=0),
        projection=phrase_vector("red")[:, None],
        bias=np.zeros(1, np.float32),
        constant=np.array([-16], np.float32),
    )


def examples(seed: int, scenes: int) -> list[Example]:
    options = Options(per_scene=2, size=(8, 7, 9), ground_depth=2)
    return [
        Example(row["key"], {"scene": row["scene"], "phrase": row["phrase"]}, row["answer"].get("voxels", []))
        for scene in generate(seed, scenes, options)
        for row in scene.rows()
    ]


def fit(train: list[Example], seed: int = 0, start: bytes | None = None, told: Any = None, **settings: Any) -> bytes:
    small = {} if start else {"hidden": 16}
    return TRAINER.fit(
        train, [], seed=seed, settings={**small, **settings}, start=start, told=told or (lambda progress: None)
    )


def mean_iou(artefact: bytes, items: list[Example]) -> float:
    predictions = TRAINER.load(artefact).predict([one.given for one in items])
    assert all(0 <= one.score <= 1 for one in predictions)
    return float(np.mean([TRAINER.score(one.value, item.truth) for one, item in zip(predictions, items, strict=True)]))


# It answers with numpy alone -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", [3, 5])
def test_a_convolution_is_the_sum_over_the_neighbours(side: int) -> None:
    draw = np.random.default_rng(side)
    volume = draw.normal(size=(4, 3, 5, 2)).astype(np.float32)
    kernel = draw.normal(size=(side, side, side, 2, 3)).astype(np.float32)
    reach = side // 2
    wanted = np.zeros((4, 3, 5, 3))
    for place in np.ndindex(4, 3, 5):
        for step in np.ndindex(side, side, side):
            x, y, z = (one + shift - reach for one, shift in zip(place, step, strict=True))
            if 0 <= x < 4 and 0 <= y < 3 and 0 <= z < 5:
                wanted[place] += volume[x, y, z] @ kernel[step]
    assert np.allclose(convolved(volume, kernel), wanted, atol=1e-4)


def test_a_network_names_voxels_of_the_scene() -> None:
    (red, blue) = TRAINER.load(of_red_blocks().to_bytes()).predict(
        [{"scene": SCENE, "phrase": "the Red things"}, {"scene": SCENE, "phrase": "the blue thing"}]
    )
    assert red.value == [[5, 2, 3], [7, 3, 4]]
    assert red.score > 0.99
    assert blue.value == []
    assert blue.score > 0.5


def test_a_network_sees_the_box_around_the_blocks() -> None:
    grid, corner = cut(read_scene(SCENE))
    assert (grid.shape, corner.tolist()) == ((5, 3, 3), [3, 1, 2])
    assert grid[2, 1, 1] == RED


@pytest.mark.parametrize("blocks", [[], [[0, 0, 0, RED], [200, 200, 200, RED]]])
def test_in_a_scene_of_air_or_a_too_large_one_it_names_nothing(blocks: list[list[int]]) -> None:
    scene = {"size": [201, 201, 201], "blocks": blocks}
    assert NetworkEye(of_red_blocks()).see(scene, "red") == ([], 0.0)


def test_the_vectors_of_words_are_fixed_and_nearly_orthogonal() -> None:
    assert np.array_equal(phrase_vector("Yellow CUBE"), phrase_vector("cube, yellow"))
    assert set(phrase_vector("cube").tolist()) == {0.5, -0.5}
    assert abs(float(phrase_vector("cube") @ phrase_vector("sphere"))) < 0.4 * TEXT_SIZE / 4
    assert phrase_vector("").tolist() == [0] * TEXT_SIZE


# It reads what may come from anybody ---------------------------------------------------------------------------------


def test_an_artefact_holds_the_whole_network() -> None:
    weights = drawn(kernel=5)
    again = Weights.of(weights.to_bytes())
    assert again.to_bytes() == weights.to_bytes()
    assert (again.kernel, again.hidden, again.threshold) == (5, 6, 0.5)
    grid = cut(read_scene(SCENE))[0]
    assert np.array_equal(NetworkEye(again).chances(grid, "cube"), NetworkEye(weights).chances(grid, "cube"))


@pytest.mark.parametrize(
    ("meta", "arrays"),
    [
        ({"kernel": 4}, {}),
        ({"hidden": 7}, {}),
        ({"hidden": True}, {}),
        ({"hidden": 10**6}, {}),
        ({"threshold": 1.0}, {}),
        ({"threshold": None}, {}),
        ({}, {"kernel_0": np.zeros((3, 3, 3, 8, 5), np.float32)}),
        ({}, {"more": np.zeros(1, np.float32)}),
        ({}, {"norms": np.full((LAYERS, 4, 6), -1, np.float32)}),
    ],
)
def test_artefacts_whose_parts_do_not_fit_are_refused(meta: dict[str, Any], arrays: dict[str, Any]) -> None:
    known, parts = read(drawn().to_bytes(), KIND)
    known.pop("format")
    TRAINER.load(written(KIND, known, parts))
    with pytest.raises(NotAnArtefact):
        TRAINER.load(written(KIND, {**known, **meta}, {**parts, **arrays}))


def test_the_artefact_of_a_linear_eye_is_refused() -> None:
    with pytest.raises(NotAnArtefact):
        TRAINER.load(written("crosswalk-vision-linear-1", {}, {}))


# It refuses what it cannot learn -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        {"unknown": 1},
        {"kernel": 4},
        {"hidden": 0},
        {"hidden": True},
        {"threshold": 1.0},
        {"threshold": "0.8"},
        {"rounds": 0},
        {"further_rounds": 1.5},
        {"device": "tpu"},
    ],
)
def test_settings_out_of_bounds_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        read_settings(settings, None)


def test_a_network_to_continue_keeps_its_size_and_its_threshold() -> None:
    before = drawn(kernel=5)
    found = read_settings({"further_rounds": 2}, before)
    assert (found.kernel, found.hidden, found.threshold, found.rounds) == (5, 6, 0.5, 2)
    assert read_settings({"threshold": 0.3, "kernel": 5}, before).threshold == 0.3
    with pytest.raises(Invalid):
        read_settings({"kernel": 3}, before)


def test_the_size_of_the_paper_is_a_setting() -> None:
    assert read_settings({"kernel": 5, "hidden": 128}, None).threshold == 0.8


def test_without_pytorch_the_fault_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ExtraMissing, match="pip install torch"):
        fit(examples(1, 1))


# It learns with PyTorch ----------------------------------------------------------------------------------------------


@needs_torch
def test_pytorch_and_numpy_answer_alike() -> None:
    import torch

    from learning.trainers.vision.network_fitting import Fitting

    weights = replace(drawn(hidden=12), threshold=0.8)
    fitting = Fitting(read_settings({}, weights), seed=0, before=weights)
    grid = cut(read_scene(examples(4, 1)[0].given["scene"]))[0]
    with torch.no_grad():
        fitting._voxels.eval()
        seen = fitting._voxels(fitting._blocks(torch.from_numpy(grid.astype(np.int64))[None]).movedim(-1, 1))
        text = fitting._text(torch.from_numpy(phrase_vector("yellow cube")))
        wanted = torch.sigmoid(torch.einsum("hxyz,h->xyz", seen[0], text) + fitting._constant).numpy()
    found = NetworkEye(weights).chances(grid, "yellow cube")
    assert np.abs(found - wanted).max() < 1e-5
    assert np.ptp(found) > 0.01, "a network by chance tells voxels apart"
    assert fitting._weights().to_bytes() == weights.to_bytes()


@needs_torch
@pytest.mark.long
def test_a_network_learns_what_words_mean_and_goes_on_learning() -> None:
    train, told = examples(1, 40), list[Progress]()
    artefact = fit(train, rounds=30, told=told.append)
    nothing = float(np.mean([not one.truth for one in train]))
    assert mean_iou(artefact, train) > nothing + 0.2
    assert [one.step for one in told] == list(range(1, 31))
    losses = [one.loss for one in told if one.loss is not None]
    assert losses[-1] < losses[0] / 2
    continued = fit(train, start=artefact, further_rounds=3)
    assert continued != artefact
    assert mean_iou(continued, train) > nothing + 0.2


@needs_torch
def test_the_same_seed_gives_the_same_bytes_and_another_seed_other_ones() -> None:
    train = examples(1, 6)
    assert fit(train, rounds=2) == fit(train, rounds=2) != fit(train, seed=1, rounds=2)


@needs_torch
def test_the_round_that_was_best_on_validation_is_kept() -> None:
    train, valid, told = examples(1, 6), examples(2, 3), list[Progress]()
    artefact = TRAINER.fit(train, valid, seed=0, settings={"hidden": 8, "rounds": 6}, start=None, told=told.append)
    assert mean_iou(artefact, valid) == pytest.approx(max(one.valid or 0 for one in told))


@needs_torch
@pytest.mark.parametrize("settings", [{"device": "cuda"}, {}])
def test_without_an_accelerator_or_a_scene_that_it_can_see_nothing_is_learnt(settings: dict[str, Any]) -> None:
    import torch

    if settings and torch.cuda.is_available():
        pytest.skip("there is an accelerator here")
    air = [Example("air", {"scene": {"size": [3, 3, 3], "blocks": []}, "phrase": "cube"}, [])]
    with pytest.raises(Invalid):
        fit(examples(1, 1) if settings else air, **settings)
