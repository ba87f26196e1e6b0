"""Helpers for tests of staff pages: the text of a page, and the queries that it takes."""

import re
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def handle_data(self, data: str) -> None:
        self.words += data.split()


def words_of(client: Client, address: str, *, status: int = 200) -> str:
    """The text of a page, in single spaces; fails where the page answers otherwise."""
    response = client.get(address)
    assert response.status_code == status, (address, response.status_code)
    return text_of(response.content.decode())


def text_of(html: str) -> str:
    parser = _Words()
    parser.feed(html)
    return " ".join(parser.words)


def seen_in(html: str) -> str:
    """The list of rows that the form of a page sends back."""
    found = re.search(r'name="seen" value="([^"]*)"', html)
    assert found is not None
    return unescape(found[1])


def seen_on(client: Client, address: str) -> str:
    return seen_in(client.get(address).content.decode())


def cost_of(client: Client, address: str) -> int:
    """The number of queries that a page takes."""
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


def assert_flat(client: Client, address: str, make_row: Callable[[], object]) -> None:
    """The page costs the same for 2 rows and 6."""
    for _ in range(2):
        make_row()
    few = cost_of(client, address)
    for _ in range(4):
        make_row()
    assert cost_of(client, address) == few


def compact(html: str) -> str:
    """The page with one space for each run of white space, and none beside a tag."""
    return re.sub(r"\s*(<[^>]*>)\s*", r"\1", " ".join(html.split()))
