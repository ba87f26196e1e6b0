"""Byte ranges, as a table of cases; `tests/web/http/test_media.py` asks for them over HTTP."""

import pytest

from web.http.byte_ranges import ByteRange, Unsatisfiable, parse_range


@pytest.mark.parametrize(
    ("header", "size", "expected"),
    [
        ("", 10, None),
        ("bytes=0-9", 10, ByteRange(0, 9)),
        ("bytes=0-", 10, ByteRange(0, 9)),
        ("bytes=9-9", 10, ByteRange(9, 9)),
        ("bytes=9-99", 10, ByteRange(9, 9)),
        ("bytes=-10", 10, ByteRange(0, 9)),
        ("bytes=-11", 10, ByteRange(0, 9)),
        ("bytes=-1", 1, ByteRange(0, 0)),
        ("BYTES=1-2", 10, ByteRange(1, 2)),
        ("bytes=3-2", 10, None),
        ("bytes=1-2,4-5", 10, None),
        ("bytes = 1-2", 10, None),
        ("bytes=1", 10, None),
        ("bytes=1.0-2", 10, None),
        ("bytes=--1", 10, None),
        ("seconds=1-2", 10, None),
        ("bytes=" + "1" * 19 + "-", 10, None),
    ],
)
def test_a_range_that_can_be_read(header: str, size: int, expected: ByteRange | None) -> None:
    assert parse_range(header, size) == expected


@pytest.mark.parametrize(
    ("header", "size"),
    [("bytes=10-", 10), ("bytes=10-11", 10), ("bytes=-0", 10), ("bytes=0-", 0), ("bytes=-5", 0), ("bytes=0-0", 0)],
)
def test_a_range_outside_the_file(header: str, size: int) -> None:
    with pytest.raises(Unsatisfiable):
        parse_range(header, size)
