"""Pages by the place of their last row: every row once, forth and back, and whatever an address says."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import RequestFactory

from annotation.models import Record
from tests.support.builders import NOON, make_project, make_worker
from web.http.keyset_pages import Part, Window, counted, window

pytestmark = pytest.mark.django_db

VALUES: list[float | None] = [0.5, None, 0.25, 0.5, None, 1 / 3, 0.5, 0.0, None, 1.0, 1e-17]


@pytest.fixture
def rows() -> list[Record]:
    project = make_project()
    return [
        Record.objects.create(
            worker=make_worker(), project=project, low=value, measured_at=NOON, last_at=NOON + timedelta(seconds=number)
        )
        for number, value in enumerate(VALUES)
    ]


def parts(*, is_descending: bool) -> list[Part[Record]]:
    records = Record.objects.all()
    return [
        Part(records.filter(low__isnull=False), ("low", "id"), is_descending),
        Part(records.filter(low__isnull=True), ("id",), is_descending, ("low",)),
    ]


def page(of: list[Part[Record]], size: int = 3, **asked: str) -> Window[Record]:
    return window(RequestFactory().get("/", asked), of, size=size)


@pytest.mark.parametrize("is_descending", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3, 8, 11, 50])
def test_every_row_comes_once_forth_and_back(is_descending: bool, size: int, rows: list[Record]) -> None:
    of = parts(is_descending=is_descending)
    sign = -1 if is_descending else 1
    known = sorted((row for row in rows if row.low is not None), key=lambda row: (sign * (row.low or 0), sign * row.pk))
    lacking = sorted((row for row in rows if row.low is None), key=lambda row: sign * row.pk)
    expected = [row.pk for row in known + lacking]

    here = page(of, size)
    assert here.preceding == ""
    forth, pages = [row.pk for row in here.rows], [here]
    while here.following:
        here = page(of, size, after=here.following)
        forth += [row.pk for row in here.rows]
        pages.append(here)
    assert forth == expected

    back = [[row.pk for row in here.rows]]
    while here.preceding:
        here = page(of, size, before=here.preceding)
        back.append([row.pk for row in here.rows])
    assert [pk for group in reversed(back) for pk in group] == expected
    assert len(back) == len(pages)


def test_times_are_places_too(rows: list[Record]) -> None:
    of = [Part(Record.objects.all(), ("last_at", "id"), is_descending=True)]
    first = page(of, 4)
    second = page(of, 4, after=first.following)
    assert [row.pk for row in first.rows + second.rows] == [row.pk for row in reversed(rows)][:8]


@pytest.mark.parametrize(
    "token",
    [
        *("", "x", "[", "[]", "[0]", "[9,1,1]", "[-1,1,1]", "[true,1,1]", "{}", "null", '["0",0.5,1]', "[0,0.5]"),
        *('[0,"half",1]', "[0,null,1]", "[0,[1],1]", "[1,0.5,1]", '[0,0.5,"x"]', "[0,0.5,{}]", "[" * 5000),
    ],
)
def test_a_place_that_says_nothing_is_the_beginning(token: str, rows: list[Record]) -> None:
    of = parts(is_descending=False)
    assert page(of, after=token) == page(of)
    assert page(of, before=token) == page(of)


def test_a_row_that_comes_or_goes_shifts_nothing(rows: list[Record]) -> None:
    of = parts(is_descending=False)
    first = page(of)
    second: Any = [row.pk for row in page(of, after=first.following).rows]
    first.rows[0].delete()
    assert [row.pk for row in page(of, after=first.following).rows] == second


def test_counting_stops(rows: list[Record]) -> None:
    assert counted(Record.objects.all(), most=11) == "11"
    assert counted(Record.objects.all(), most=10) == "more than 10"
    assert counted(Record.objects.none(), most=10) == "0"
