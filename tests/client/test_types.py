"""The client's types and calls are those of the OpenAPI document."""

import inspect
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from drf_spectacular.generators import SchemaGenerator

from crosswalk_client import Client
from crosswalk_client.api.projects import Dataset
from crosswalk_client.calls import Resource, call, lines, pages
from crosswalk_client.requests import Lines, Pages, Request
from tests.support.shared_data import ROOT

METHODS = ("get", "put", "post", "patch", "delete")
OF_WORKERS = "work/"
NOT_CALLS = {("get", "schema/"), ("put", "uploads/{upload}/parts/{number}/")}
"""The document itself, and the addresses that `begin_upload` hands out."""
CONTRACT = re.compile(
    r"^(models|tranches|trainings)/|\.zip$|"
    r"/reports/$"
)
"""Paths that the contract names: an older server may lack them."""


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    found: dict[str, Any] = json.loads(json.dumps(made))
    return found


def test_the_types_are_those_that_the_document_gives(document: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    import client_types  # type: ignore[import-not-found, unused-ignore]

    made, kept = client_types.modules(document), client_types.written(client_types.FOLDER)
    changed = sorted(name for name in made.keys() | kept.keys() if made.get(name) != kept.get(name))
    assert changed == [], "run `make types`"


LATER = {("post", "uploads/{upload}/complete/"), ("post", "trainings/{training}/artefact/")}
"""Calls that follow an upload, so they are the first request of no method."""


def calls(tmp_path: Path) -> Iterator[tuple[str, str, str]]:
    """Name, method and path of each call of the client."""
    (tmp_path / "x").write_bytes(b"x")
    client = Client("http://x.example", "x")
    for resource in vars(client).values():
        if not isinstance(resource, Resource):
            continue
        for name, of in inspect.getmembers_static(type(resource)):
            if isinstance(of, call | lines | pages):
                parameters = list(inspect.signature(of.plan).parameters.values())[1:]
                # A parameter that is a choice leads to as many addresses.
                for choice in get_args(Dataset) if "Dataset" in {one.annotation for one in parameters} else ("x",):
                    given = [_given(one, tmp_path, choice) for one in parameters]
                    args = [value for kind, _, value in given if kind == "positional"]
                    made = of.plan(resource, *args, **{key: value for kind, key, value in given if kind == "named"})
                    request = made.request if isinstance(made, Lines | Pages) else next(made)
                    assert isinstance(request, Request)
                    yield f"{type(resource).__name__}.{name}", request.method.lower(), request.path
    client.close()


def _given(parameter: inspect.Parameter, folder: Path, choice: str) -> tuple[str, str, Any]:
    if parameter.default is not inspect.Parameter.empty or parameter.kind is inspect.Parameter.VAR_KEYWORD:
        return "", "", None
    value: Any = "x"
    if "Path" in parameter.annotation:
        value = folder / "x"
    elif parameter.annotation.startswith("Sequence"):
        value = [{}]
    elif parameter.annotation == "Dataset":
        value = choice
    elif parameter.annotation == "int":
        value = 1
    return "named" if parameter.kind is inspect.Parameter.KEYWORD_ONLY else "positional", parameter.name, value


def test_the_client_has_every_call_of_a_key_and_no_other(document: dict[str, Any], tmp_path: Path) -> None:
    known = {
        (method, path.removeprefix("/api/v1/"))
        for path, operations in document["paths"].items()
        for method in operations
        if method in METHODS
    }
    known = {one for one in known - NOT_CALLS if not one[1].startswith(OF_WORKERS)}
    patterns = {one: re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(one[1]))) for one in known}
    made, unknown = set(), []
    for name, method, path in calls(tmp_path):
        found = [one for one, pattern in patterns.items() if one[0] == method and pattern.fullmatch(path)]
        # Of `suites/{slug}/` and another pattern that fits, the longer one is meant.
        made |= {max(found, key=lambda one: len(one[1].split("{")[0]))} if found else set()
        if not found and method != "patch" and not CONTRACT.search(path):
            unknown.append((name, method, path))
    assert unknown == []
    lost = {one for one in known if one[0] != "patch"} - made - LATER
    assert lost == set(), "give these calls to a resource of the client"


def test_the_package_needs_three_others_at_most_and_no_code_of_the_server() -> None:
    import tomllib

    wanted = tomllib.loads((ROOT / "client/pyproject.toml").read_text())["project"]["dependencies"]
    assert "httpx" in wanted[0]
    assert len(wanted) <= 3
    assert sys.modules["crosswalk_client"].__file__ == str(ROOT / "client/crosswalk_client/__init__.py")
