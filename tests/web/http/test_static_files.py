"""The scripts and sheets of the pages, as a browser gets them."""

import json
from contextlib import closing

from django.conf import settings
from django.http.response import HttpResponseBase
from django.test import Client


def read(client: Client, address: str, coding: str = "identity") -> HttpResponseBase:
    """The answer, with its file closed."""
    with closing(client.get(address, headers={"Accept-Encoding": coding})) as answer:
        return answer


def test_a_hashed_script_comes_compressed_and_is_kept_for_good(client: Client) -> None:
    manifest = json.loads((settings.FRONTEND_DIST / "manifest.json").read_text())
    address = f"/static/{manifest['src/tools/marker/main.tsx']['file']}"
    plain = read(client, address)
    assert "immutable" in plain["Cache-Control"]
    for coding in ("br", "gzip"):
        answer = read(client, address, coding)
        assert (answer["Content-Encoding"], answer["Vary"]) == (coding, "Accept-Encoding")
        assert int(answer["Content-Length"]) < int(plain["Content-Length"]) / 2
    assert "immutable" not in read(client, "/static/crosswalk/favicon.svg")["Cache-Control"]
