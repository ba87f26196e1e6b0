"""The committed manifest against the committed videos; needs no game."""

import re
from collections import Counter
from itertools import groupby
from pathlib import Path

import pytest

from demo import manifest
from demo.film import fingerprint, frame_times
from demo.manifest import EpisodeEntry

FOLDER = Path(manifest.__file__).parent
MANIFEST = manifest.read(FOLDER)
EPISODES = MANIFEST["episodes"]
SCENARIOS = {page["key"]: page for page in MANIFEST["scenarios"]}
FPS = 12
DATA_KEYS = {
    "external_id", "agent", "suite", "scenario", "continuation", "instruction", "takeover_s", "transcript",
    "step_frames", "metadata", "reference",
}  # fmt: skip
SCENARIO_KEYS = {
    "key", "instruction", "category", "skill", "takeover_s", "continuation_s", "criteria", "prompt", "tags",
    "difficulty", "source", "metadata",
}  # fmt: skip

every_episode = pytest.mark.parametrize("episode", EPISODES, ids=lambda episode: str(episode["video"]))


@every_episode
def test_a_video_is_the_one_that_the_manifest_means(episode: EpisodeEntry) -> None:
    path = FOLDER / "episodes" / episode["video"]
    assert fingerprint(path) == episode["sha256"]
    assert frame_times(path) == [index / FPS for index in range(episode["frames"])]


def test_there_are_no_other_videos_and_all_are_small() -> None:
    files = {path.name: path.stat().st_size for path in (FOLDER / "episodes").iterdir()}
    assert sorted(files) == sorted(episode["video"] for episode in EPISODES)
    assert sum(files.values()) <= 3_000_000


@every_episode
def test_the_truth_lies_between_takeover_and_deadline(episode: EpisodeEntry) -> None:
    scenario, truth = SCENARIOS[episode["data"]["scenario"]], episode["truth"]
    deadline_s = scenario["takeover_s"] + scenario["continuation_s"]
    assert deadline_s == episode["frames"] / FPS
    assert scenario["takeover_s"] < truth["time_s"] < deadline_s
    assert truth["time_s"] == round(truth["frame"] / FPS, 6)
    if truth["outcome"] == "failure":
        assert truth["frame"] == episode["frames"] - 1
    else:
        assert truth["frame"] in episode["data"]["step_frames"]


@every_episode
def test_the_steps_fill_the_video(episode: EpisodeEntry) -> None:
    data = episode["data"]
    assert data["step_frames"] == list(range(0, episode["frames"], 3))
    assert len(data["step_frames"]) == len(data["metadata"]["actions"]) + 1
    takeover = data["step_frames"][data["metadata"]["takeover_step"]]
    assert takeover / FPS == SCENARIOS[data["scenario"]]["takeover_s"]


@every_episode
def test_data_is_what_the_api_takes(episode: EpisodeEntry) -> None:
    data = episode["data"]
    assert set(data) <= DATA_KEYS
    assert data["suite"] == MANIFEST["suite"]["slug"]
    assert data["agent"] in {page["slug"] for page in MANIFEST["agents"]}
    spoken = data["transcript"][0]
    assert spoken["text"] == SCENARIOS[data["scenario"]]["instruction"]
    assert 0 <= spoken["at_s"] <= SCENARIOS[data["scenario"]]["takeover_s"]


@every_episode
def test_an_id_tells_nothing(episode: EpisodeEntry) -> None:
    assert re.fullmatch(r"babyai-[0-9a-f]{12}", episode["data"]["external_id"])
    assert episode["video"] == f"{episode['data']['external_id']}.mp4"


def test_scenarios_are_what_the_api_takes() -> None:
    for page in MANIFEST["scenarios"]:
        assert set(page) == SCENARIO_KEYS
        assert re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,62}", page["key"])
        assert page["criteria"].startswith(("Success:", "Two things,"))
        assert 5 <= page["takeover_s"] + page["continuation_s"] <= 20


def test_every_agent_plays_every_scenario_once() -> None:
    played = Counter((one["data"]["scenario"], one["data"]["agent"], one["data"]["continuation"]) for one in EPISODES)
    assert set(played.values()) == {1}
    assert {key[:2] for key in played} == {
        (scenario, agent["slug"]) for scenario in SCENARIOS for agent in MANIFEST["agents"]
    }


@pytest.mark.parametrize("key", SCENARIOS)
def test_all_agents_take_over_in_the_same_state(key: str) -> None:
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


@every_episode
def test_a_reference_tells_the_truth(episode: EpisodeEntry) -> None:
    told = episode["data"].get("reference")
    if told:
        assert (told["outcome"], told["time_s"]) == (episode["truth"]["outcome"], episode["truth"]["time_s"])


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
