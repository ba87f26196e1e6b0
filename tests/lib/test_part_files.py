"""Zip files of parts: what is written is read again, and everything that is not such a file is refused."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from lib.faults import CrosswalkError, Invalid, TooLarge
from lib.files import parts
from lib.files.parts import MANIFEST, Part, PartFile, zipped

TEXT, VIDEO = '{"a": 1}', bytes(range(256)) * 5000
MOST = 10_000_000


def written() -> bytes:
    video = Part("media/ball", len(VIDEO), hashlib.sha256(VIDEO).hexdigest(), [VIDEO[:7], VIDEO[7:]])
    return b"".join(zipped([Part.of_text("suite.json", TEXT), video], about={"format": "f"}))


def test_what_is_written_is_read_again_and_equal_parts_give_equal_bytes() -> None:
    found = PartFile(io.BytesIO(written()), most_bytes=MOST)
    assert (found.paths, found.about["format"]) == (["suite.json", "media/ball"], "f")
    assert found.text("suite.json", most_bytes=100) == TEXT
    assert b"".join(found.pieces("media/ball")) == VIDEO
    assert written() == written()


def test_a_part_is_sent_before_the_next_is_read() -> None:
    taken: list[str] = []

    def pieces(name: str) -> Any:
        taken.append(name)
        yield b"x" * 1000

    digest = hashlib.sha256(b"x" * 1000).hexdigest()
    out = zipped([Part(f"media/{name}", 1000, digest, pieces(name)) for name in "ab"], about={})
    sent = 0
    for piece in out:
        sent += len(piece)
        if sent > 1000:
            break
    assert taken == ["a"]


Entry = tuple[str, bytes]


def packed(*entries: Entry, manifest: list[Entry] | None = None, **about: Any) -> bytes:
    """A zip file of these entries; its manifest names them, or those of `manifest`."""
    sums = [
        {"path": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in (entries if manifest is None else manifest)
    ]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", about.pop("compression", zipfile.ZIP_DEFLATED)) as whole:
        whole.writestr(MANIFEST, json.dumps({"parts": sums}))
        for name, content in entries:
            whole.writestr(name, content)
    return out.getvalue()


def cut() -> bytes:
    return written()[:-30]


def flipped() -> bytes:
    """One byte of the video is another, and the zip file's own sum agrees with it."""
    return packed(("media/ball", b"ball"), manifest=[("media/ball", b"bell")])


def encrypted() -> bytes:
    content = bytearray(packed(("suite.json", b"{}")))
    directory = content.rindex(b"PK\x01\x02")
    content[directory + 8] |= 1
    return bytes(content)


def with_a_zero_byte() -> bytes:
    return packed(("suite.json_txt", b"{}"), manifest=[("suite.json", b"{}")]).replace(b"json_txt", b"json\0txt")


def with_many_entries() -> bytes:
    return packed(*((f"media/{number}", b"") for number in range(parts.MOST_PARTS)))


def with_a_large_directory() -> bytes:
    """Names as long as they may be, more of them than the directory may hold."""
    return packed(*((f"{number:060000}", b"") for number in range(75)))


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: b"no zip at all", Invalid, "no zip file"),
        (cut, Invalid, "no zip file"),
        (flipped, Invalid, "SHA-256"),
        (encrypted, Invalid, "encrypted"),
        (lambda: packed(("suite.json", b"{}"), compression=zipfile.ZIP_BZIP2), Invalid, "compressed"),
        (lambda: packed(("../suite.json", b"{}")), Invalid, "name"),
        (lambda: packed(("/etc/passwd", b"{}")), Invalid, "name"),
        (lambda: packed(("media/..", b"{}")), Invalid, "name"),
        (lambda: packed(("media/a/b", b"{}")), Invalid, "name"),
        (lambda: packed(("media\\a", b"{}")), Invalid, "name"),
        (with_a_zero_byte, Invalid, "name"),
        (lambda: packed(("media/ä", b"{}")), Invalid, "name"),
        (lambda: packed(("suite.json", b"{}"), manifest=[]), Invalid, "differ"),
        (lambda: packed(manifest=[("suite.json", b"{}")]), Invalid, "differ"),
        (lambda: packed(("suite.json", b"{}"), manifest=[("suite.json", b"{}")] * 2), Invalid, "differ"),
        (lambda: packed(("suite.json", b" " * 5_000_000)), TooLarge, "200 times"),
        (lambda: packed(("media/a", b"ab" * 5_000_001), compression=zipfile.ZIP_STORED), TooLarge, "together"),
        (with_many_entries, TooLarge, "entries"),
        (with_a_large_directory, TooLarge, "directory"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_other_files_are_refused(make: Callable[[], bytes], error: type[CrosswalkError], words: str) -> None:
    content = make()

    def read() -> None:
        found = PartFile(io.BytesIO(content), most_bytes=MOST)
        for path in found.paths:
            list(found.pieces(path))

    with pytest.raises(error, match=words) as refusal:
        read()
    assert type(refusal.value) is error


def test_an_entry_that_is_there_twice_is_refused() -> None:
    out = io.BytesIO(packed(("suite.json", b"{}")))
    with zipfile.ZipFile(out, "a") as whole, pytest.warns(UserWarning, match="Duplicate"):
        whole.writestr("suite.json", b"[]")
    with pytest.raises(Invalid, match="twice"):
        PartFile(out, most_bytes=MOST)


def test_a_text_has_its_own_bound_and_is_utf8() -> None:
    found = PartFile(io.BytesIO(packed(("a.json", b"\xff"), ("b.json", b"12345"))), most_bytes=MOST)
    with pytest.raises(Invalid, match="UTF-8"):
        found.text("a.json", most_bytes=4)
    with pytest.raises(TooLarge, match="at most 4"):
        found.text("b.json", most_bytes=4)
    with pytest.raises(Invalid, match=r"no c\.json"):
        found.text("c.json", most_bytes=4)
