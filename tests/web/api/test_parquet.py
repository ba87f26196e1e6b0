"""Datasets as Parquet hold what the JSON Lines hold, with a schema of their own; without pyarrow they are refused."""

import io
import json
import sys
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from agents.keys import create_key
from annotation.models import Project
from lib.files.parquet import Column, pieces
from tests.conftest import api_client
from tests.support.builders import make_project, make_task, make_worker
from tests.support.calls import lines
from tests.support.crowds import insert_answers
from tests.support.sessions import make_live_project
from tests.support.tool_workers import TOWER, make_voxels_project, marks, post_phrases, work
from web.api import exports, forms, masks, parquet
from web.api.commands import CommandLine

SHAPES = {
    "annotations": (exports.AnnotationLine, parquet.ANNOTATIONS),
    "consensus": (exports.ConsensusLine, parquet.CONSENSUS),
    "forms": (forms.FormLine, parquet.FORMS),
    "masks": (masks.MaskLine, parquet.MASKS),
    "commands": (CommandLine, parquet.COMMANDS),
}
IN_ANOTHER_SHAPE = {"masks": ({"answer", "shares"}, {"voxels", "absent"})}


def table(client: APIClient, path: str) -> list[dict[str, Any]]:
    """The rows, with JSON in text read."""
    arrow = pytest.importorskip("pyarrow.parquet")
    answer = client.get(f"/api/v1/projects/{path}")
    assert answer.status_code == 200, answer.content
    assert answer["Content-Type"] == "application/vnd.apache.parquet"
    found = arrow.read_table(io.BytesIO(answer.getvalue()))
    in_json = {field.name for field in found.schema if field.metadata[b"kind"] == b"json"}
    return [
        {name: json.loads(value) if name in in_json and value is not None else value for name, value in row.items()}
        for row in found.to_pylist()
    ]


def as_lines(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows as JSON Lines would have them."""
    return [
        {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in row.items()}
        for row in rows
    ]


@pytest.fixture
def project(db: None) -> Project:
    return make_project("judge")


@pytest.mark.parametrize("name", SHAPES)
def test_the_columns_are_the_fields_of_a_line(name: str) -> None:
    line, columns = SHAPES[name]
    without, beside = IN_ANOTHER_SHAPE.get(name, (set(), set()))
    assert {column.name for column in columns} == set(line().fields) - without | beside


@pytest.mark.django_db
def test_annotations_consensus_and_commands_are_those_of_the_lines(pipe: APIClient, project: Project) -> None:
    tasks = [make_task(project=project, key=f"t{number}") for number in range(3)]
    insert_answers(project, [(task, make_worker(f"w{number}"), "success") for number, task in enumerate(tasks)])
    of_lines = lines(pipe.get(f"/api/v1/projects/{project.slug}/annotations.jsonl"))
    assert len(of_lines) == 3
    assert as_lines(table(pipe, f"{project.slug}/annotations.parquet")) == of_lines
    since = of_lines[1]["annotation"]
    assert as_lines(table(pipe, f"{project.slug}/annotations.parquet?since={since}")) == of_lines[2:]
    reader = api_client(create_key(name="reader", scopes=["read"], at=timezone.now()))
    assert {row["worker"].partition(":")[0] for row in of_lines} == {"direct"}
    assert all(":" not in row["worker"] for row in table(reader, f"{project.slug}/annotations.parquet"))
    make_live_project("live")
    body = {"command": "c", "project": "live", "text": "dig", "parse": {"a": [1]}, "at": "2026-01-02T03:04:05Z"}
    assert pipe.post("/api/v1/commands/", {"commands": [body]}, format="json").status_code == 200
    (command,) = table(pipe, "live/commands.parquet")
    assert (command["command"], command["parse"], command["at"].year) == ("c", {"a": [1]}, 2026)
    assert table(pipe, f"{project.slug}/consensus.parquet") == []


@pytest.mark.django_db
def test_forms_and_masks_are_those_of_the_lines(pipe: APIClient) -> None:
    make_project("parses", tool="parse")
    pair = 'dig a hole|{"dialogue_type": "NOOP"}'
    assert pipe.post("/api/v1/projects/parses/forms/", {"lines": pair}, format="json").status_code == 200
    of_lines = lines(pipe.get("/api/v1/projects/parses/forms.jsonl"))
    assert as_lines(table(pipe, "parses/forms.parquet")) == of_lines
    project = make_voxels_project("p")
    post_phrases(project, {"a": "the red tower", "b": "a pyramid"})
    work(project, "ann", lambda payload: marks(TOWER if "tower" in payload["phrase"] else None))
    found = {row["task"]: (row["voxels"], row["absent"]) for row in table(pipe, "p/masks.parquet")}
    assert found["b"] == (None, True)
    assert sorted(found["a"][0]) == sorted(map(list, TOWER))
    assert "tool is parse" in pipe.get("/api/v1/projects/parses/masks.parquet").json()["detail"]


def test_a_file_is_written_group_by_group() -> None:
    arrow = pytest.importorskip("pyarrow.parquet")
    read: list[int] = []

    def rows() -> Any:
        for number in range(5):
            read.append(number)
            yield {"n": number, "at": "2026-01-02T03:04:05+00:00", "more": {"é": 1}}

    columns = (Column("n", "integer"), Column("at", "moment"), Column("more", "json"), Column("none", "text"))
    written = pieces(rows(), columns, rows_a_group=2)
    first = next(written)
    assert (len(read), first[:4]) == (2, b"PAR1")
    whole = arrow.ParquetFile(io.BytesIO(first + b"".join(written)))
    assert whole.num_row_groups == 3
    assert whole.read().to_pylist()[4]["more"] == '{"é": 1}'
    empty = arrow.ParquetFile(io.BytesIO(b"".join(pieces([], columns, rows_a_group=2))))
    assert empty.schema_arrow == whole.schema_arrow


@pytest.mark.django_db
@pytest.mark.parametrize("name", SHAPES)
def test_without_pyarrow_the_refusal_names_the_extra(
    name: str, pipe: APIClient, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    refused = pipe.get(f"/api/v1/projects/{project.slug}/{name}.parquet")
    assert (refused.status_code, refused.json()["code"]) == (501, "extra_missing")
    assert "CROSSWALK_EXTRAS=parquet" in refused.json()["detail"]


@pytest.mark.django_db
def test_the_card_says_what_was_asked_of_whom(pipe: APIClient, project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(title='Say "what": it is', instructions=["# Look\n\n~~~~\ncode\n~~~~"])
    insert_answers(project, [(make_task(project=project, key="t"), make_worker("w"), "success")])
    answer = pipe.get(f"/api/v1/projects/{project.slug}/dataset_card.md")
    assert answer["Content-Type"].startswith("text/markdown")
    card = answer.content.decode()
    _, head, body = card.split("---\n", 2)
    assert 'pretty_name: "Say \\"what\\": it is"' in head
    assert "- config_name: annotations\n  data_files: data/annotations.parquet" in head
    for said in ("# Look", "1 from direct", "annotations: 1", "No", f"`{project.slug}`"):
        assert said in body
    assert f"written at {timezone.now().year}" in body
