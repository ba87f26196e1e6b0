"""`crosswalk suite pull|push|diff`: a suite as a file."""

from __future__ import annotations

import json
import zipfile
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crosswalk_client.cli.common import Subparsers, client_of, command, told_if_missing
from crosswalk_client.cli.output import Fault, result
from crosswalk_client.client import Client
from crosswalk_client.types import ScenarioAnswer, ScenarioBodyRequest, SuiteAnswer, SuiteBodyRequest

Json = dict[str, Any]
OF_ANSWERS = {*SuiteAnswer.__annotations__, *ScenarioAnswer.__annotations__}
OF_ANSWERS -= {*SuiteBodyRequest.__annotations__, *ScenarioBodyRequest.__annotations__}
"""Fields that the server adds, as the slug, and does not take."""


def add_to(commands: Subparsers, common: ArgumentParser) -> None:
    whole = commands.add_parser("suite", help="write a suite to a file, read it from one, or compare the two")
    inside = whole.add_subparsers(dest="what", metavar="pull|push|diff", required=True)
    pull_ = command(
        inside,
        common,
        "pull",
        pull,
        help="write a suite to a file: .json has its scenarios, .zip also media and versions",
        examples="crosswalk suite pull rooms --to rooms.json\ncrosswalk suite pull rooms --to rooms.zip",
    )
    pull_.add_argument("suite", help="the suite's name in addresses")
    pull_.add_argument(
        "--to", type=Path, required=True, metavar="FILE.json|.zip", help="the file, whose ending says the format"
    )
    push_ = command(
        inside,
        common,
        "push",
        push,
        help="put the suite of a file on the server, and freeze a version if one is named",
        examples="crosswalk suite push rooms.json --freeze v2",
    )
    push_.add_argument("file", type=Path, metavar="FILE.json|.zip", help="as `suite pull` writes it")
    push_.add_argument("--freeze", metavar="VERSION", help="freeze the scenarios as this version")
    diff_ = command(
        inside,
        common,
        "diff",
        diff,
        help="compare the suite of a file with the server's; 0 if they are equal, 1 if not",
        examples="crosswalk suite diff rooms.json",
    )
    diff_.add_argument("file", type=Path, metavar="FILE.json|.zip", help="as `suite pull` writes it")


def pull(asked: Namespace) -> int:
    with client_of(asked) as client:
        if asked.to.suffix == ".zip":
            with told_if_missing(client, "suites as zip files", suite=asked.suite):
                client.suites.pull_archive(asked.suite, asked.to)
            result(asked, {"suite": asked.suite, "file": str(asked.to)}, f"{asked.to} is written.")
            return 0
        found = _on_server(client, asked.suite)
    asked.to.write_text(json.dumps(found, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    count = len(found["scenarios"])
    result(asked, {"suite": asked.suite, "file": str(asked.to), "scenarios": count}, f"{asked.to}: {count} scenarios.")
    return 0


def push(asked: Namespace) -> int:
    with client_of(asked) as client:
        if asked.file.suffix == ".zip":
            slug = asked.file.stem
            client.suites.push_archive(slug, asked.file)
            told: Json = {"suite": slug}
        else:
            wanted = _of_file(asked.file)
            slug = wanted["suite"]["slug"]
            client.suites.put(slug, **_body(wanted["suite"]))
            for key, scenario in wanted["scenarios"].items():
                client.suites.put_scenario(slug, key, **_body(scenario))
            told = {"suite": slug, "scenarios": len(wanted["scenarios"])}
        if asked.freeze:
            told["version"] = client.suites.put_version(slug, asked.freeze)
    frozen = f" and frozen as {asked.freeze}" if asked.freeze else ""
    result(asked, told, f"{slug} is on the server{frozen}.")
    return 0


def diff(asked: Namespace) -> int:
    wanted = _of_file(asked.file)
    slug = wanted["suite"]["slug"]
    with client_of(asked) as client:
        there = _on_server(client, slug)
    told = differences(wanted["scenarios"], there["scenarios"])
    words = [f"{kind}: {key}" for kind in ("only here", "only there") for key in told[kind.replace(" ", "_")]]
    words += [f"differs: {key} ({', '.join(fields)})" for key, fields in told["differ"].items()]
    result(asked, told, "\n".join(words) or "No scenario differs.")
    return 1 if words else 0


def differences(here: Mapping[str, Json], there: Mapping[str, Json]) -> Json:
    """Which scenarios are in one of two alone, and in which fields the others differ. A field that the file leaves out
    differs from none.

    >>> differences({"a": {"skill": "go"}, "b": {}}, {"a": {"skill": "see", "tags": []}, "c": {}})
    {'only_here': ['b'], 'only_there': ['c'], 'differ': {'a': ['skill']}}
    """
    both = {
        key: [name for name in here[key] if here[key][name] != there[key].get(name)] for key in here if key in there
    }
    return {
        "only_here": [key for key in here if key not in there],
        "only_there": [key for key in there if key not in here],
        "differ": {key: fields for key, fields in both.items() if fields},
    }


def _on_server(client: Client, slug: str) -> Json:
    with told_if_missing(client, "such suite", suite=slug):
        suite: Json = {**client.suites.get(slug)}
        found: list[Json] = [{**scenario} for scenario in client.suites.scenarios(slug)]
    return {"suite": suite, "scenarios": {str(one.pop("key")): one for one in found}}


def _of_file(path: Path) -> Json:
    try:
        found = _of_archive(path) if path.suffix == ".zip" else json.loads(path.read_text(encoding="utf-8"))
        well_formed = isinstance(found["suite"]["slug"], str) and isinstance(found["scenarios"], dict)
    except (ValueError, KeyError, TypeError, zipfile.BadZipFile):
        well_formed, found = False, {}
    if not well_formed:
        raise Fault(f"{path} is no suite: it has {{'suite': {{'slug', 'title'}}, 'scenarios': {{key: …}}}}.")
    return dict(found)


def _of_archive(path: Path) -> Json:
    """The suite and its present scenarios in a zip file."""
    with zipfile.ZipFile(path) as file:
        content = json.loads(file.read("suite.json"))
    wordings = {(one["scenario"], one["sha256"]): one["wording"] for one in content["wordings"]}
    scenarios = {one["scenario"]: wordings[one["scenario"], one["sha256"]] for one in content["present"]}
    return {"suite": {"slug": path.stem, **content["suite"]}, "scenarios": scenarios}


def _body(answer: Json) -> Any:
    return {name: value for name, value in answer.items() if name not in OF_ANSWERS and value is not None}
