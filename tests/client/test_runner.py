"""The runner: a recipe is replayed exactly, an agent goes on from it, and what it did is recorded and posted."""

import json
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from django.utils import timezone

from agents.keys import create_key
from agents.models import ApiKey
from crosswalk_client import Client
from crosswalk_client.cli.main import main
from crosswalk_client.runner.continuations import Work, make
from crosswalk_client.runner.environments import Gymnasium, replay
from crosswalk_client.runner.recipe import Recipe, Unusable, recipe_of
from crosswalk_client.runner.recording import record
from evaluation.models import Episode

WORLD = "tests.support.reaching_world"
EMPTY = "MiniGrid-Empty-8x8-v0"


def recorded(**more: Any) -> Recipe:
    return record(EMPTY, policy="random", steps=4, seed=3, fps=10, imports=["minigrid"], **more)


def test_a_context_is_replayed_exactly_or_refused_at_the_step_that_differs() -> None:
    recipe = recorded()
    assert set(recipe.packages) == {"gymnasium", "minigrid", "numpy"}
    adapter = Gymnasium()
    assert len(replay(adapter, recipe).frames) == 5
    changed = Recipe(**{**recipe.as_json(), "hashes": [*recipe.hashes[:3], "0" * 16, *recipe.hashes[4:]]})
    with pytest.raises(Unusable, match="at step 3 of 4"):
        replay(adapter, changed)
    with pytest.raises(Unusable, match="ends at step"):
        record(WORLD + ":Reaching-v0", policy="random", steps=500, seed=1, fps=10)


def test_continuous_actions_are_recorded_frame_by_frame(tmp_path: Path) -> None:
    recipe = record(WORLD + ":Reaching-v0", policy="random", steps=6, seed=5, fps=20)
    scenario = {"key": "k", "instruction": "reach", "continuation_s": 0.5, "metadata": {"recipe": recipe.as_json()}}
    work = Work(
        scenario, "a", "s", f"{WORLD}:Drifter", "crosswalk_client.runner.environments:Gymnasium", 2, 9, tmp_path / "k-2"
    )
    data = make(work)
    assert (data["takeover_s"], data["continuation"], data["metadata"]["seed"]) == (0.3, 2, 9)
    with av.open(str(work.video)) as film:
        pictures = [one.to_ndarray(format="rgb24") for one in film.decode(video=0)]
    steps = [json.loads(line) for line in work.trajectory.read_text().splitlines()]
    assert len(pictures) == 1 + 6 + 10 == len(data["step_frames"])
    assert [step["by"] for step in steps] == ["context"] * 6 + ["agent"] * 10
    context = replay(Gymnasium(), recipe_of(scenario)).frames
    assert np.abs(pictures[6].astype(int)[:-1, :-1] - context[6].astype(int)).mean() < 3
    again = make(Work(**{**work.__dict__, "stem": tmp_path / "again"}))
    assert again["metadata"]["seed"] == 9
    assert (tmp_path / "again.trajectory.jsonl").read_text() == work.trajectory.read_text()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_run_makes_and_posts_every_continuation_once(
    live_server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    key = create_key(name="runner", scopes=ApiKey.Scope.values, at=timezone.now())
    monkeypatch.setenv("CROSSWALK_URL", live_server.url)
    monkeypatch.setenv("CROSSWALK_KEY", key)
    with Client() as client:
        client.suites.put("grid", title="Grid")
    recording = ["record", EMPTY, "--import", "minigrid", "--steps", "4", "--suite", "grid", "--scenario", "corner"]
    assert main([*recording, "--instruction", "go", "--continuation-s", "1", "--freeze", "v1"]) == 0
    running = ["run", "--agent", f"{WORLD}:Turner", "--suite", "grid@v1", "--continuations", "2"]
    assert main([*running, "--out", str(tmp_path), "--json"]) == 0
    assert list(Episode.objects.order_by("continuation").values_list("external_id", "agent__slug")) == [
        ("grid:turner:corner:0", "turner"),
        ("grid:turner:corner:1", "turner"),
    ]
    made = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.mp4")}
    assert main([*running, "--out", str(tmp_path)]) == 0
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.mp4")} == made
    monkeypatch.setattr("crosswalk_client.runner.recipe.version", lambda name: "0.1")
    assert main([*running, "--out", str(tmp_path)]) == 1
    assert "other versions" in capsys.readouterr().err


def test_an_agent_that_is_not_there_is_told_in_a_sentence(tmp_path: Path) -> None:
    recipe = recorded()
    scenario = {"key": "k", "instruction": "go", "continuation_s": 1, "metadata": {"recipe": recipe.as_json()}}
    adapter = "crosswalk_client.runner.environments:Gymnasium"
    with pytest.raises(Unusable, match="module:Class"):
        make(Work(scenario, "a", "s", "no_such", adapter, 0, 0, tmp_path / "x"))
    with pytest.raises(Unusable, match="no recipe"):
        recipe_of({"metadata": {}})
    assert not list(tmp_path.iterdir())
