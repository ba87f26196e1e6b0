"""The committed manifest and the committed videos agree; needs no game."""

import re
from collections import Counter
from itertools import groupby
from pathlib import Path

import pytest

from demo.babyai import manifest
from demo.babyai.film import fingerprint, frame_times
from demo.babyai.manifest import EpisodeData, EpisodeEntry, ScenarioPage

FOLDER = Path(manifest.__file__).parents[1]
MANIFEST = manifest.read(FOLDER)
EPISODES = MANIFEST["episodes"]
SCENARIOS = {page["key"]: page for page in MANIFEST["scenarios"]}
FPS = 12


@pytest.mark.parametrize("episode", EPISODES, ids=lambda episode: str(episode["video"]))
def test_an_episode_agrees_with_its_video_scenario_and_truth(episode: EpisodeEntry) -> None:
    data, truth, scenario = episode["data"], episode["truth"], SCENARIOS[episode["data"]["scenario"]]
    path = FOLDER / "episodes" / episode["video"]
    assert fingerprint(path) == episode["sha256"]
    assert frame_times(path) == [index / FPS for index in range(episode["frames"])]
    # The id reveals nothing.
    assert re.fullmatch(r"babyai-[0-9a-f]{12}", data["external_id"])
    assert episode["video"] == f"{data['external_id']}.mp4"
    assert set(data) <= set(EpisodeData.__annotations__)
    assert data["suite"] == MANIFEST["suite"]["slug"]
    assert data["agent"] in {page["slug"] for page in MANIFEST["agents"]}
    assert data["transcript"][0]["text"] == scenario["instruction"]
    assert 0 <= data["transcript"][0]["at_s"] <= scenario["takeover_s"]
    # The steps fill the video, and the truth lies between takeover and deadline.
    assert data["step_frames"] == list(range(0, episode["frames"], 3))
    assert len(data["step_frames"]) == len(data["metadata"]["actions"]) + 1
    assert data["step_frames"][data["metadata"]["takeover_step"]] / FPS == scenario["takeover_s"]
    assert scenario["takeover_s"] + scenario["continuation_s"] == episode["frames"] / FPS
    assert scenario["takeover_s"] < truth["time_s"] < episode["frames"] / FPS
    assert truth["time_s"] == round(truth["frame"] / FPS, 6)
    may_be = [episode["frames"] - 1] if truth["outcome"] == "failure" else data["step_frames"]
    assert truth["frame"] in may_be
    posted = data.get("reference", truth)
    assert (posted["outcome"], posted["time_s"]) == (truth["outcome"], truth["time_s"])


def test_there_are_no_other_videos_and_all_are_small() -> None:
    files = {path.name: path.stat().st_size for path in (FOLDER / "episodes").iterdir()}
    assert sorted(files) == sorted(episode["video"] for episode in EPISODES)
    assert sum(files.values()) <= 3_000_000


def test_the_api_takes_the_scenarios() -> None:
    for page in MANIFEST["scenarios"]:
        assert set(page) == set(ScenarioPage.__annotations__)
        assert re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,62}", page["key"])
        assert page["criteria"].startswith(("Success:", "Two things,"))
        assert 5 <= page["takeover_s"] + page["continuation_s"] <= 20


def test_every_agent_plays_every_scenario_once() -> None:
    played = Counter((one["data"]["scenario"], one["data"]["agent"], one["data"]["continuation"]) for one in EPISODES)
    assert set(played.values()) == {1}
    assert {key[:2] for key in played} == {
        (scenario, agent["slug"]) for scenario in SCENARIOS for agent in MANIFEST["agents"]
    }


def test_all_agents_take_over_in_the_same_state() -> None:
    for key in SCENARIOS:
        metadata = [one["data"]["metadata"] for one in EPISODES if one["data"]["scenario"] == key]
        contexts = {each["actions"][: each["takeover_step"]] for each in metadata}
        assert len(contexts) == len({each["takeover_state"] for each in metadata}) == 1


def test_references_are_a_third_of_both_outcomes_and_all_agents() -> None:
    references = [one for one in EPISODES if "reference" in one["data"]]
    assert 0.3 <= len(references) / len(EPISODES) <= 0.37
    outcomes = Counter(one["truth"]["outcome"] for one in references)
    assert abs(outcomes["success"] - outcomes["failure"]) <= 2
    for outcome in ("success", "failure"):
        assert len({one["data"]["agent"] for one in references if one["truth"]["outcome"] == outcome}) >= 3
    assert max(Counter(one["data"]["scenario"] for one in references).values()) <= 2


def test_the_agents_lie_well_apart() -> None:
    by_agent = sorted(EPISODES, key=lambda one: one["data"]["agent"])
    rates = {
        agent: sum(outcomes := [one["truth"]["outcome"] == "success" for one in group]) / len(outcomes)
        for agent, group in groupby(by_agent, key=lambda one: one["data"]["agent"])
    }
    assert rates["expert"] == 1
    assert 0.4 <= rates["noisy"] <= 0.75
    assert rates["random"] <= rates["mistaken"] <= 0.25


def test_reading_and_writing_change_nothing(tmp_path: Path) -> None:
    manifest.write(MANIFEST, tmp_path)
    assert (tmp_path / "manifest.json").read_bytes() == (FOLDER / "manifest.json").read_bytes()
