"""The funnel of paper 004, Table 1, counted from commands that are there."""

import json
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from commands.models import Command
from commands.true_forms import learn
from interaction.reports.funnel import Funnel, LeftOut, by_day, by_version, by_worker, funnel_of, left_out, said_again
from tests.support.builders import make_agent
from tests.support.commands import BUILD, DIG, make_past, past, pointers, post
from tests.support.sessions import both, judged, make_live_project
from tests.support.shared_data import DATA

FUNNEL = "/api/v1/funnel/"
ROWS = (
    "all_commands",
    "valid_commands",
    "marked_agent_errors",
    "marked_nlu_errors",
    "marked_nlu_errors_annotated",
    "marked_true_nlu_errors",
    "known_nlu_errors",
    "precision",
    "recall",
)
REAL = DATA / "droidlet_nlu_error_fixture.jsonl"


def funnel(pipe: APIClient, query: str = "") -> list[Any]:
    """The nine fields in their order."""
    response = pipe.get(f"{FUNNEL}{query}")
    assert response.status_code == 200, response.content
    assert set(response.json()) == set(ROWS)
    return [response.json()[name] for name in ROWS]


@pytest.fixture
def sample(pipe: APIClient, db: None) -> None:
    """Ten commands, of which each kind is there: misread or not, marked or not, known or not, valid or not."""
    make_agent("droid")
    make_agent("other")
    make_past()
    wrong, right = {"parse": BUILD, "form": DIG}, {"parse": DIG, "form": DIG}
    post(
        pipe,
        past("true-1", "dig a hole", outcome="nlu_error", worker="p:1", at="2022-03-01T10:00:00Z", **wrong),
        past("true-2", "Dig a hole!", outcome="nlu_error", worker="p:2", at="2022-03-01T23:59:59Z", **wrong),
        past("false", "dig", outcome="nlu_error", worker="p:2", at="2022-03-02T00:00:00Z", **right),
        past("waits", "dig it", outcome="nlu_error", parse=BUILD, at="2022-03-03T00:00:00Z"),
        past("missed", "dig a hole", outcome="ok", agent="other", worker="p:1", **wrong),
        past("unjudged", "dig here", agent="other", **wrong),
        past("task", "dig a hole", outcome="task_error", **wrong),
        past("beyond", "sing a song", outcome="capability_error"),
        past("beyond-2", "sing a song", outcome="capability_error"),
        past("empty", " ?! ", outcome="ok"),
    )


def test_each_row_counts_its_commands(pipe: APIClient, sample: None) -> None:
    # Distinct words: dig a hole, dig, dig it, dig here. Marked: 4 of understanding, 1 task, 2 capability.
    assert funnel(pipe) == [10, 4, 7, 4, 3, 2, 5, 2 / 3, 2 / 5]


@pytest.mark.parametrize(
    ("query", "counts"),
    [
        ("?project=past", [10, 4, 7, 4, 3, 2, 5]),
        ("?project=quiet", [0, 0, 0, 0, 0, 0, 0, None, None]),
        ("?agent=other", [2, 2, 0, 0, 0, 0, 2]),
        ("?until=2022-03-02T00:00:00Z", [2, 1, 2, 2, 2, 2, 2]),
        ("?since=2022-03-01T23:59:59Z&until=2022-03-03T00:00:00Z", [2, 2, 2, 2, 2, 1, 1]),
        ("?since=2022-03-02T01:00:00%2B01:00&until=2022-03-02T00:00:01Z", [1, 1, 1, 1, 1, 0, 0]),
        ("?since=2022-03-03T00:00:00Z&until=2022-03-03T00:00:00Z", [0] * 7),
    ],
)
def test_it_can_be_narrowed(query: str, counts: list[int], pipe: APIClient, sample: None) -> None:
    make_past("quiet")
    assert funnel(pipe, query)[: len(counts)] == counts


@pytest.mark.parametrize(
    ("query", "status", "pointer"),
    [
        ("?since=yesterday", 422, "#/since"),
        ("?since=2022-03-01", 422, "#/since"),
        ("?until=2022-03-01T00:00:00", 422, "#/until"),
        ("?since=2022-03-02T00:00:00Z&until=2022-03-01T00:00:00Z", 422, "#/until"),
        ("?project=nowhere", 404, ""),
        ("?agent=nobody", 404, ""),
    ],
)
def test_a_bad_filter_is_refused(query: str, status: int, pointer: str, pipe: APIClient, db: None) -> None:
    response = pipe.get(f"{FUNNEL}{query}")
    assert response.status_code == status
    assert pointers(response.json()) == ([pointer] if pointer else [])


def test_it_is_live(pipe: APIClient, sample: None) -> None:
    learn(Command.objects.get(public_id="waits").pk, DIG)
    assert funnel(pipe)[4:] == [4, 3, 6, 3 / 4, 3 / 6]
    worker, agent = both(make_live_project("living"))
    judged(worker, agent, text="dance")
    assert funnel(pipe)[:3] == [11, 5, 7]
    assert funnel(pipe, "?project=living") == [1, 1, 0, 0, 0, 0, 0, None, None]


