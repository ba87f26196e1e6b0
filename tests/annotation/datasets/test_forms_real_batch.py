"""The real batch: gold forms imported as truth, the model's parses compared, the workers' marks weighed.

Counted by exact equality of its own spelling, 316 of 342 marks are right and 316 of 707 wrong parses are marked. By
meaning it is less: one pair differs in an empty part that says nothing, two in whether a word of the command is spelt
with a capital, and six of the 947 gold forms name words that their command has not, so they cannot be truth.
"""

import json
from functools import cache
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from annotation.datasets.forms import agent_agrees, dataset_rows
from annotation.datasets.forms_lines import as_read
from annotation.models import Task
from lib.logical_form.normal import same
from tests.support.pages import words_of
from tests.support.shared_data import DATA
from tests.support.tool_workers import make_parse_project

PATH = DATA / "droidlet_nlu_error_fixture.jsonl"
pytestmark = [pytest.mark.skipif(not PATH.exists(), reason="the shared data are not here"), pytest.mark.long]


@cache
def batch() -> list[dict[str, Any]]:
    return [row for line in PATH.read_text().splitlines() if "gold" in (row := json.loads(line))]


def weighed(differs: list[bool]) -> tuple[int, int, int]:
    """Marked and different, marked, different."""
    marked = [row["flagged_nlu"] for row in batch()]
    both = sum(mark and wrong for mark, wrong in zip(marked, differs, strict=True))
    return both, sum(marked), sum(differs)


def test_exact_equality_gives_the_known_figures() -> None:
    assert len(batch()) == 947
    assert weighed([row["gold"] != row["model"] for row in batch()]) == (316, 342, 707)


def test_by_meaning_an_empty_part_makes_no_difference() -> None:
    alike = [row for row in batch() if same(row["gold"], row["model"]) and row["gold"] != row["model"]]
    assert [row["text"] for row in alike] == ["copy"]
    assert weighed([not same(row["gold"], row["model"]) for row in batch()]) == (316, 342, 706)


def test_as_words_of_the_command_capitals_make_no_difference() -> None:
    read = [(row, as_read(row["gold"], row["text"])) for row in batch()]
    agrees = [bool(agent_agrees(row["text"], row["model"], [gold])) for row, gold in read]
    alike = [row["text"] for (row, _), one in zip(read, agrees, strict=True) if one and row["gold"] != row["model"]]
    assert sorted(alike) == ["copy", "tag the green block with an m", "tag the t box with an m"]
    assert weighed([not one for one in agrees]) == (314, 342, 704)


@pytest.mark.django_db
def test_the_batch_comes_in_as_truth_and_the_page_weighs_its_marks(pipe: APIClient, dora: Client) -> None:
    project = make_parse_project("p", given_to="experts")
    rows = [
        {"text": row["text"], "form": row["gold"], "agent_form": row["model"], "marked": row["flagged_nlu"]}
        for row in batch()
    ]
    body = {"lines": "\n".join(map(json.dumps, rows)), "skip_refused": True}
    answer = pipe.post("/api/v1/projects/p/forms/", body, format="json").json()
    refused = {one["line"] for one in answer["refused"]}
    assert len(refused) == 6
    assert answer["created"] == Task.objects.references().count() == 941
    assert pipe.post("/api/v1/projects/p/forms/", body, format="json").json()["unchanged"] == 941
    known = list(dataset_rows(project))
    marked = [row for row in known if row["marked"]]
    wrong = [row for row in known if row["agrees"] is False]
    both = sum(not row["agrees"] for row in marked)
    assert (both, len(marked), len(wrong)) == (313, 341, 698)
    page = words_of(dora, "/staff/projects/p/forms/")
    assert "of 341 parses marked as wrong 313 are. Recall: of 698 parses that are wrong 313 were marked." in page
    assert "91.8 % 88–94 %, n 341" in page
    assert "44.8 % 41–49 %, n 698" in page
