"""Exports are sent in pieces that are worth a hop between threads, the first one sooner."""

from collections.abc import Iterator

import pytest
from django.test import RequestFactory

from web.http.exports import CHUNK, FIRST_CHUNK, exported

LINE = b"x" * 999 + b"\n"
BIG = b"y" * (CHUNK + 5)


@pytest.mark.parametrize(
    ("pieces", "sizes"),
    [
        ([], []),
        ([LINE], [1000]),
        ([LINE] * 8, [8000]),
        ([LINE] * 80, [9000, 66_000, 5000]),
        ([LINE, BIG, LINE, BIG, LINE], [1000 + len(BIG), 1000 + len(BIG), 1000]),
        ([BIG, BIG], [len(BIG), len(BIG)]),
    ],
    ids=["nothing", "a line", "few lines", "lines", "lines and pages", "pages"],
)
def test_pieces_are_joined_until_they_are_large_enough(pieces: list[bytes], sizes: list[int], db: None) -> None:
    response = exported(RequestFactory().get("/"), iter(pieces), what="x", by="system", content_type="text/plain")
    sent = list(response)
    assert [len(piece) for piece in sent] == sizes
    assert b"".join(sent) == b"".join(pieces)


def test_the_first_piece_does_not_wait_for_the_rest(db: None) -> None:
    read = 0

    def lines() -> Iterator[bytes]:
        nonlocal read
        for _ in range(1000):
            read += 1
            yield LINE

    response = exported(RequestFactory().get("/"), lines(), what="x", by="system", content_type="text/plain")
    next(iter(response))
    assert read * len(LINE) < FIRST_CHUNK + len(LINE)
