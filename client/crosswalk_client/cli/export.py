"""`crosswalk export` and `crosswalk dataset`: what people said, as files."""

from __future__ import annotations

import hashlib
import json
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crosswalk_client.api.projects import Dataset
from crosswalk_client.api.uploads import digest
from crosswalk_client.cli.common import Subparsers, client_of, command, told_if_missing
from crosswalk_client.cli.output import Fault, result, say
from crosswalk_client.client import Client
from crosswalk_client.transport import Unfinished

WHATS: tuple[Dataset, ...] = ("annotations", "consensus", "forms", "masks", "commands")
CARD = "README.md"
SUMS = "SHA256SUMS"
IN_CARD = re.compile(r"^- config_name: (\w+)$", re.MULTILINE)
"""The datasets that a card names."""


def add_to(commands: Subparsers, common: ArgumentParser) -> None:
    made = command(
        commands,
        common,
        "export",
        export,
        help="write what is known of a project's tasks to a file",
        examples="""
            crosswalk export annotations rooms-marks --to marks.jsonl
            crosswalk export annotations rooms-marks --to new.jsonl --since 9f2c…    # after this annotation
            crosswalk export forms commands --to forms.parquet
        """,
    )
    made.add_argument("what", choices=WHATS, metavar="|".join(WHATS), help="which of them")
    made.add_argument("project", help="the project's name in addresses")
    made.add_argument(
        "--to", type=Path, required=True, metavar="FILE.jsonl|.parquet", help="the file, whose ending says the format"
    )
    made.add_argument(
        "--since", help="the last annotation or command of an earlier file; of forms and masks a time (RFC 3339)"
    )
    folder = command(
        commands,
        common,
        "dataset",
        dataset,
        help="write a project's datasets as a folder that `datasets.load_dataset` reads",
        examples="crosswalk dataset rooms-marks --to rooms-marks/",
    )
    folder.add_argument("project", help="the project's name in addresses")
    folder.add_argument("--to", type=Path, required=True, metavar="FOLDER", help="the folder; it is made")


def export(asked: Namespace) -> int:
    with client_of(asked) as client, told_if_missing(client, f"export of {asked.what}", project=asked.project):
        if asked.to.suffix == ".parquet":
            client.projects.parquet(asked.project, asked.what, asked.to, since=asked.since)
            told: dict[str, Any] = {"file": str(asked.to), "bytes": asked.to.stat().st_size}
        elif asked.to.suffix in (".jsonl", ".ndjson"):
            told = _write_lines(_lines(client, asked), asked.to)
        else:
            raise Fault("--to names a .jsonl or a .parquet file.")
    count = f"{told['rows']} lines" if "rows" in told else f"{told['bytes']} bytes"
    result(asked, told, f"{asked.to}: {count}.")
    return 0


def dataset(asked: Namespace) -> int:
    """Write the card, the Parquet files that it names, and the digests of all of them."""
    with client_of(asked) as client, told_if_missing(client, "dataset cards", project=asked.project):
        client.projects.dataset_card(asked.project, asked.to / CARD)
        written = [CARD]
        for what in IN_CARD.findall((asked.to / CARD).read_text(encoding="utf-8")):
            client.projects.parquet(asked.project, what, asked.to / "data" / f"{what}.parquet")
            written.append(f"data/{what}.parquet")
    sums = {name: digest(asked.to / name) for name in written}
    (asked.to / SUMS).write_text("".join(f"{sha256}  {name}\n" for name, sha256 in sums.items()), encoding="utf-8")
    whole = hashlib.sha256("".join(sums.values()).encode()).hexdigest()
    result(asked, {"folder": str(asked.to), "files": sums, "sha256": whole}, f"{asked.to}: {', '.join(written)}.")
    return 0


def _lines(client: Client, asked: Namespace) -> Iterator[Mapping[str, Any]]:
    slug, since = asked.project, asked.since
    if asked.what == "consensus":
        if since:
            raise Fault("--since does not apply to the consensus: a task's may change.")
        return client.projects.consensus(slug)
    kinds: dict[str, Callable[[], Iterator[Any]]] = {
        "annotations": lambda: client.projects.annotations(slug, since=since),
        "forms": lambda: client.projects.forms(slug, since=since),
        "masks": lambda: client.projects.masks(slug, since=since),
        "commands": lambda: client.commands.export(project=slug, since=since),
    }
    return kinds[asked.what]()


def _write_lines(rows: Iterator[Mapping[str, Any]], to: Path) -> dict[str, Any]:
    count, last = 0, ""
    with Unfinished(to) as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
            count += 1
            last = str(row.get("annotation") or row.get("command") or "")
    if not count:
        say("Nothing is there yet.")
    return {"file": str(to), "rows": count, "last": last}
