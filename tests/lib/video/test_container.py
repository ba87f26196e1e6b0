"""The skeleton of a container is walked to its end: what is promised must be there, and be what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from lib.video.container import check_container
from lib.video.problems import ProblemCode, VideoProblem

TRUNCATED, UNDECODABLE = ProblemCode.TRUNCATED, ProblemCode.UNDECODABLE
UNKNOWN = b"\x01" + b"\xff" * 7


def box(kind: bytes, body: bytes = b"") -> bytes:
    return (8 + len(body)).to_bytes(4) + kind + body


def element(kind: str, body: bytes = b"", length: bytes | None = None) -> bytes:
    """Matroska; `length` overrides the true one."""
    return bytes.fromhex(kind) + (length or (0x10000000 | len(body)).to_bytes(4)) + body


def chunk(kind: bytes, body: bytes = b"") -> bytes:
    return kind + len(body).to_bytes(4, "little") + body + b"\0" * (len(body) % 2)


FTYP, MOOV, MDAT, MOOF = box(b"ftyp", b"isom"), box(b"moov", bytes(20)), box(b"mdat", bytes(30)), box(b"moof", b"x" * 9)

EBML = element("1a45dfa3", b"\x42\x86\x81\x01")
INFO, CUES, VOID = element("1549a966", bytes(9)), element("1c53bb6b", bytes(9)), element("ec", bytes(30))
BLOCKS = element("e7", b"\0") + element("a3", bytes(50)) + element("a0", bytes(60)) + element("bf", bytes(4))
CLUSTER = element("1f43b675", BLOCKS)
LIVE = element("1f43b675", BLOCKS, UNKNOWN)


def mkv(*parts: bytes, live: bool = False) -> bytes:
    return EBML + element("18538067", b"".join(parts), UNKNOWN if live else None)


MOVI = chunk(b"LIST", b"movi" + chunk(b"00dc", bytes(21)) + chunk(b"LIST", b"rec " + chunk(b"01wb", bytes(8))))


def avi(*parts: bytes, name: bytes = b"AVI ") -> bytes:
    return chunk(b"RIFF", name + b"".join(parts))


@pytest.mark.parametrize(
    "data",
    [
        FTYP + MOOV + MDAT,
        FTYP + MDAT + MOOV,
        MDAT + MOOV,  # old QuickTime
        FTYP + MOOV + MDAT + b"\0\0\0",  # crumbs
        FTYP + MOOV + b"\0\0\0\0mdat" + bytes(99),  # to the end of the file
        FTYP + b"\0\0\0\1mdat" + (16 + 40).to_bytes(8) + bytes(40) + MOOV,  # a long length
        FTYP + MOOV + MOOF + MDAT + MOOF + MDAT,
        mkv(INFO, CLUSTER, CLUSTER, CUES),
        mkv(INFO, VOID, CLUSTER, VOID, CUES),
        mkv(INFO, LIVE, LIVE, CUES),
        mkv(INFO, LIVE, LIVE, live=True),
        mkv(INFO, CLUSTER, CLUSTER, live=True),
        mkv(INFO, CLUSTER, CUES) + b"trailing bytes",
        avi(chunk(b"LIST", b"hdrl" + bytes(40)), MOVI, chunk(b"idx1", bytes(32))),
        avi(MOVI) + avi(MOVI, name=b"AVIX"),
        avi(MOVI) + b"trailing bytes",
        (b"\x47" + bytes(187)) * 3,
    ],
)
def test_a_whole_skeleton_passes(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "whole").write_bytes(data)
    check_container(tmp_path / "whole")


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (FTYP + MDAT, TRUNCATED, "moov"),
        (FTYP + MOOV + MDAT[:-1], TRUNCATED, "cut short"),
        (FTYP + MOOV + MOOF + MDAT + MOOF[:5], TRUNCATED, "cut short"),
        (FTYP + b"\0\0\0\5free" + MOOV, UNDECODABLE, "byte 12"),
        (FTYP + b"\0\0\0\x0c\1\2\3\4xxxx" + MOOV, UNDECODABLE, "byte 12"),
        (EBML, TRUNCATED, "cut short"),
        (EBML + INFO, UNDECODABLE, "damaged"),
        (mkv(INFO, CLUSTER, CUES)[:-1], TRUNCATED, "cut short"),
        (mkv(INFO, CLUSTER, live=True)[:-1], TRUNCATED, "cut short"),
        (mkv(INFO, LIVE, live=True)[:-1], TRUNCATED, "cut short"),
        (mkv(INFO, LIVE, live=True) + b"\xa3", TRUNCATED, "cut short"),
        (mkv(INFO, LIVE, live=True) + b"\xa3\x40", TRUNCATED, "cut short"),
        (mkv(INFO, LIVE, bytes(40), CUES), UNDECODABLE, "damaged"),
        (mkv(INFO, BLOCKS), UNDECODABLE, "damaged"),  # blocks outside of any cluster
        (mkv(INFO, CLUSTER, BLOCKS), UNDECODABLE, "damaged"),
        (mkv(INFO, element("1f43b675", BLOCKS[:-1]), CUES), UNDECODABLE, "damaged"),  # ends inside a block
        (mkv(INFO, element("1f43b675", BLOCKS + element("a3", b"", UNKNOWN))), UNDECODABLE, "damaged"),
        (mkv(INFO, element("1f43b675", BLOCKS + element("c0", bytes(20)))), UNDECODABLE, "damaged"),
        (mkv(INFO, element("1c53bb6b", bytes(9), b"\x19\x00\x00\x00"), bytes(80)), UNDECODABLE, "damaged"),
        (avi(MOVI)[:-1], TRUNCATED, "cut short"),
        (b"RIFF" + bytes(4) + b"AVI " + MOVI, TRUNCATED, "never finished"),
        (avi(chunk(b"LIST", b"movi" + chunk(b"\0\1dc", bytes(8)))), UNDECODABLE, "byte 24"),
        (avi(chunk(b"LIST", b"movi" + b"00dc\xff\0\0\0" + bytes(8))), UNDECODABLE, "byte 24"),
        ((b"\x47" + bytes(187)) * 3 + b"\x47\0", TRUNCATED, "566 bytes but promises at least 752"),
    ],
)
def test_a_skeleton_with_a_fault_is_refused(data: bytes, code: ProblemCode, words: str, tmp_path: Path) -> None:
    (tmp_path / "fault").write_bytes(data)
    with pytest.raises(VideoProblem) as caught:
        check_container(tmp_path / "fault")
    assert (caught.value.code, words in caught.value.detail) == (code, True), caught.value
