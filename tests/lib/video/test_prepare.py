"""Every kind of good video is prepared exactly: each frame, at its time, the right way up."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from lib.video import filmstrip
from lib.video.frames import FrameTable
from lib.video.limits import Limits
from lib.video.prepare import PREP_VERSION, Prepared, prepare
from lib.video.proxy import ProxyMismatch, ProxyWriter, check_proxy
from tests.lib.video.conftest import FRAMES, Work
from tests.support.clips import RECIPES, WHOLE, Clip, Picture, barcode_clip, clip_from, draw, read_barcode
from tests.support.video_files import boxes, write_pictures, write_two_sizes, write_with_cover

Works = Callable[[str], Work]
# The kinds that only turn the picture are among the eight ways of holding a camera.
every_kind = pytest.mark.parametrize("kind", sorted(RECIPES.keys() - {"rotated", "upside_down", "mirrored"}))


def proxy_frames(folder: Path, prepared: Prepared) -> list[tuple[Fraction, Picture]]:
    """Time and RGB of each frame of the proxy."""
    with av.open(str(folder / prepared.proxy)) as proxy:
        return [
            (frame.pts * frame.time_base, frame.to_ndarray(format="rgb24"))  # type: ignore[operator, misc]
            for frame in proxy.decode(video=0)
        ]


def thumbnails(folder: Path, strip: filmstrip.Filmstrip) -> list[Picture]:
    """Cut out by the rule in Filmstrip's docstring."""
    sheets = [np.asarray(Image.open(folder / name)) for name in strip.sheets]
    found = []
    for i in range(strip.count):
        sheet, j = sheets[i // (strip.columns * strip.rows)], i % (strip.columns * strip.rows)
        top, left = j // strip.columns * strip.height, j % strip.columns * strip.width
        found.append(sheet[top : top + strip.height, left : left + strip.width])
    return found


@every_kind
def test_the_table_has_every_frame_at_its_exact_time(kind: str, work: Works) -> None:
    done = work(kind)
    table = done.prepared.table
    assert [pts * table.time_base for pts in table.pts] == list(done.clip.times)
    assert table.start_pts * table.time_base == done.clip.start
    if done.clip.end is not None:
        assert table.end * table.time_base == done.clip.end
    else:
        # The container does not keep the end; then the last frame lasts about as long as its like.
        assert 0 < table.last_duration * table.time_base < Fraction(1, 8)


@every_kind
def test_proxy_poster_and_filmstrip_show_the_right_frames_in_the_size_of_players(kind: str, work: Works) -> None:
    done = work(kind)
    prepared, strip = done.prepared, done.prepared.filmstrip
    shown = proxy_frames(done.folder, prepared)
    assert [time for time, _ in shown] == list(done.clip.times)
    assert [read_barcode(picture) for _, picture in shown] == list(range(FRAMES))
    even = (done.clip.width + done.clip.width % 2, done.clip.height + done.clip.height % 2)
    assert (prepared.width, prepared.height) == (done.clip.width, done.clip.height)
    assert (prepared.proxy_width, prepared.proxy_height) == even
    assert shown[0][1].shape == (even[1], even[0], 3)
    with Image.open(done.folder / prepared.poster) as poster:
        assert (poster.format, poster.size) == ("JPEG", even)
        assert read_barcode(np.asarray(poster)) == 0
    assert (strip.every, strip.count) == (1, FRAMES)
    assert [read_barcode(thumb) for thumb in thumbnails(done.folder, strip)] == list(range(FRAMES))


@every_kind
def test_the_proxy_scrubs(kind: str, work: Works) -> None:
    done = work(kind)
    with av.open(str(done.folder / done.prepared.proxy)) as proxy:
        (stream,) = proxy.streams  # the picture alone, no sound
        assert stream.type == "video"
        packets = [packet for packet in proxy.demux(stream) if packet.size]
        assert [packet.pts for packet in packets] == [packet.dts for packet in packets]
        assert [number for number, packet in enumerate(packets) if packet.is_keyframe] == [0, 12, 24]
        context = proxy.streams.video[0].codec_context
        assert (context.name, context.pix_fmt, context.has_b_frames) == ("h264", "yuv420p", False)
    kinds = [kind for kind, _, _ in boxes((done.folder / done.prepared.proxy).read_bytes())]
    assert kinds.index(b"moov") < kinds.index(b"mdat")


def test_nothing_else_is_left_and_the_source_is_named(work: Works) -> None:
    done = work("longgop")
    prepared = done.prepared
    left = {prepared.proxy, prepared.poster, *prepared.filmstrip.sheets}
    assert {file.name for file in done.folder.iterdir()} == left
    assert prepared.sha256 == hashlib.sha256(done.clip.path.read_bytes()).hexdigest()
    assert (prepared.codec, prepared.prep_version, prepared.duration_s) == ("h264", PREP_VERSION, FRAMES / 30)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    deltas=st.lists(st.integers(1, 9000), min_size=2, max_size=12),
    time_base=st.sampled_from([Fraction(1, 90000), Fraction(1001, 30000), Fraction(1, 7919), Fraction(1, 25)]),
    suffix=st.sampled_from([".mp4", ".mov"]),
    start=st.integers(0, 10**6),
)
def test_any_intervals_in_any_time_base_stay_exact(
    deltas: list[int], time_base: Fraction, suffix: str, start: int, tmp_path: Path
) -> None:
    def ticks(frame: int) -> int:
        return sum(deltas[:frame])

    recipe = replace(RECIPES["longgop"], suffix=suffix, time_base=time_base, ticks=ticks, start_ticks=start)
    clip = clip_from(recipe, tmp_path / "any", frames=len(deltas), width=64, height=48)
    prepared = prepare(clip.path, tmp_path / "into", limits=Limits(max_duration_s=1e6))
    table = prepared.table
    assert [pts * table.time_base for pts in table.pts] == list(clip.times)
    assert table.end * table.time_base == clip.end
    assert [time for time, _ in proxy_frames(tmp_path / "into", prepared)] == list(clip.times)


