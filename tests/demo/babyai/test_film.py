"""The film shows the right picture at the right time."""

from pathlib import Path
from random import Random

import av
import numpy as np

from demo.babyai.agents import Expert
from demo.babyai.film import STRIP, draw, frame_times, write
from demo.babyai.world import FORWARD, LEFT, World


def test_every_frame_is_the_picture_of_its_step(tmp_path: Path) -> None:
    world = World("BabyAI-GoToLocal-v0", 6)
    pictures = []
    for step in range(9):
        pictures.append(draw(world, step=step, in_control=step > 4))
        world.step(LEFT if step % 2 else FORWARD)
    assert write(tmp_path / "film.mp4", pictures, fps=12, repeat=3) == 27
    assert frame_times(tmp_path / "film.mp4") == [index / 12 for index in range(27)]
    stored = (tmp_path / "film.mp4").read_bytes()
    assert stored.index(b"moov") < stored.index(b"mdat"), "the index stands before the pictures"
    with av.open(str(tmp_path / "film.mp4")) as film:
        shown = [frame.to_ndarray(format="rgb24").astype(int) for frame in film.decode(video=0)]
    for index, frame in enumerate(shown):
        distances = [np.abs(frame - picture).mean() for picture in pictures]
        assert int(np.argmin(distances)) == index // 3


def test_the_strip_shows_the_carried_thing_and_the_agents_control() -> None:
    world = World("BabyAI-PickupLoc-v0", 52)
    empty = draw(world, step=1, in_control=True)
    expert = Expert(world, Random(0))
    last = None
    while world.carried() is None:
        last = expert.act(last)
        world.step(last)
    assert world.carried() == "purple ball"
    carrying = draw(world, step=1, in_control=True)
    context = draw(world, step=1, in_control=False)
    assert (carrying[-STRIP:] != empty[-STRIP:]).any()
    assert (carrying[-STRIP:] != context[-STRIP:]).any()
    assert (carrying[:-STRIP] == context[:-STRIP]).all()
