"""Clips and the results of their preparation, each made once a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from lib.video.limits import Limits
from lib.video.prepare import Prepared, prepare
from tests.support.clips import Clip, barcode_clip

FRAMES = 26  # three groups of pictures in the proxy
WIDTH, HEIGHT = 160, 90


@dataclass(frozen=True)
class Work:
    """A clip, and the results of its preparation in `folder`."""

    clip: Clip
    prepared: Prepared
    folder: Path


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Clip]:
    """The clip of a kind, to be read only."""
    folder = tmp_path_factory.mktemp("clips")
    made: dict[str, Clip] = {}

    def of(kind: str) -> Clip:
        if kind not in made:
            made[kind] = barcode_clip(folder / kind, kind=kind, frames=FRAMES, width=WIDTH, height=HEIGHT)
        return made[kind]

    return of


@pytest.fixture(scope="session")
def work(clip: Callable[[str], Clip], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Work]:
    """The clip of a kind, prepared."""
    folder = tmp_path_factory.mktemp("prepared")
    done: dict[str, Work] = {}

    def of(kind: str) -> Work:
        if kind not in done:
            source = clip(kind)
            done[kind] = Work(source, prepare(source.path, folder / kind, limits=Limits()), folder / kind)
        return done[kind]

    return of
