"""The command `make_scenes`: lines, arrays, tasks of a project; what it refuses."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from annotation.models import Task
from lib.voxels.generator import generate
from lib.voxels.generator_options import Options
from tests.support.tool_workers import make_voxels_project


def said(*words: str) -> str:
    out = StringIO()
    call_command("make_scenes", *words, stdout=out)
    return out.getvalue()


def test_lines_go_to_the_screen_or_to_a_file_alike(tmp_path: Path) -> None:
    expected = [row for one in generate(7, 4) for row in one.rows()]
    on_screen = said("4", "--seed", "7")
    assert [json.loads(line) for line in on_screen.splitlines()] == expected
    file = tmp_path / "scenes.jsonl"
    assert said("4", "--seed", "7", "--out", str(file)) == ""
    assert file.read_text() == on_screen


def test_every_option_is_heard() -> None:
    options = Options((15, 12, 16), 4, shapes=(2, 4), holes=(1, 2), negatives=0.5, per_scene=2)
    words = "3 --first 5 --shapes 2-4 --holes 1-2 --size 15,12,16 --ground-depth 4 --negatives 0.5 --per-scene 2"
    expected = [row for one in generate(0, 3, options, first=5) for row in one.rows()]
    assert [json.loads(line) for line in said(*words.split()).splitlines()] == expected


def test_arrays_hold_the_same_scenes_and_masks(tmp_path: Path) -> None:
    file = tmp_path / "scenes.npz"
    said("12", "--seed", "7", "--per-scene", "3", "--negatives", "0.4", "--format", "npz", "--out", str(file))
    scenes = list(generate(7, 12, Options(per_scene=3, negatives=0.4)))
    found = np.load(file, allow_pickle=False)
    assert found["number"].tolist() == list(range(12))
    assert found["blocks"].dtype == np.uint8
    assert found["blocks"].shape == (12, 17, 13, 17)
    assert all((blocks == one.scene.dense()).all() for blocks, one in zip(found["blocks"], scenes, strict=True))
    assert found["agent"].tolist() == [list(one.scene.agent or ()) for one in scenes]
    assert found["player"].tolist() == [list(one.scene.player or ()) for one in scenes]
    assert found["key"].tolist() == [key for one in scenes for key in one.keys]
    examples = [(place, example) for place, one in enumerate(scenes) for example in one.examples]
    for number, (place, example) in enumerate(examples):
        assert found["phrase"][number] == example.phrase
        assert found["scene"][number] == place
        marked = [] if example.voxels is None else example.voxels.tolist()
        assert np.argwhere(found["mask"][number]).tolist() == marked
    assert len(found["mask"]) == len(examples)
    assert {example.voxels is None for _, example in examples} == {True, False}


@pytest.mark.django_db
def test_tasks_and_references_are_made_of_a_project() -> None:
    make_voxels_project("p")
    assert said("3", "--seed", "7", "--project", "p") == "3 created, 0 there already.\n"
    assert said("4", "--seed", "8", "--project", "p", "--references") == "4 created, 0 there already.\n"
    assert said("4", "--seed", "8", "--project", "p", "--references") == "0 created, 4 there already.\n"
    assert Task.objects.filter(is_reference=True).count() == 4
    with pytest.raises(CommandError, match="other content"):
        said("3", "--seed", "7", "--project", "p", "--shapes", "3")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["0"], "at least one"),
        (["1", "--shapes", "3-1"], "shapes: "),
        (["1", "--size", "17,13"], "size: "),
        (["1", "--seed", "-1"], "seed: "),
        (["1", "--negatives", "2"], "negatives: "),
        (["1", "--references"], "--project"),
        (["1", "--format", "npz"], "--out"),
        (["1", "--out", "/nowhere/at/all.jsonl"], "No such file"),
        (["1", "--project", "nowhere"], "There is no project 'nowhere'"),
    ],
)
def test_a_wrong_option_is_refused_in_a_sentence(words: list[Any], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        said(*words)
