"""Files in a bucket of a real S3 server: ranges, checksums, signed addresses, and the ways in which it fails."""

import base64
import hashlib
import re
import time
from collections.abc import Callable, Iterator

import httpx
import pytest
from django.core.files.base import ContentFile

from common.bucket_storage import LARGEST_WINDOW, TRIES, BucketStorage, WrongOrigin
from lib.faults import FilesUnavailable
from tests.support.bucket import SERVERS, Line, bucket_server, line_to

pytestmark = pytest.mark.long
LARGE = bytes(range(256)) * 4 * 1024 * 20  # 20 MiB: larger than a part of a multipart upload and than a window


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[str]:
    with bucket_server(request.param) as address:
        yield address


@pytest.fixture
def line(server: str) -> Iterator[Line]:
    with line_to(server) as line:
        yield line


def test_a_file_comes_back_as_it_was_saved_and_replaces_no_other(line: Line) -> None:
    storage = line.storage()
    names = [storage.save("episodes/a/source", ContentFile(content)) for content in (LARGE, b"", b"small")]
    assert names[0] == "episodes/a/source"
    assert len(set(names)) == 3
    for name, content in zip(names, (LARGE, b"", b"small"), strict=True):
        with storage.open(name) as file:
            assert b"".join(file.chunks(1_000_000)) == content
        assert (storage.size(name), storage.exists(name)) == (len(content), True)
    assert any("partNumber=3" in path for path, _ in line.asked("PUT")), "a large file goes in parts"
    storage.delete(names[0])
    storage.delete(names[0])
    assert not storage.exists(names[0])
    assert sorted(name for name, _ in storage.names("episodes/a/")) == sorted(names[1:])


def test_s3_keeps_a_sha256_of_each_file(line: Line) -> None:
    storage = line.storage()
    name = storage.save("a", ContentFile(b"small"))
    kept = storage.client.head_object(Bucket=storage.bucket_name, Key=name, ChecksumMode="ENABLED")
    assert base64.b64decode(kept["ChecksumSHA256"]) == hashlib.sha256(b"small").digest()


def test_a_range_is_read_without_the_rest(line: Line) -> None:
    storage = line.storage()
    name = storage.save("a", ContentFile(LARGE))
    line.seen.clear()
    with storage.open(name) as file:
        file.seek(10_000_003)
        assert file.read(5) == LARGE[10_000_003:10_000_008]
        file.seek(-7, 2)
        assert file.read() == LARGE[-7:]
    asked = [range_ for _, range_ in line.asked("GET")]
    assert asked == ["bytes=10000003-10262146", f"bytes={len(LARGE) - 7}-{len(LARGE) - 1}"]


def test_the_whole_file_is_read_in_windows_that_grow(line: Line) -> None:
    storage = line.storage()
    name = storage.save("a", ContentFile(LARGE))
    line.seen.clear()
    with storage.open(name) as file:
        assert hashlib.sha256(file.read()).digest() == hashlib.sha256(LARGE).digest()
    sizes = [int(b) - int(a) + 1 for a, b in (range_[6:].split("-") for _, range_ in line.asked("GET"))]
    assert sum(sizes) == len(LARGE)
    assert sizes[:-1] == sorted(sizes[:-1])
    assert max(sizes) == LARGEST_WINDOW


@pytest.mark.parametrize("cuts", [1, TRIES - 1])
def test_an_answer_that_is_cut_off_is_asked_for_again_from_there(cuts: int, line: Line) -> None:
    storage = line.storage()
    name = storage.save("a", ContentFile(LARGE))
    line.cuts = cuts
    with storage.open(name) as file:
        assert file.read() == LARGE
    assert line.cuts == 0


def test_a_file_whose_answers_are_always_cut_off_is_unavailable_and_still_there(line: Line) -> None:
    storage = line.storage()
    name = storage.save("a", ContentFile(LARGE))
    line.cuts, line.kept = 1000, 0
    with storage.open(name) as file, pytest.raises(FilesUnavailable):
        file.read()
    line.cuts = 0
    with storage.open(name) as file:
        assert file.read(10) == LARGE[:10]


def test_a_file_that_changes_while_it_is_read_is_not_mixed(line: Line) -> None:
    storage = line.storage()
    name = storage.save("a", ContentFile(LARGE))
    with storage.open(name) as file:
        file.read(1000)
        storage.client.put_object(Bucket=storage.bucket_name, Key=name, Body=LARGE[::-1])
        with pytest.raises(FilesUnavailable):
            file.read()


ACTS: dict[str, Callable[[BucketStorage], object]] = {
    "save": lambda storage: storage.save("new", ContentFile(b"1")),
    "save a large file": lambda storage: storage.save("new", ContentFile(LARGE)),
    "read": lambda storage: storage.open("kept").read(),
    "size": lambda storage: storage.size("kept"),
    "exists": lambda storage: storage.exists("kept"),
    "delete": lambda storage: storage.delete("kept"),
    "list": lambda storage: storage.listdir(""),
    "names": lambda storage: list(storage.names()),
}


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_a_bucket_that_refuses_is_unavailable_and_loses_nothing(
    act: Callable[[BucketStorage], object], line: Line, caplog: pytest.LogCaptureFixture
) -> None:
    storage = line.storage()
    storage.save("kept", ContentFile(b"kept"))
    line.refusal = (403, "AccessDenied")
    with pytest.raises(FilesUnavailable):
        act(storage)
    assert any(getattr(record, "reason", "") in {"AccessDenied", "403"} for record in caplog.records)
    line.refusal = None
    assert list(storage.names()) == [("kept", 4)]


def test_a_bucket_that_is_not_there_is_unavailable_and_a_file_that_is_not_there_is_not_found(line: Line) -> None:
    with pytest.raises(FileNotFoundError):
        line.storage().open("nothing")
    with pytest.raises(FilesUnavailable):
        line.storage("no-such-bucket").save("a", ContentFile(b"1"))


def test_a_bucket_that_does_not_answer_is_unavailable() -> None:
    silent = Line(address="http://127.0.0.1:9")
    with pytest.raises(FilesUnavailable):
        silent.storage().size("a")


def test_a_signed_address_gives_ranges_to_everybody_until_it_expires(line: Line) -> None:
    storage = line.storage(direct_origin=line.address)
    name = storage.save("a", ContentFile(LARGE))
    address = storage.direct_address(name, seconds=2, content_type="video/mp4")
    answer = httpx.get(address, headers={"Range": "bytes=5-9"})
    assert (answer.status_code, answer.content) == (206, LARGE[5:10])
    assert answer.headers["Content-Type"] == "video/mp4"
    time.sleep(2.1)
    late = httpx.get(address, headers={"Range": "bytes=5-9"})
    assert (late.status_code, LARGE[5:10] in late.content) == (403, False)


def test_addresses_of_another_origin_than_the_settings_name_are_not_given_out(line: Line) -> None:
    with pytest.raises(WrongOrigin, match=re.escape(line.address)):
        line.storage(direct_origin="https://files.example").direct_address("a", seconds=60, content_type="x/y")
    assert line.storage().direct_address("a", seconds=60, content_type="x/y") == ""
