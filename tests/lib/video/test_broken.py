"""Every kind of bad file is refused with its own code and a sentence that helps, and leaves nothing behind."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av
import pytest
from PIL import Image

from lib.video.decoder import open_video
from lib.video.limits import Limits
from lib.video.prepare import prepare
from lib.video.probe import Probe, probe
from lib.video.problems import ProblemCode, VideoProblem
from tests.lib.video.conftest import FRAMES
from tests.support.clips import RECIPES, Clip, barcode_clip, clip_from, draw
from tests.support.video_files import box, write_two_sizes, write_with_cover

Clips = Callable[[str], Clip]


def refusal(source: Path, limits: Limits | None = None) -> VideoProblem:
    """The fault of the file; also that the refusal is clean, whatever the reason."""
    into = source.parent / "into"
    with pytest.raises(VideoProblem) as caught:
        prepare(source, into, limits=limits or Limits())
    problem = caught.value
    assert not into.exists()
    assert str(source.parent) not in problem.detail
    assert problem.detail[0].isupper()
    assert problem.detail.endswith((".", ")"))
    return problem


# --- Files that are no video at all -----------------------------------------------------------------------


def still(kind: str) -> bytes:
    out = io.BytesIO()
    Image.fromarray(draw(1, width=64, height=48)).save(out, kind)
    return out.getvalue()


def animated_gif() -> bytes:
    out = io.BytesIO()
    pictures = [Image.fromarray(draw(number, width=64, height=48)) for number in range(3)]
    pictures[0].save(out, "GIF", save_all=True, append_images=pictures[1:], duration=40)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "code", "words"),
    [
        ("empty.mp4", b"", ProblemCode.EMPTY_FILE, "0 bytes"),
        ("one.mp4", b"\0", ProblemCode.NOT_A_VIDEO, "zero bytes"),
        ("text.mp4", b"Dear Crosswalk,\nhere is my video.\n", ProblemCode.NOT_A_VIDEO, "is text"),
        ("utf8.mp4", "Grüße, かわいい猫\n".encode() * 400, ProblemCode.NOT_A_VIDEO, "is text"),
        ("page.mp4", b"\n<!DOCTYPE html><html>404</html>", ProblemCode.NOT_A_VIDEO, "web page"),
        ("zip.mp4", b"PK\x03\x04\x14\0episode.mp4", ProblemCode.NOT_A_VIDEO, "ZIP"),
        ("gz.mp4", b"\x1f\x8b\x08\0" + bytes(40), ProblemCode.NOT_A_VIDEO, "gzip"),
        ("pdf.mp4", b"%PDF-1.7\n%\xe2\xe3", ProblemCode.NOT_A_VIDEO, "PDF"),
        ("random.mp4", random.Random(4).randbytes(9000), ProblemCode.NOT_A_VIDEO, "no video format"),
        ("zeros.mp4", bytes(5000), ProblemCode.NOT_A_VIDEO, "zero bytes"),
        ("still.png", still("PNG"), ProblemCode.STILL_IMAGE, "PNG picture"),
        ("still.jpg", still("JPEG"), ProblemCode.STILL_IMAGE, "JPEG picture"),
        ("still.webp", still("WEBP"), ProblemCode.STILL_IMAGE, "WebP picture"),
        ("moving.gif", animated_gif(), ProblemCode.STILL_IMAGE, "GIF picture"),
        ("sound.wav", b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0", ProblemCode.NO_VIDEO_STREAM, "WAV sound"),
        ("sound.mp3", b"ID3\x04" + bytes(99), ProblemCode.NO_VIDEO_STREAM, "MP3 sound"),
        ("ebml.webm", b"\x1a\x45\xdf\xa3", ProblemCode.TRUNCATED, "cut short"),
        ("ftyp.mp4", b"\0\0\0\x10ftypisom\0\0\2\0", ProblemCode.TRUNCATED, "moov"),
    ],
)
def test_no_video_at_all(name: str, data: bytes, code: ProblemCode, words: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    problem = refusal(tmp_path / name)
    assert (problem.code, words in problem.detail) == (code, True), problem


@pytest.mark.parametrize(
    "script",
    ["ffconcat version 1.0\nfile {}\n", "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{}\n#EXT-X-ENDLIST\n"],
)
def test_a_script_cannot_make_us_open_another_file(script: str, clip: Clips, tmp_path: Path) -> None:
    secret = tmp_path / "other.ts"
    secret.write_bytes(clip("ts").path.read_bytes())
    (tmp_path / "script.mp4").write_text(script.format(secret.name))
    assert refusal(tmp_path / "script.mp4").code == ProblemCode.NOT_A_VIDEO
    # Even past our own look at the first bytes.
    with pytest.raises(VideoProblem), open_video(tmp_path / "script.mp4"):
        pytest.fail("the script was opened")


# --- Files that end too early -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["longgop", "faststart", "fragmented", "mkv", "vp9", "streamed", "avi", "ts", "mov"])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.99, 1.0])
def test_a_cut_file_is_called_cut(kind: str, share: float, clip: Clips, tmp_path: Path) -> None:
    data = clip(kind).path.read_bytes()
    # Odd, so that no cut falls between two packets of a transport stream by luck; a share of 1 misses one byte.
    (tmp_path / "cut").write_bytes(data[: min(int(len(data) * share) | 1, len(data) - 1)])
    problem = refusal(tmp_path / "cut")
    assert problem.code == ProblemCode.TRUNCATED, problem


@pytest.mark.parametrize("spare", [0, 7])
def test_an_index_that_points_past_the_end(spare: int, clip: Clips, tmp_path: Path) -> None:
    # The skeleton is whole; only the frames that the index names are not there, from one frame's first byte
    # on, or with a few bytes of it.
    path = clip("faststart").path
    with av.open(str(path)) as video:
        end = video.streams.video[0].index_entries[13].pos + spare
    data = path.read_bytes()
    start, _ = box(data, b"mdat")
    (tmp_path / "short.mp4").write_bytes(data[:start] + (end - start).to_bytes(4) + data[start + 4 : end])
    problem = refusal(tmp_path / "short.mp4")
    assert problem.code == ProblemCode.TRUNCATED
    expected = "middle of its last frame" if spare else "promises 26 frames but holds only 13"
    assert expected in problem.detail


def test_a_cut_live_recording_is_shorter_than_it_promises(tmp_path: Path) -> None:
    recipe = replace(RECIPES["vp9"], gop=10, container={"cluster_time_limit": "500"})
    data = clip_from(recipe, tmp_path / "whole", frames=120, width=64, height=48).path.read_bytes()
    cluster = b"\x1f\x43\xb6\x75"
    assert data.count(cluster) > 4
    segment = data.index(b"\x18\x53\x80\x67") + 4
    # "Length unknown", as live recorders write; then cut between two clusters: no skeleton shows that.
    live = data[:segment] + b"\x01" + b"\xff" * 7 + data[segment + 8 :]
    (tmp_path / "live.webm").write_bytes(live[: live.index(cluster, len(live) // 2)])
    problem = refusal(tmp_path / "live.webm")
    assert problem.code == ProblemCode.TRUNCATED
    assert "says that it lasts 4.0 s" in problem.detail
    (tmp_path / "live.webm").write_bytes(live)
    assert len(prepare(tmp_path / "live.webm", tmp_path / "into", limits=Limits()).table) == 120


# --- Files with damage inside -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["longgop", "bframes", "fragmented", "mkv", "vp9", "streamed", "avi", "ts"])
@pytest.mark.parametrize("filler", [bytes(1500), random.Random(5).randbytes(1500)], ids=["zeros", "noise"])
def test_a_hole_in_the_middle_is_called_damage(kind: str, filler: bytes, clip: Clips, tmp_path: Path) -> None:
    data = clip(kind).path.read_bytes()
    at = len(data) // 3
    (tmp_path / "hole").write_bytes(data[:at] + filler + data[at + len(filler) :])
    problem = refusal(tmp_path / "hole")
    assert (problem.code, "damaged" in problem.detail) == (ProblemCode.UNDECODABLE, True), problem


def flipped(data: bytes) -> bytes:
    """Forty other bytes in the middle of one picture."""
    return data[: len(data) // 2] + random.Random(6).randbytes(40) + data[len(data) // 2 + 40 :]


def without_index(data: bytes) -> bytes:
    start, end = box(data, b"moov")
    return data[:start] + data[end:]


def without_media(data: bytes) -> bytes:
    start, end = box(data, b"mdat")
    return data[: start + 8] + bytes(end - start - 8) + data[end:]


def without_middle(data: bytes) -> bytes:
    """A transport stream without twenty of its packets."""
    middle = len(data) // 2 // 188 * 188
    return data[:middle] + data[middle + 20 * 188 :]


def index_with(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        start, end = box(data, b"moov")
        assert old in data[start:end]
        return data[:start] + data[start:end].replace(old, new) + data[end:]

    return change


@pytest.mark.parametrize(
    ("kind", "spoil", "code", "words"),
    [
        ("longgop", without_index, ProblemCode.TRUNCATED, "not finished"),
        ("avi", lambda data: data[:4] + bytes(4) + data[8:], ProblemCode.TRUNCATED, "never finished"),
        ("longgop", flipped, ProblemCode.UNDECODABLE, "Frame "),
        ("longgop", without_media, ProblemCode.UNDECODABLE, ""),
        ("ts", without_middle, ProblemCode.UNDECODABLE, "lost bytes"),
        ("longgop", index_with(b"moov", b"moox"), ProblemCode.TRUNCATED, ""),
        ("longgop", index_with(b"trak", b"trax"), ProblemCode.NO_VIDEO_STREAM, ""),
        ("longgop", index_with(b"avc1", b"zzzz"), ProblemCode.UNSUPPORTED_CODEC, ""),
        ("longgop", index_with(b"vide", b"soun"), ProblemCode.NO_VIDEO_STREAM, ""),
        ("longgop", index_with(b"stsz", b"xxxx"), ProblemCode.NO_FRAMES, ""),
    ],
)
def test_one_damage_has_one_code(
    kind: str, spoil: Callable[[bytes], bytes], code: ProblemCode, words: str, clip: Clips, tmp_path: Path
) -> None:
    (tmp_path / "spoilt").write_bytes(spoil(clip(kind).path.read_bytes()))
    problem = refusal(tmp_path / "spoilt")
    assert (problem.code, words in problem.detail) == (code, True), problem


def test_any_damage_gives_a_reason_or_a_whole_result(tmp_path: Path) -> None:
    rng = random.Random(7)
    originals = [
        barcode_clip(tmp_path / kind, kind=kind, frames=14, width=64, height=48).path.read_bytes()
        for kind in ("longgop", "fragmented", "mkv", "vp9", "avi", "ts", "with_sound", "rotated")
    ]
    into, refused = tmp_path / "into", 0
    for number in range(60):
        data = bytearray(rng.choice(originals))
        for _ in range(rng.choice([1, 1, 4])):
            at, length = rng.randrange(len(data)), rng.choice([1, 1, 8, 200])
            data[at : at + length] = rng.choice([bytes(length), rng.randbytes(length), b""])
        source = tmp_path / f"{number}.bin"
        source.write_bytes(data)
        try:
            prepared = prepare(source, into / str(number), limits=Limits(max_frames=100))
        except VideoProblem:
            refused += 1
            assert not (into / str(number)).exists()
        else:
            left = {file.name for file in (into / str(number)).iterdir()}
            assert left == {prepared.proxy, prepared.poster, *prepared.filmstrip.sheets}
    assert 30 < refused < 60


# --- Streams that are not what we can use -----------------------------------------------------------------


def test_sound_with_a_cover_is_still_sound(clip: Clips, tmp_path: Path) -> None:
    write_with_cover(clip("with_sound").path, tmp_path / "song.mp4", video=False)
    with av.open(str(tmp_path / "song.mp4")) as song:
        assert len(song.streams.video) == 1
    problem = refusal(tmp_path / "song.mp4")
    assert (problem.code, "audio" in problem.detail) == (ProblemCode.NO_VIDEO_STREAM, True)


def test_two_video_streams_are_not_guessed_between(tmp_path: Path) -> None:
    with av.open(str(tmp_path / "two.mp4"), "w") as out:
        streams = [out.add_stream("libx264", rate=30) for _ in range(2)]
        for stream in streams:
            stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for number in range(3):
            for stream in streams:
                frame = av.VideoFrame.from_ndarray(draw(number, width=64, height=48), format="rgb24")
                frame.pts = number
                out.mux(stream.encode(frame))
        for stream in streams:
            out.mux(stream.encode(None))
    problem = refusal(tmp_path / "two.mp4")
    assert (problem.code, "2 video streams" in problem.detail) == (ProblemCode.SEVERAL_VIDEO_STREAMS, True)


def test_a_codec_that_we_do_not_read_is_named(tmp_path: Path) -> None:
    recipe = replace(RECIPES["avi"], codec="huffyuv", pix_fmt="yuv422p", options={})
    clip = clip_from(recipe, tmp_path / "old", frames=3, width=64, height=48)
    problem = refusal(clip.path)
    assert (problem.code, "huffyuv" in problem.detail) == (ProblemCode.UNSUPPORTED_CODEC, True)


@pytest.mark.parametrize(("suffix", "options"), [(".mkv", {}), (".mp4", {"movflags": "empty_moov+frag_keyframe"})])
def test_a_header_without_frames(suffix: str, options: dict[str, str], tmp_path: Path) -> None:
    source = tmp_path / f"header{suffix}"
    with av.open(str(source), "w", options=options) as out:
        stream = out.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        out.start_encoding()
    assert refusal(source).code == ProblemCode.NO_FRAMES


# --- Times that are not usable ----------------------------------------------------------------------------


def test_frames_that_go_back_in_time(tmp_path: Path) -> None:
    # AVI stores no presentation times; with B-frames they come out wrong.
    recipe = replace(RECIPES["bframes"], suffix=".avi", time_base=Fraction(1, 30), ticks=lambda k: k)
    problem = refusal(clip_from(recipe, tmp_path / "back", frames=20).path)
    assert problem.code == ProblemCode.DISORDERED_TIMESTAMPS
    assert "MP4" in problem.detail


def test_frames_without_times(clip: Clips, tmp_path: Path) -> None:
    data = bytearray(clip("ts").path.read_bytes())
    erased = 0
    for packet in range(0, len(data), 188):
        at = data.find(b"\0\0\1\xe0", packet, packet + 188)  # the header of a picture
        if data[packet + 1] & 0x40 and at >= 0:
            length = data[at + 8]
            data[at + 7] &= 0x3F  # "no times follow", and stuffing where they were
            data[at + 9 : at + 9 + length] = b"\xff" * length
            erased += 1
    assert erased == FRAMES
    (tmp_path / "timeless.ts").write_bytes(data)
    problem = refusal(tmp_path / "timeless.ts")
    assert problem.code == ProblemCode.MISSING_TIMESTAMPS
    assert "Frame 0 " in problem.detail


# --- Files that cost too much -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "code", "words"),
    [
        (Limits(max_duration_s=0.82), ProblemCode.TOO_LONG, "0.8 s; at most 0.82 s"),
        (Limits(max_frames=FRAMES - 1), ProblemCode.TOO_MANY_FRAMES, "more than 25 frames"),
        (Limits(max_pixels=160 * 90 - 1), ProblemCode.TOO_LARGE, "160 x 90; at most 14,399"),
    ],
)
@pytest.mark.parametrize("kind", ["longgop", "vp9"])
def test_a_limit_is_held_and_a_video_at_it_is_taken(
    kind: str, limits: Limits, code: ProblemCode, words: str, clip: Clips, tmp_path: Path
) -> None:
    (tmp_path / "big").write_bytes(clip(kind).path.read_bytes())
    problem = refusal(tmp_path / "big", limits)
    assert (problem.code, words in problem.detail) == (code, True), problem
    exact = Limits(max_duration_s=0.87, max_frames=FRAMES, max_pixels=160 * 90)
    assert len(prepare(tmp_path / "big", tmp_path / "taken", limits=exact).table) == FRAMES


@pytest.mark.parametrize(
    ("limits", "last_ticks", "code", "words"),
    [
        (Limits(max_frames=20), 512, ProblemCode.TOO_MANY_FRAMES, "more than 20 frames"),
        (Limits(max_duration_s=0.5), 512, ProblemCode.TOO_LONG, "lasts 0.5 s"),  # stopped on the way
        (Limits(max_duration_s=9.0), 15360 * 10, ProblemCode.TOO_LONG, "lasts 10.8 s"),  # a last frame of 10 s
    ],
)
def test_limits_hold_while_decoding_even_if_the_first_look_was_lied_to(
    limits: Limits,
    last_ticks: int,
    code: ProblemCode,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def ticks(frame: int) -> int:
        return frame * 512 if frame < FRAMES else (FRAMES - 1) * 512 + last_ticks

    recipe = replace(RECIPES["longgop"], ticks=ticks)
    source = clip_from(recipe, tmp_path / "liar", frames=FRAMES, width=64, height=48).path

    def fooled(path: Path, _: Limits) -> Probe:
        return replace(probe(path, Limits()), packets=1, packet_pts=(0,))

    monkeypatch.setattr("lib.video.prepare.probe", fooled)
    problem = refusal(source, limits)
    assert (problem.code, words in problem.detail) == (code, True), problem


def test_pictures_that_grow_after_the_header(tmp_path: Path) -> None:
    write_two_sizes(tmp_path / "growing.mkv", (160, 90), (320, 180))
    problem = refusal(tmp_path / "growing.mkv", Limits(max_pixels=160 * 90))
    assert (problem.code, "320 x 180" in problem.detail) == (ProblemCode.TOO_LARGE, True)


# --- What a refusal leaves ----------------------------------------------------------------------------------


def test_a_refusal_leaves_an_earlier_result_alone(clip: Clips, tmp_path: Path) -> None:
    prepare(clip("longgop").path, tmp_path / "into", limits=Limits())
    before = {file.name: file.read_bytes() for file in (tmp_path / "into").iterdir()}
    data = bytearray(clip("longgop").path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 1500] = bytes(1500)
    (tmp_path / "bad.mp4").write_bytes(data)
    with pytest.raises(VideoProblem):
        prepare(tmp_path / "bad.mp4", tmp_path / "into", limits=Limits())
    assert {file.name: file.read_bytes() for file in (tmp_path / "into").iterdir()} == before


def test_a_missing_file_is_not_the_posters_problem(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        prepare(tmp_path / "nowhere.mp4", tmp_path / "into", limits=Limits())
    assert not (tmp_path / "into").exists()
