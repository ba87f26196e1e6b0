"""Which episode each file is: from its name, or from a line of a manifest."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from crosswalk_client.cli.output import Fault
from crosswalk_client.client import Client

BUCKET = "s3://"
NUMBERED = re.compile(r"(?P<before>.*?)[-_. ]?(?P<number>\d+)")
NEEDED = ("agent", "suite", "scenario", "continuation")


class Post(NamedTuple):
    """One file with the `data` of its episode.

    Attributes:
        video: A file here; or the address of one in a bucket, as text.
        bytes: The size of a file in a bucket.
    """

    video: Path | str
    trajectory: Path | None
    data: dict[str, Any]
    bytes: int = 0

    @property
    def external_id(self) -> str:
        return str(self.data["external_id"])


def planned(asked: Namespace, client: Client) -> list[Post]:
    """The episodes to post, in the order given.

    Raises:
        Fault: a file is missing, a fact is missing, or two files are one episode.
    """
    here = [Path(name) for name in asked.files if not name.startswith(BUCKET)]
    there = [prefix for prefix in asked.files if prefix.startswith(BUCKET)]
    posts = [
        *(_of_manifest(asked) if asked.manifest else ()),
        *_of_names(here, asked),
        *(post for prefix in there for post in _of_bucket(prefix, asked, client)),
    ]
    if not posts:
        raise Fault(f"There is no file below {', '.join(there)}." if there else "Name files, or a manifest.")
    for post in posts:
        for path in (post.video, post.trajectory):
            if isinstance(path, Path) and not path.is_file():
                raise Fault(f"There is no file {path}.")
    _refuse_doubles(posts)
    return posts


def _of_manifest(asked: Namespace) -> Iterable[Post]:
    path: Path = asked.manifest
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except ValueError as error:
            raise Fault(f"{path}, line {number} is not JSON: {error}.") from None
        if not isinstance(data, dict) or not isinstance(data.get("file"), str):
            raise Fault(f"{path}, line {number} has no `file`.")
        trajectory = data.pop("trajectory", None)
        video = path.parent / data.pop("file")
        data = {**{name: value for name, value in _asked(asked).items() if value is not None}, **data}
        yield _post(video, path.parent / trajectory if trajectory else None, data, f"{path}, line {number}")


def _of_names(files: list[Path], asked: Namespace) -> Iterable[Post]:
    """The episodes of named files: `SCENARIO-NUMBER.mp4`, or with --scenario `ANYTHING-NUMBER.mp4`.

    Files without a number get the lowest ones that no other file has, in the order given.
    """
    found = [_scenario_and_number(path, asked.scenario) for path in files]
    taken = {place for place in found if place[1] is not None}
    for path, (scenario, number) in zip(files, found, strict=True):
        if number is None:
            number = next(free for free in range(len(files)) if (scenario, free) not in taken)
            taken.add((scenario, number))
        yield _post(path, None, {**_asked(asked), "scenario": scenario, "continuation": number}, str(path))


def _of_bucket(prefix: str, asked: Namespace, client: Client) -> Iterable[Post]:
    """The episodes of the files below a prefix, by their names, as of files here."""
    found = list(client.uploads.in_bucket(prefix))
    names = [Path(one["address"].rpartition("/")[2]) for one in found]
    for one, post in zip(found, _of_names(names, asked), strict=True):
        yield post._replace(video=one["address"], bytes=one["bytes"])


def _scenario_and_number(path: Path, scenario: str | None) -> tuple[str, int | None]:
    """The scenario and the continuation that a file's name says.

    >>> _scenario_and_number(Path("red-box-3.mp4"), None), _scenario_and_number(Path("take7.mp4"), "lid")
    (('red-box', 3), ('lid', 7))
    >>> _scenario_and_number(Path("red-box.mp4"), None)
    ('red-box', None)
    """
    numbered = NUMBERED.fullmatch(path.stem)
    if numbered is None:
        return scenario or path.stem, None
    return scenario or numbered["before"], int(numbered["number"])


def _asked(asked: Namespace) -> dict[str, Any]:
    return {"suite": asked.suite, "agent": asked.agent, "scenario": asked.scenario}


def _post(video: Path, trajectory: Path | None, data: dict[str, Any], where: str) -> Post:
    if missing := [name for name in NEEDED if data.get(name) in (None, "")]:
        raise Fault(f"{where}: {', '.join(missing)} is not known; name it in the manifest or as an option.")
    name = ":".join(str(data[one]) for one in ("suite", "agent", "scenario", "continuation"))
    return Post(video, trajectory, {"external_id": name, **data})


def _refuse_doubles(posts: list[Post]) -> None:
    by_id: dict[str, Path | str] = {}
    for post in posts:
        if post.external_id in by_id:
            raise Fault(f"{by_id[post.external_id]} and {post.video} are both {post.external_id}.")
        by_id[post.external_id] = post.video
