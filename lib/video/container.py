"""Check the bytes of a file before any decoding: is it a video container, and is it complete?

Demuxers are lenient by design: at a damaged or missing byte they jump to the next readable place, or stop as if the
video ended there. A player may do that. We may not, because a worker would judge an episode without its end. So this
module follows the lengths in the container's own structure and finds faults that a demuxer hides.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from lib.video.problems import ProblemCode, VideoProblem

READABLE = "MP4, MOV, WebM, Matroska, AVI or MPEG-TS"

_PICTURES = (
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
)
_SOUNDS = (
    (b"fLaC", "FLAC"),
    (b"ID3", "MP3"),
    (b"OggS", "Ogg"),
)
_OTHERS = (
    (b"PK\x03\x04", "a ZIP archive"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"%PDF", "a PDF document"),
)
_TS_PACKET = 188


def check_container(path: Path) -> None:
    """Refuse a file that is not a video container, or whose structure is cut or damaged.

    Raises:
        VideoProblem: EMPTY_FILE, STILL_IMAGE, NOT_A_VIDEO, TRUNCATED or UNDECODABLE.
        OSError: The file cannot be read.

    Costs: one small read for each box, block or chunk; pictures are not read.
    """
    size = path.stat().st_size
    if size == 0:
        raise VideoProblem(ProblemCode.EMPTY_FILE, "The file is empty: it has 0 bytes.")
    with path.open("rb") as file:
        head = file.read(4096)
        if head[4:8] in _MP4_STARTS:
            _walk_mp4(file, size)
        elif head.startswith(b"\x1a\x45\xdf\xa3"):
            _walk_matroska(file, size)
        elif head.startswith(b"RIFF") and head[8:12] == b"AVI ":
            _walk_riff(file, size)
        elif _is_transport_stream(head):
            if size % _TS_PACKET:
                raise _truncated(size, size - size % _TS_PACKET + _TS_PACKET)
        else:
            raise _something_else(head)


def _something_else(head: bytes) -> VideoProblem:
    picture = next((name for magic, name in _PICTURES if head.startswith(magic)), None)
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        picture = "WebP"
    if picture is not None:
        return VideoProblem(
            ProblemCode.STILL_IMAGE,
            f"The file is a {picture} picture, not a video. Please post {READABLE}.",
        )
    sound = next((name for magic, name in _SOUNDS if head.startswith(magic)), None)
    if head.startswith(b"RIFF") and head[8:12] == b"WAVE":
        sound = "WAV"
    if sound is not None:
        return VideoProblem(
            ProblemCode.NO_VIDEO_STREAM,
            f"The file is {sound} sound, without pictures. Please post {READABLE}.",
        )
    name = next((name for magic, name in _OTHERS if head.startswith(magic)), None)
    if name is None:
        text = head.lstrip().lower()
        if text.startswith((b"<!doctype html", b"<html")):
            name = "a web page (HTML), perhaps an error page of the server that it was fetched from"
        elif _is_text(head):
            name = "text"
        elif not any(head):
            name = "nothing but zero bytes"
    found = f"The file is {name}" if name else "The file is in no video format that we know"
    return VideoProblem(ProblemCode.NOT_A_VIDEO, f"{found}. Please post {READABLE}.")


def _is_text(head: bytes) -> bool:
    # The head may end in the middle of a character, so its last three bytes may be invalid.
    letters = head.decode("utf-8", errors="ignore")
    return len(letters.encode()) >= len(head) - 3 and all(c >= " " or c in "\t\n\r\f" for c in letters)


def _truncated(size: int, promised: int) -> VideoProblem:
    return VideoProblem(
        ProblemCode.TRUNCATED,
        f"The file ends too early: it has {size:,} bytes but promises at least {promised:,}. "
        "The upload or the recording was cut short.",
    )


def _damaged(at: int) -> VideoProblem:
    return VideoProblem(
        ProblemCode.UNDECODABLE,
        f"The file is damaged at byte {at:,}: what stands there cannot belong to a video.",
    )


def _is_name(kind: bytes) -> bool:
    return kind.isascii() and kind.decode("ascii").isprintable()


# --- MP4 and MOV: boxes of size (4 bytes), type (4 bytes), and for size 1 a real size of 8 bytes ---------

_MP4_STARTS = frozenset(
    (b"ftyp", b"styp", b"moov", b"moof", b"mdat", b"free", b"skip", b"wide", b"pnot", b"sidx", b"uuid")
)


def _walk_mp4(file: BinaryIO, size: int) -> None:
    at, kinds = 0, set()
    while size - at >= 8:
        file.seek(at)
        head = file.read(16)
        length, kind = int.from_bytes(head[:4]), head[4:8]
        if length == 1:
            length = int.from_bytes(head[8:16])
        elif length == 0:  # the last box: to the end of the file, however long that is
            length = size - at
        if length < 8 or not _is_name(kind):
            raise _damaged(at)
        if at + length > size:
            raise _truncated(size, at + length)
        kinds.add(kind)
        at += length
    # Fewer than 8 bytes cannot be a box. In a file with one index they are left over, and players skip them; in a
    # file of fragments, each with its own index, they may be the start of another fragment.
    if at < size and b"moof" in kinds:
        raise _truncated(size, at + 8)
    if b"moov" not in kinds:
        raise VideoProblem(
            ProblemCode.TRUNCATED,
            "The file has no index (its moov box is missing): the recording was not finished, or the upload "
            "was cut short.",
        )


# --- Matroska and WebM: elements of an id (1 to 4 bytes), a length (1 to 8 bytes) and that many bytes ----

_SEGMENT = 0x18538067
_CLUSTER = 0x1F43B675
_IN_SEGMENT = frozenset((0x114D9B74, 0x1549A966, 0x1654AE6B, _CLUSTER, 0x1C53BB6B, 0x1941A469, 0x1043A770, 0x1254C367))
_IN_CLUSTER = frozenset((0xE7, 0x5854, 0xA7, 0xAB, 0xA3, 0xA0, 0xAF))
_ANYWHERE = frozenset((0xEC, 0xBF))  # padding and checksums
_BLOCK_ROOM = 16  # an id and a length take at most 12 bytes


def _walk_matroska(file: BinaryIO, size: int) -> None:
    header = _element(file, 0)
    at = header[1] + (header[2] or 0) if header else size
    segment = _element(file, at)
    if segment is None:
        raise _truncated(size, at + _BLOCK_ROOM)
    if segment[0] != _SEGMENT:
        raise _damaged(at)
    _, at, length = segment
    # A live recorder does not know the length of the segment or of a cluster and writes "unknown". Then the next
    # element ends it, and a file that stops between two blocks looks like a finished one.
    live = length is None
    end = size if length is None else at + length
    if end > size:
        raise _truncated(size, end)
    cluster_end: int | None = None
    in_cluster = False
    while at < end:
        found = _element(file, at)
        if found is None:
            raise _truncated(size, at + _BLOCK_ROOM) if live and size - at < _BLOCK_ROOM else _damaged(at)
        kind, body, length = found
        if kind in _IN_SEGMENT:
            in_cluster = kind == _CLUSTER
            if in_cluster:
                cluster_end = None if length is None else body + length
                if cluster_end is not None and cluster_end > end:
                    raise _truncated(size, cluster_end) if live else _damaged(at)
                at = body
                continue
        elif kind not in _ANYWHERE and not (in_cluster and kind in _IN_CLUSTER):
            raise _damaged(at)
        if length is None:
            raise _damaged(at)
        limit = cluster_end if in_cluster and cluster_end is not None else end
        if body + length > limit:
            raise _truncated(size, body + length) if live and limit == size else _damaged(at)
        at = body + length
        in_cluster = in_cluster and at != cluster_end


def _element(file: BinaryIO, at: int) -> tuple[int, int, int | None] | None:
    """The id of an element, the start of its body, and its length (None: unknown); None if it cannot be read."""
    file.seek(at)
    head = file.read(12)
    if not head or not head[0]:
        return None
    id_bytes = 9 - head[0].bit_length()
    if id_bytes > 4 or len(head) <= id_bytes or not head[id_bytes]:
        return None
    length_bytes = 9 - head[id_bytes].bit_length()
    body = id_bytes + length_bytes
    if len(head) < body:
        return None
    ones = (1 << 7 * length_bytes) - 1
    length = int.from_bytes(head[id_bytes:body]) & ones
    return int.from_bytes(head[:id_bytes]), at + body, None if length == ones else length


# --- AVI: chunks of type (4 bytes), size (4 bytes) and that many bytes, padded to even; lists hold chunks -


def _walk_riff(file: BinaryIO, size: int) -> None:
    at = 0
    while size - at >= 12:
        file.seek(at)
        head = file.read(12)
        if head[:4] != b"RIFF":
            return  # trailing bytes outside of any list; players ignore them
        length = int.from_bytes(head[4:8], "little")
        if length == 0:
            raise VideoProblem(ProblemCode.TRUNCATED, "The AVI file was never finished: its header still says 0 bytes.")
        end = at + 8 + length
        if end > size:
            raise _truncated(size, end)
        _walk_chunks(file, at + 12, end)
        at = end + length % 2


def _walk_chunks(file: BinaryIO, at: int, end: int) -> None:
    while end - at >= 8:
        file.seek(at)
        head = file.read(12)
        kind, length = head[:4], int.from_bytes(head[4:8], "little")
        if not _is_name(kind) or at + 8 + length > end:
            raise _damaged(at)
        if kind == b"LIST" and head[8:12] in (b"movi", b"rec "):
            at += 12  # the chunks of the list follow, then the chunks after it
        else:
            at += 8 + length + length % 2


def _is_transport_stream(head: bytes) -> bool:
    starts = head[: 10 * _TS_PACKET : _TS_PACKET]
    return len(head) > _TS_PACKET and set(starts) == {0x47}