def test_it_costs_the_same_for_2_commands_and_6(
    pipe: APIClient, db: None, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_past()
    for number, rows in enumerate([2, 6]):
        post(pipe, *(past(f"c-{number}-{row}", parse=BUILD, form=DIG) for row in range(rows)))
        with django_assert_num_queries(1):
            funnel_of(Command.objects.all())


# The parts ---------------------------------------------------------------------------------------------------------


def test_each_day_is_counted_in_utc(pipe: APIClient, sample: None) -> None:
    days = by_day(Command.objects.filter(at__year=2022), newest=9)
    assert [(day.isoformat(), found.all_commands, found.known_nlu_errors) for day, found in days] == [
        ("2022-03-01", 2, 2),
        ("2022-03-02", 1, 0),
        ("2022-03-03", 1, 0),
    ]
    newest = by_day(Command.objects.filter(at__year=2022), newest=2)
    assert [day.isoformat() for day, _ in newest] == ["2022-03-02", "2022-03-03"]


def test_each_worker_is_counted(pipe: APIClient, sample: None) -> None:
    workers = by_worker(Command.objects.all(), most=9)
    assert [(found.marked_true_nlu_errors, found.precision, found.recall) for _, found in workers] == [
        (1, 1.0, 0.5),
        (1, 0.5, 1.0),
    ]
    assert len(by_worker(Command.objects.all(), most=1)) == 1


def test_each_version_of_an_agent_is_counted(pipe: APIClient, sample: None) -> None:
    Command.objects.filter(public_id="missed").update(form_version="nsp-7")
    found = [(str(version), part.all_commands) for version, part in by_version(Command.objects.all(), most=9)]
    assert found == [("agent not known", 8), ("other", 1), ("other nsp-7", 1)]


def test_repeated_commands_are_listed(pipe: APIClient, sample: None) -> None:
    first, second = said_again(Command.objects.all(), newest=100, most=9)
    assert first == ("dig a hole", 4, 2, 1, 2, 1)
    assert (first.unjudged, second.text, second.times, second.other_errors) == (0, "sing a song", 2, 2)
    assert said_again(Command.objects.all(), newest=3, most=9) == [("sing a song", 2, 0, 0, 0, 2)]
    assert len(said_again(Command.objects.all(), newest=100, most=1)) == 1


def test_the_commands_left_out_add_up(pipe: APIClient, sample: None) -> None:
    rows = Command.objects.all()
    whole = funnel_of(rows)
    assert left_out(rows, whole) == LeftOut({"no_words": 1}, beyond=2, repeated=3)
    assert whole.all_commands - 1 - 2 - 3 == whole.valid_commands


def test_words_that_were_erased_are_no_wording(pipe: APIClient, sample: None) -> None:
    Command.objects.filter(public_id__in=["false", "waits", "beyond"]).update(text="[removed]", plain_text="")
    rows = Command.objects.all()
    whole = funnel_of(rows)
    assert (whole.all_commands, whole.valid_commands, whole.marked_nlu_errors) == (10, 2, 4)
    assert left_out(rows, whole) == LeftOut({"no_words": 1}, erased=3, beyond=1, repeated=3)


def test_the_paper_has_the_rates_that_it_tells() -> None:
    paper = Funnel(22_685, 18_163, 7_461, 2_559, 2_403, 2_138, 4_944)
    assert (round(paper.precision or 0, 2), round(paper.recall or 0, 2)) == (0.89, 0.43)


# A real batch ------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not REAL.exists(), reason="the real batch is not on this machine")
def test_the_real_batch_has_the_rates_that_were_measured_of_it(pipe: APIClient, db: None) -> None:
    """Acceptance: precision 0.924 (316 of 342) and recall 0.447 (316 of 707)."""
    make_past()
    rows = [row for line in REAL.read_text().splitlines() if "text" in (row := json.loads(line))]
    bodies = [
        past(
            f"hitl-{number}",
            row["text"],
            parse=row["model"],
            form=row.get("gold"),
            outcome="nlu_error" if row["flagged_nlu"] else "ok",
        )
        for number, row in enumerate(rows)
    ]
    for start in range(0, len(bodies), 1000):
        post(pipe, *bodies[start : start + 1000])
    counts = funnel(pipe)
    assert counts[0] == 1390
    assert counts[2:7] == [346, 346, 342, 316, 707]
    assert [round(rate, 3) for rate in counts[7:]] == [0.924, 0.447]


def test_posted_forms_are_compared_as_json_unless_their_normal_forms_are_asked_for(pipe: APIClient) -> None:
    make_past()
    other_spelling = {**DIG, "text_span": {}}
    post(pipe, past("c-1", parse=other_spelling, form=DIG, outcome="nlu_error"), past("c-2", parse=BUILD, form=DIG))
    assert funnel(pipe)[-4:-2] == funnel(pipe, "?compare=json")[-4:-2] == [1, 2]
    assert funnel(pipe, "?compare=normal")[-4:-2] == [0, 1]
    assert pipe.get(f"{FUNNEL}?compare=words").status_code == 422