@pytest.mark.parametrize("scale", [1000, 1])  # ticks of a microsecond, of a nanosecond
def test_very_fine_time_bases_stay_exact(scale: int, clip: Callable[[str], Clip], tmp_path: Path) -> None:
    # Matroska keeps nanoseconds a tick in its header: a million for the usual millisecond.
    data = clip("mkv").path.read_bytes()
    field = b"\x2a\xd7\xb1\x83"
    assert data.count(field + (1_000_000).to_bytes(3)) == 1
    (tmp_path / "fine.mkv").write_bytes(data.replace(field + (1_000_000).to_bytes(3), field + scale.to_bytes(3)))
    table = prepare(tmp_path / "fine.mkv", tmp_path / "into", limits=Limits()).table
    shrunk = [time * Fraction(scale, 1_000_000) for time in clip("mkv").times]
    assert [pts * table.time_base for pts in table.pts] == shrunk


@pytest.mark.parametrize(
    "matrix",
    [
        *((1, 0, 0, 1), (-1, 0, 0, 1), (1, 0, 0, -1), (-1, 0, 0, -1)),
        *((0, 1, 1, 0), (0, 1, -1, 0), (0, -1, 1, 0), (0, -1, -1, 0)),
    ],
)
def test_all_eight_ways_of_holding_a_camera(matrix: tuple[int, int, int, int], tmp_path: Path) -> None:
    a, b, c, d = matrix

    def store(shown: Picture) -> Picture:
        """Stored pixel (x, y) is shown at (ax + cy, bx + dy), moved into view: the definition, pixel by pixel."""
        height, width = shown.shape[:2] if a else shown.shape[1::-1]
        y, x = np.mgrid[:height, :width]
        to_x, to_y = a * x + c * y, b * x + d * y
        stored: Picture = shown[to_y - to_y.min(), to_x - to_x.min()]
        return stored

    one = 1 << 16
    recipe = replace(RECIPES["longgop"], turn=store, matrix=(a * one, b * one, 0, c * one, d * one, 0, 0, 0, WHOLE))
    clip = clip_from(recipe, tmp_path / "held", frames=6, width=128, height=96)
    prepared = prepare(clip.path, tmp_path / "into", limits=Limits())
    assert (prepared.width, prepared.height) == (128, 96)
    shown = proxy_frames(tmp_path / "into", prepared)
    assert [read_barcode(picture) for _, picture in shown] == list(range(6))
    # The barcode alone would not notice its lower half upside down; the walking square does.
    assert np.abs(shown[5][1].astype(int) - draw(5, width=128, height=96)).mean() < 12
    with av.open(str(tmp_path / "into" / prepared.proxy)) as proxy:
        assert next(proxy.decode(video=0)).rotation == 0


@pytest.mark.parametrize(
    ("size", "proxy"),
    [
        ((64, 64), (64, 64)),
        ((384, 416), (384, 416)),
        ((640, 480), (640, 480)),
        ((642, 482), (640, 480)),
        ((1280, 720), (854, 480)),
        ((360, 640), (270, 480)),
        ((2, 2), (2, 2)),
        ((4608, 32), (4096, 28)),
    ],
)
def test_a_single_frame_is_a_video_that_keeps_its_pixels_unless_it_is_large(
    size: tuple[int, int], proxy: tuple[int, int], tmp_path: Path
) -> None:
    clip = barcode_clip(tmp_path / "sized", kind="longgop", frames=1, width=size[0], height=size[1])
    prepared = prepare(clip.path, tmp_path / "into", limits=Limits())
    assert (len(prepared.table), prepared.duration_s) == (1, 1 / 30)
    assert (prepared.width, prepared.height) == size
    assert (prepared.proxy_width, prepared.proxy_height) == proxy
    assert max(prepared.filmstrip.width, prepared.filmstrip.height) == min(160, max(proxy))


