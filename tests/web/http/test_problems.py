"""The problems that errors become."""

import psycopg.errors
import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import OperationalError
from django.http import Http404
from rest_framework import exceptions

from lib.faults import Conflict, Invalid, UnknownField
from web.http.problems import problem_of


def _away() -> OperationalError:
    error = OperationalError("server closed the connection unexpectedly")
    error.__cause__ = psycopg.errors.CrashShutdown()
    return error


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
        (_away(), 503, "unavailable"),
    ],
)
def test_an_error_becomes_a_problem(error: Exception, status: int, code: str) -> None:
    body = problem_of(error)
    assert body is not None
    assert (body["status"], body["code"]) == (status, code)


@pytest.mark.parametrize("error", [ZeroDivisionError(), KeyError("a"), OperationalError("no such table")])
def test_an_unexpected_error_becomes_no_problem_of_the_caller(error: Exception) -> None:
    assert problem_of(error) is None
