"""Secrets and personal data never reach a log."""

import json
import logging

import pytest

from lib.log_lines import JsonFormatter, scrub


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("Internal Server Error: /api/v1/workers/direct/ann/", "Internal Server Error: /api/v1/workers/…/…/"),
        ("GET /api/v1/workers/prolific/5f2a/erase/?x=1 done", "GET /api/v1/workers/…/…/erase/?… done"),
        ("<WSGIRequest: GET '/enter/p?token=cww_abc'>", "<WSGIRequest: GET '/enter/p?…'>"),
        ('"/enter/prolific/p?PROLIFIC_PID=1&STUDY_ID=2"', '"/enter/prolific/p?…"'),
        ("token cww_abcdefghijkl here", "token … here"),
        ("key cw_abcdefghijkl here", "key … here"),
        ("Authorization: Bearer abc.def-ghi", "Authorization: Bearer …"),
        ("Api-Key secret-secret", "Api-Key …"),
        (
            "DETAIL:  Key (platform, external_id)=(direct, ann) already exists.",
            "DETAIL:  Key (platform, external_id)=(…) already exists.",
        ),
        ("DETAIL:  Failing row contains (1, direct, ann).", "DETAIL:  Failing row contains (…)."),
    ],
)
def test_it_goes(line: str, kept: str) -> None:
    assert scrub(line) == kept


@pytest.mark.parametrize(
    "line", ["/staff/workers/12/", "is it so? yes", '{"event": "assignment.claimed", "assignment": 12}', "a cww_ b"]
)
def test_the_rest_stays(line: str) -> None:
    assert scrub(line) == line


def test_a_line_of_the_log_is_json_without_them() -> None:
    record = logging.makeLogRecord({"msg": "Not Found: %s", "args": ("/api/v1/workers/direct/ann/",)})
    record.__dict__["request"] = "<ASGIRequest: GET '/enter/p?token=cww_abcdefghijkl'>"
    line = json.loads(JsonFormatter().format(record))
    assert line["event"] == "Not Found: /api/v1/workers/…/…/"
    assert line["request"] == "<ASGIRequest: GET '/enter/p?…'>"