def test_a_small_grid_world_stays_crisp(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    tiles = rng.integers(0, 2, (16, 16)).repeat(4, axis=0).repeat(4, axis=1).astype(np.uint8) * 200 + 20
    world = np.stack([tiles] * 3, axis=2)
    write_pictures(tmp_path / "world.mkv", [world] * 13, codec="ffv1", pix_fmt="bgr0")
    prepared = prepare(tmp_path / "world.mkv", tmp_path / "into", limits=Limits())
    for _, shown in proxy_frames(tmp_path / "into", prepared):
        error = shown.astype(float) - world
        assert 10 * np.log10(255**2 / (error**2).mean()) > 38  # dB; about 30 is where edges begin to swim


@pytest.mark.parametrize(
    ("suffix", "codec", "pix_fmt", "size", "colours", "full_range"),
    [
        ("mp4", "libx264", "yuv420p", (320, 180), 5, False),  # says nothing: small, so BT.601
        ("mp4", "libx264", "yuv420p", (1280, 720), 1, False),  # says nothing: large, so BT.709
        ("avi", "mjpeg", "yuvj420p", (320, 180), 5, False),  # full range by its very name
        ("mkv", "libvpx-vp9", "yuv420p", (320, 180), 5, True),
        ("mkv", "libvpx-vp9", "yuv420p", (320, 180), 5, False),
        ("mkv", "ffv1", "bgr0", (320, 180), None, False),
        ("mkv", "ffv1", "gray", (320, 180), None, False),
    ],
)
def test_colours_stay_the_same(
    suffix: str,
    codec: str,
    pix_fmt: str,
    size: tuple[int, int],
    colours: int | None,
    full_range: bool,
    tmp_path: Path,
) -> None:
    colour = (120, 120, 120) if pix_fmt == "gray" else (200, 40, 90)
    picture = np.full((size[1], size[0], 3), colour, np.uint8)
    source = tmp_path / f"colour.{suffix}"
    write_pictures(source, [picture] * 2, codec=codec, pix_fmt=pix_fmt, colours=colours, full_range=full_range)
    prepared = prepare(source, tmp_path / "into", limits=Limits())
    with Image.open(tmp_path / "into" / prepared.poster) as poster:
        for found in (proxy_frames(tmp_path / "into", prepared)[0][1], np.asarray(poster)):
            assert np.abs(found.mean(axis=(0, 1)) - colour).max() < 5


def test_an_odd_side_is_made_even_by_repeating_its_last_pixels(work: Works) -> None:
    done = work("odd")
    shown = proxy_frames(done.folder, done.prepared)[7][1].astype(int)
    assert np.abs(shown[:, -1] - shown[:, -2]).mean() < 6
    assert np.abs(shown[-1] - shown[-2]).mean() < 6


def test_a_sudden_cut_moves_no_key_frame(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    scenes = [rng.integers(0, 256, (48, 64, 3)).astype(np.uint8) for _ in range(5)]
    source = tmp_path / "cuts.mkv"
    write_pictures(source, [scenes[number // 7] for number in range(35)], codec="ffv1", pix_fmt="bgr0")
    prepared = prepare(source, tmp_path / "into", limits=Limits())
    with av.open(str(tmp_path / "into" / prepared.proxy)) as proxy:
        packets = [packet for packet in proxy.demux(video=0) if packet.size]
    assert [number for number, packet in enumerate(packets) if packet.is_keyframe] == [0, 12, 24]


def test_pictures_that_change_size_midway_are_shown_on_one_canvas(tmp_path: Path) -> None:
    write_two_sizes(tmp_path / "changing.mkv", (160, 90), (320, 180))
    prepared = prepare(tmp_path / "changing.mkv", tmp_path / "into", limits=Limits())
    shown = proxy_frames(tmp_path / "into", prepared)
    assert {picture.shape for _, picture in shown} == {(90, 160, 3)}
    assert [read_barcode(picture) for _, picture in shown] == list(range(20))


def test_a_cover_picture_is_not_the_video(tmp_path: Path, clip: Callable[[str], Clip]) -> None:
    source = tmp_path / "cover.mp4"
    write_with_cover(clip("longgop").path, source, video=True)
    with av.open(str(source)) as video:
        assert len(video.streams.video) == 2
    assert len(prepare(source, tmp_path / "into", limits=Limits()).table) == FRAMES


def test_long_videos_get_a_sparser_filmstrip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filmstrip, "MAX_THUMBNAILS", 110)
    clip = barcode_clip(tmp_path / "long", kind="longgop", frames=211, width=64, height=48)
    strip = prepare(clip.path, tmp_path / "into", limits=Limits()).filmstrip
    assert (strip.every, strip.count, len(strip.sheets)) == (2, 106, 2)
    assert [read_barcode(thumb) for thumb in thumbnails(tmp_path / "into", strip)] == list(range(0, 211, 2))


@pytest.mark.parametrize(("at_s", "frame"), [(0.5, 15), (0.52, 15), (0.499, 14), (99.0, FRAMES - 1)])
def test_the_poster_may_show_another_moment(
    at_s: float, frame: int, clip: Callable[[str], Clip], tmp_path: Path
) -> None:
    seen: list[float] = []
    prepared = prepare(clip("longgop").path, tmp_path, limits=Limits(), poster_at_s=at_s, on_progress=seen.append)
    with Image.open(tmp_path / prepared.poster) as poster:
        assert read_barcode(np.asarray(poster)) == frame
    assert (seen[0], seen[-1], len(seen) > 3) == (0.0, 1.0, True)
    assert seen == sorted(seen), "the progress never falls"


@pytest.mark.parametrize("others", [[], ["theirs"]])
def test_progress_can_cancel_and_files_of_others_stay(
    others: list[str], clip: Callable[[str], Clip], tmp_path: Path
) -> None:
    def stop(share: float) -> None:
        for name in others:
            (tmp_path / "into" / name).touch()
        if share > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare(clip("longgop").path, tmp_path / "into", limits=Limits(), on_progress=stop)
    assert (tmp_path / "into").exists() == bool(others)
    assert [file.name for file in tmp_path.glob("into/*")] == others


def test_preparing_again_several_at_once_gives_the_same_files(work: Works, tmp_path: Path) -> None:
    kinds = ["bframes", "vp9", "vfr"]
    alone = {kind: work(kind) for kind in kinds}
    together = threading.Barrier(len(kinds))

    def again(kind: str) -> bool:
        (tmp_path / kind).mkdir()
        (tmp_path / kind / alone[kind].prepared.proxy).write_bytes(b"of an earlier try")
        together.wait()
        prepared = prepare(alone[kind].clip.path, tmp_path / kind, limits=Limits())
        return prepared == alone[kind].prepared and all(
            (tmp_path / kind / file.name).read_bytes() == file.read_bytes() for file in alone[kind].folder.iterdir()
        )

    with ThreadPoolExecutor(len(kinds)) as pool:
        assert list(pool.map(again, kinds)) == [True] * len(kinds)


def test_a_file_name_is_never_taken_for_an_address(
    clip: Callable[[str], Clip], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = Path("concat:a|b%20.mp4")
    source.write_bytes(clip("longgop").path.read_bytes())
    assert len(prepare(source, tmp_path / "into", limits=Limits()).table) == FRAMES


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: replace(t, pts=(*t.pts[:-1], t.pts[-1] + 1)), "frame 25 is at another time"),
        (lambda t: replace(t, pts=(0, t.pts[1] + 1, *t.pts[2:])), "frame 1 is at another time"),
        (lambda t: replace(t, pts=t.pts[:-1]), "more than 25"),
        (lambda t: replace(t, pts=(*t.pts, t.end)), "26 of 27"),
        (lambda t: replace(t, last_duration=t.last_duration + 1), "ends at"),
    ],
)
def test_a_proxy_that_differs_by_one_tick_is_caught(
    change: Callable[[FrameTable], FrameTable], words: str, work: Works
) -> None:
    done = work("longgop")
    proxy = done.folder / done.prepared.proxy
    check_proxy(proxy, done.prepared.table)
    with pytest.raises(ProxyMismatch, match=words):
        check_proxy(proxy, change(done.prepared.table))


def test_a_proxy_that_differs_is_never_handed_out(
    clip: Callable[[str], Clip], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = ProxyWriter.add

    def wrong(self: ProxyWriter, picture: av.VideoFrame, pts: int) -> None:
        right(self, picture, pts + (pts == 7 * 512))

    monkeypatch.setattr(ProxyWriter, "add", wrong)
    with pytest.raises(ProxyMismatch, match="frame 7 "):
        prepare(clip("longgop").path, tmp_path / "into", limits=Limits())
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_scrubs_slowly_is_no_proxy(work: Works) -> None:
    done = work("longgop")
    with pytest.raises(ProxyMismatch, match="frame 12 of the proxy cannot be reached quickly"):
        check_proxy(done.clip.path, done.prepared.table)
