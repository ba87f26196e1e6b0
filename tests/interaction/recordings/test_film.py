"""Films are read back: their frames, the times of these, and what is in the pictures."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
import pytest

from interaction.recordings import film
from interaction.recordings.moments import Happening, Part, Stage
from interaction.recordings.picture import STRIP, Camera
from lib.video.limits import Limits
from lib.video.probe import probe
from lib.voxels.scene import Pose, scene_of

STONE, WHITE, RED = 1, 46, 60
"""As in the table of blocks."""
Picture = npt.NDArray[np.uint8]


def stage(size: tuple[int, int, int] = (8, 8, 8)) -> Stage:
    ground = [[x, 0, z, STONE] for x in range(size[0]) for z in range(size[2])]
    return Stage.of(scene_of(size, np.array(ground, dtype=np.int32), Pose(1, 1, 1, 0, 0), None))


def put(at_ms: int, *place: int) -> Happening:
    return Happening(at_ms, "agent", "blocks", {"changes": [[*place, RED]]})


HAPPENINGS = [put(1234, 4, 1, 4), put(4000, 5, 1, 4), put(4100, 6, 1, 4)]
PART = Part(0, 6500)


def test_every_frame_has_its_exact_time_and_is_reported_and_read_by_preparation(tmp_path: Path) -> None:
    told: list[float] = []
    made = film.write(tmp_path / "a.mp4", stage(), HAPPENINGS, PART, report=told.append)
    assert told == [0, 1234 / 6500, 4000 / 6500, 4250 / 6500]
    with av.open(str(tmp_path / "a.mp4")) as file:
        frames = list(file.decode(video=0))
        stream = file.streams.video[0]
        assert [frame.time for frame in frames] == [0, 1.234, 4, 4.25]
        assert (stream.codec_context.name, stream.width, stream.height) == ("h264", made.width, made.height)
    assert (made.frames, made.ends_ms) == (4, 6500)
    found = probe(tmp_path / "a.mp4", Limits())
    assert (found.codec, found.packets, found.hides_pictures) == ("h264", made.frames, False)
    assert [pts * found.time_base for pts in found.packet_pts] == [0, Fraction(1234, 1000), 4, Fraction(17, 4)]


def test_the_same_log_makes_the_same_file(tmp_path: Path) -> None:
    for name in ("a", "b"):
        film.write(tmp_path / name, stage(), HAPPENINGS, PART)
    film.write(tmp_path / "c", stage(), HAPPENINGS[:1], PART)
    first, again, other = ((tmp_path / name).read_bytes() for name in ("a", "b", "c"))
    assert first == again
    assert first != other


def test_a_change_just_before_the_end_is_seen_for_a_while(tmp_path: Path) -> None:
    made = film.write(tmp_path / "a.mp4", stage(), [put(6400, 1, 1, 1), put(6450, 2, 1, 1)], PART)
    assert made.ends_ms == 6400 + 2 * 250


# Pictures ------------------------------------------------------------------------------------------------------


def is_red(picture: Picture) -> npt.NDArray[np.bool_]:
    red, green, blue = np.moveaxis(picture.astype(int), -1, 0)
    found: npt.NDArray[np.bool_] = (red > 90) & (green < 70) & (blue < 70)
    return found


def drawn(*places: tuple[int, int, int]) -> Picture:
    world = stage()
    world.agent = None
    for x, y, z in places:
        world.grid[x, y, z] = RED
    return Camera((8, 8, 8)).draw(world)


def test_a_block_is_seen_where_it_stands() -> None:
    assert not is_red(drawn()).any()
    low, high = (np.argwhere(is_red(drawn((4, y, 4)))) for y in (1, 4))
    # Higher up is higher in the picture, by as much as blocks are high; as large, and as far to the right.
    assert len(low) == pytest.approx(len(high), rel=0.05)
    assert low[:, 1].mean() == pytest.approx(high[:, 1].mean(), abs=1)
    assert low[:, 0].mean() - high[:, 0].mean() == pytest.approx(3 * 24, rel=0.25)


@pytest.mark.parametrize(("place", "side"), [((7, 1, 0), 1), ((0, 1, 7), -1)])
def test_x_runs_to_the_right_and_z_to_the_left(place: tuple[int, int, int], side: int) -> None:
    picture = drawn(place)
    across = np.argwhere(is_red(picture))[:, 1].mean() - picture.shape[1] / 2
    assert np.sign(across) == side


def test_a_block_is_hidden_by_nearer_blocks() -> None:
    world = stage()
    world.agent = None
    world.grid[2, 1, 2] = RED
    camera = Camera((8, 8, 8))
    assert is_red(camera.draw(world)).any()
    world.grid[3:5, 1:5, 2:5] = world.grid[2:5, 1:5, 3:5] = world.grid[2, 2, 2] = WHITE
    assert not is_red(camera.draw(world)).any()


def test_figures_the_box_and_the_state_are_seen() -> None:
    camera, world = Camera((8, 8, 8)), stage()
    plain = camera.draw(world)
    for name, value in (
        ("player", Pose(5.4, 1, 5, 0, 90)),
        ("agent", Pose(2, 1, 6, 0, 0)),
        ("box", ((1, 1, 1), (3, 3, 3))),
    ):
        other = stage()
        setattr(other, name, value)
        assert (camera.draw(other)[:-STRIP] != plain[:-STRIP]).any(), name
    world.state, world.speaker = "acting", "agent"
    told = camera.draw(world)
    assert (told[:-STRIP] == plain[:-STRIP]).all()
    assert (told[-STRIP:] != plain[-STRIP:]).any()


@pytest.mark.parametrize("size", [(1, 1, 1), (40, 24, 40), (64, 64, 64), (256, 4, 9), (3, 200, 3)])
def test_worlds_of_all_sizes_fit(size: tuple[int, int, int]) -> None:
    camera = Camera(size)
    picture = camera.draw(Stage(np.full(size, RED, dtype=np.uint8), Pose(-30, 300, 2, 0, 0), None))
    assert picture.shape == (camera.height, camera.width, 3)
    assert camera.width % 16 == camera.height % 16 == 0
    assert camera.width <= 700
    assert camera.height <= 500
    red = is_red(picture[:-STRIP])
    assert red.any()
    # All of it: nothing touches the rim.
    assert not red[[0, -1]].any()
    assert not red[:, [0, -1]].any()
