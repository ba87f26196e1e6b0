"""A person at the keyboard: what their keys do, and that they take over where an agent would."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pygame
import pytest
from django.utils import timezone

from agents.keys import create_key
from agents.models import Agent, ApiKey
from crosswalk_client import Client
from crosswalk_client.cli.main import main
from crosswalk_client.runner.keyboard import KNOWN, ContextEnds, GivenUp, Keys, Person, keys_of, window
from crosswalk_client.runner.recipe import Unusable
from crosswalk_client.runner.screen import Key
from evaluation.models import Episode, Scenario

EMPTY = "MiniGrid-Empty-8x8-v0"
PICTURE = np.zeros((4, 4, 3), np.uint8)


class Script:
    """A screen whose keys and clock are written down: each key goes down or up at its second."""

    def __init__(self, *keys: tuple[float, str, bool]) -> None:
        self._keys = [*keys]
        self._now = 0.0
        self.lines: list[str] = []

    def show(self, picture: Any, *lines: str) -> None:
        self.lines.append(lines[-1])

    def keys(self, *, until: float) -> Iterator[Key]:
        while self._keys and self._keys[0][0] <= until:
            at, name, is_down = self._keys.pop(0)
            self._now = max(self._now, at)
            yield Key(name, is_down)
        self._now = max(self._now, until)

    def now(self) -> float:
        return self._now


def person(*keys: tuple[float, str, bool], of: Keys, steps: int | None = 8) -> Person:
    return Person(Script(*keys), of, "go", fps=10, steps=steps)


def test_a_step_is_made_at_each_beat_with_the_keys_that_are_held_or_were_tapped() -> None:
    keys = Keys({"left": [-1.0, 0.0], "up": [0.0, 1.0]}, idle=[0.0, 0.0])
    pressed = [
        (1.0, "space", True),
        (1.01, "space", False),
        (1.12, "left", True),
        (1.24, "up", True),
        (1.25, "left", False),
        (1.36, "up", False),
        (1.41, "left", True),
        (1.42, "left", False),
    ]
    player = person(*pressed, of=keys)
    player.see(PICTURE)
    acted = [player.act(None) for _ in range(6)]
    assert acted == [[0.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [-1.0, 0.0], [0.0, 0.0]]
    assert player.screen.now() == pytest.approx(1.6)


def test_without_an_idle_action_a_step_is_made_at_each_key_that_is_known() -> None:
    player = person((0.5, "x", True), (1, "space", True), (2, "x", True), (9, "up", True), of=keys_of(EMPTY, given={}))
    player.see(PICTURE)
    assert player.act(None) == 2
    player.see(PICTURE)
    assert isinstance(player.screen, Script)
    assert player.screen.lines[-1] == "7 steps left (0.7 s)"


@pytest.mark.parametrize(("name", "raised"), [("escape", GivenUp), ("return", ContextEnds)])
def test_escape_gives_up_and_return_ends_a_context(name: str, raised: type[Exception]) -> None:
    player = person((1, "space", True), (2, name, True), of=Keys({"up": 2}), steps=None)
    player.see(PICTURE)
    with pytest.raises(raised):
        player.act(None)


def test_environments_without_known_keys_need_them_named() -> None:
    assert keys_of("gymnasium:CarRacing-v3", given={}, idle=None) == KNOWN["CarRacing-"]
    with pytest.raises(Unusable, match="--press"):
        keys_of("Reaching-v0", given={})


class Hands(Script):
    """A screen at which each of these keys is pressed as soon as the person may act."""

    def __init__(self, *names: str) -> None:
        super().__init__()
        self._names = [*names]

    def keys(self, *, until: float) -> Iterator[Key]:
        may_act = "before" not in self.lines[-1]
        if may_act and self._names:
            yield Key(self._names.pop(0), is_down=True)
        self._now = max(self._now, min(until, self._now + 1))

    def close(self) -> None:
        assert not self._names


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_person_records_a_context_and_another_one_takes_over(
    live_server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(status: int, pressed: str, *words: str) -> None:
        monkeypatch.setattr("crosswalk_client.runner.keyboard.Window", lambda: Hands(*pressed.split()))
        assert main(words) == status

    monkeypatch.setenv("CROSSWALK_URL", live_server.url)
    monkeypatch.setenv("CROSSWALK_KEY", create_key(name="p", scopes=ApiKey.Scope.values, at=timezone.now()))
    with Client() as client:
        client.suites.put("grid", title="Grid")
    context = ["record", EMPTY, "--import", "minigrid", "--policy", "keyboard", "--suite", "grid", "--scenario", "c"]
    how = ["--instruction", "go", "--continuation-s", "0.3", "--fps", "20", "--freeze", "v1"]
    run(1, "space up escape", *context, *how)
    assert not Scenario.objects.exists()
    run(0, "space up right return", *context, *how)
    wording = Scenario.objects.get().current
    assert wording is not None
    assert wording.metadata["recipe"]["actions"] == [2, 1]
    playing = ["play", "--suite", "grid@v1", "--as", "ana", "--kind", "expert", "--out", str(tmp_path)]
    run(130, "space up escape", *playing)
    assert not Episode.objects.exists()
    run(0, "space up up left left up up", *playing, "--json")
    assert Agent.objects.get().kind == "expert"
    made = Episode.objects.get()
    assert (made.metadata["played"], made.takeover_s) == ("by key", 0.1)
    lines = next(tmp_path.rglob("*.trajectory.jsonl")).read_text().splitlines()
    assert [json.loads(line)["action"] for line in lines] == [2, 1, 2, 2, 0, 0, 2, 2]
    run(0, "", *playing)
    run(1, "", *playing, "--kind", "human")
    assert "another one" in capsys.readouterr().err


def test_the_window_shows_the_picture_enlarged_and_hears_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with window() as screen:
        picture = np.zeros((2, 4, 3), np.uint8)
        picture[1, 3] = (200, 30, 40)
        screen.show(picture, "go", "7 steps left")
        shown = pygame.display.get_surface()
        assert shown is not None
        assert shown.get_size() == (480, 240 + 60)
        assert tuple(shown.get_at((479, 239))) == (200, 30, 40, 255)
        for kind in (pygame.KEYDOWN, pygame.KEYUP):
            pygame.event.post(pygame.event.Event(kind, key=pygame.K_PAGEUP))
        pygame.event.post(pygame.event.Event(pygame.QUIT))
        heard = [*screen.keys(until=screen.now() + 0.05)]
        assert heard == [("page up", True), ("page up", False), ("escape", True)]
    assert not pygame.display.get_init()
