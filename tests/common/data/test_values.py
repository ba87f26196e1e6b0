"""Small values: ids, canonical JSON, money; and the problems that errors become."""

import re
from decimal import Decimal
from html.parser import HTMLParser
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import OperationalError
from django.http import Http404
from rest_framework import exceptions

from common.data.values import money, opaque_id
from common.markdown import render_markdown
from lib.canonical_json import canonical, digest
from lib.faults import Conflict, CrosswalkError, Fault, Invalid, UnknownField
from lib.name_patterns import OPAQUE_ID
from web.http.problems import problem_of


def test_opaque_ids_are_alike_and_never_the_same() -> None:
    ids = {opaque_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(re.fullmatch(OPAQUE_ID, found) and len(found) == 23 for found in ids)


def test_no_spreadsheet_or_command_line_misreads_an_opaque_id() -> None:
    """About one in 64 random ids would begin with a hyphen."""
    assert all(opaque_id()[0].isalpha() for _ in range(1000))


@pytest.mark.parametrize(
    ("one", "other", "is_equal"),
    [
        ({"a": 1, "b": [2, {"c": 3, "d": 4}]}, {"b": [2, {"d": 4, "c": 3}], "a": 1}, True),
        ([1, 2], [2, 1], False),
        (1, True, False),
        (0, None, False),
        ("1", 1, False),
        ({"a": None}, {}, False),
        ("é", "e\u0301", False),
    ],
)
def test_two_values_are_the_same_json_or_not(one: Any, other: Any, is_equal: bool) -> None:
    assert (canonical(one) == canonical(other)) == is_equal
    assert (digest(one) == digest(other)) == is_equal


@pytest.mark.parametrize(
    ("amount", "shown"),
    [("0", "0.00"), ("0.0000", "0.00"), ("0.3", "0.30"), ("0.3000", "0.30"), ("0.0125", "0.0125"), ("1E+3", "1000.00")],
)
def test_money_has_two_places_at_least(amount: str, shown: str) -> None:
    assert money(Decimal(amount), "EUR") == {"amount": shown, "currency": "EUR"}


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Invalid.at("#/a", "no"), 422, "invalid"),
        (UnknownField(), 422, "unknown_field"),
        (Conflict(), 409, "conflict"),
        (exceptions.ValidationError({"a": ["no"]}), 422, "invalid"),
        (exceptions.ParseError(), 400, "malformed"),
        (exceptions.MethodNotAllowed("PUT"), 405, "method_not_allowed"),
        (exceptions.UnsupportedMediaType("a/b"), 415, "unsupported_media_type"),
        (exceptions.Throttled(5), 429, "too_many_requests"),
        (Http404(), 404, "not_found"),
        (PermissionDenied(), 403, "forbidden"),
        (RequestDataTooBig(), 413, "too_large"),
        (SuspiciousOperation(), 400, "malformed"),
        (OperationalError("database is locked"), 503, "unavailable"),
    ],
)
def test_an_error_becomes_a_problem(error: Exception, status: int, code: str) -> None:
    body = problem_of(error)
    assert body is not None
    assert (body["status"], body["code"]) == (status, code)


@pytest.mark.parametrize("error", [ZeroDivisionError(), KeyError("a"), OperationalError("no such table")])
def test_an_unexpected_error_becomes_no_problem_of_the_caller(error: Exception) -> None:
    assert problem_of(error) is None


def test_a_sentence_has_the_facts_and_keeps_other_braces() -> None:
    assert CrosswalkError("It ended at {at}.", at="12:00").detail == "It ended at 12:00."
    assert Invalid("Use {a}.").detail == "Use {a}."
    assert Invalid(faults=[Fault("#", "no")]).faults == (Fault("#", "no"),)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        '<img src=x onerror="alert(1)">',
        "[click](javascript:alert(1))",
        '<a href="data:text/html,x">x</a>',
        "<iframe src=x></iframe>",
        '<p style="position:fixed">x</p>',
    ],
)
def test_markdown_becomes_harmless_html(text: str) -> None:
    seen: list[str] = []
    reader = HTMLParser()
    reader.handle_starttag = lambda tag, attrs: seen.append(f"{tag} {attrs}")  # type: ignore[method-assign]
    reader.feed(render_markdown(text))
    assert seen == ["p []"], "nothing is left but a paragraph of plain words"


def test_markdown_keeps_what_instructions_need() -> None:
    html = render_markdown("# Title\n\n**bold** [link](https://example.org)\n\n| a | b |\n|---|---|\n| 1 | 2 |")
    for part in ("<h1>", "<strong>", 'href="https://example.org"', "<table>", "<td>1</td>"):
        assert part in html
