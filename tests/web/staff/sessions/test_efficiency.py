"""The page that holds arms, instructions and pays against each other."""

import csv
import io
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from annotation.access.roles import Role
from annotation.models import Project
from annotation.offer.experiments import arm_for
from tests.support.builders import NOON, client_of, make_enrolment, make_staff, make_worker
from tests.support.pages import assert_flat, words_of
from tests.support.sessions import make_live_project, past_session

pytestmark = pytest.mark.django_db

PAGE = "/staff/efficiency/"
NLU = "nlu_error"
ARM: dict[str, Any] = {"share": 1, "instructions": None, "pay": None, "settings": {}}


@pytest.fixture
def project() -> Project:
    made = make_live_project("live")
    made.experiment = {"name": "x", "arms": [{**ARM, "name": "paper"}, {**ARM, "name": "new", "share": 3}]}
    made.save()
    return made


def crowd(project: Project, arm: str, marked: list[int]) -> None:
    for n in marked:
        past_session(
            project, make_worker(), [NLU] * n + ["ok"] * 4, misread=range(n), arm=arm, score=min(2.0 * n, 10.0)
        )


def rows_of(client: Client, query: str) -> list[dict[str, str]]:
    answer = client.get(f"{PAGE}?{query}&as=csv")
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/csv; charset=utf-8")
    return list(csv.DictReader(io.StringIO(answer.content.decode())))


def test_arms_are_held_against_the_first(dora: Client, project: Project) -> None:
    crowd(project, "x/paper", [1, 1, 2, 0, 1, 1])
    crowd(project, "x/new", [3, 3, 2, 4, 3, 3])
    page = words_of(dora, PAGE)
    assert "x/new , held against x/paper: 3.0 times as many errors per USD, between" in page
    assert "x/paper 6 6 30 6 6 3.00 0.6 x/new 6 6 42 18 18 3.00 0.6" in page
    assert re.search(r"x/paper 2.00 [\d.]+ to [\d.]+ 1.00 10.00", page)
    assert "12 sessions that were started and have ended." in page
    assert "12 are not decided on yet" in page


def test_the_experiment_tells_its_shares_and_who_was_drawn(dora: Client, project: Project) -> None:
    arm_for(make_enrolment(project), at=NOON, chance=lambda: 0.9)
    page = words_of(dora, PAGE)
    assert "paper takes 25 % of all workers and has 0 ; new takes 75 % of all workers and has 1 ." in page


def test_the_table_can_be_taken_along(dora: Client, project: Project) -> None:
    crowd(project, "x/paper", [1, 1, 2, 0, 1, 1])
    crowd(project, "x/new", [3, 3, 2, 4, 3, 3])
    rows = rows_of(dora, "plot=efficiency")
    assert [(row["group"], row["sessions"], row["errors_marked"], row["cost"], row["currency"]) for row in rows] == [
        ("x/paper", "6", "6", "3.0000", "USD"),
        ("x/new", "6", "18", "3.0000", "USD"),
    ]
    assert float(rows[1]["times_per_money"]) == pytest.approx(3.0)
    assert 1 < float(rows[1]["times_per_money_low"]) < 3 < float(rows[1]["times_per_money_high"])
    assert rows[0]["times_per_money_low"] == ""
    assert dora.get(f"{PAGE}?plot=efficiency&as=svg").content.count(b"plot-whisker") > 1
    assert dora.get(f"{PAGE}?plot=weather&as=csv").status_code == 404


def test_the_plot_names_arms_whole_without_what_all_begin_with(dora: Client, project: Project) -> None:
    for arm in ("reading/what-it-did-first", "reading/what-it-read-first"):
        crowd(project, arm, [1, 1])
    picture = dora.get(f"{PAGE}?plot=efficiency&as=svg").content.decode()
    assert ">what-it-did-first<" in picture
    assert ">what-it-read-first<" in picture
    assert ">0<" in picture, "where the axis begins"


def test_commands_and_scores_stand_arm_by_arm_with_their_targets(dora: Client, project: Project) -> None:
    crowd(project, "x/paper", [0, 1, 30])
    crowd(project, "x/new", [4])
    page = words_of(dora, PAGE)
    assert "Commands of a session: x/paper" in page
    assert "3 sessions, of which 2 (67 %) had 5 commands or more." in page
    assert "Score of a session: x/new" in page
    assert "1 session, of which 1 (100 %) had 6.5 points or more." in page
    assert "target 5" in page
    counts = {row["commands"]: row["sessions"] for row in rows_of(dora, "plot=commands-1")}
    assert {name: n for name, n in counts.items() if n != "0"} == {"4": "1", "5": "1", "16+": "1"}
    scores = [(row["from"], row["sessions"]) for row in rows_of(dora, "plot=scores-2") if row["sessions"] != "0"]
    assert scores == [("8.0", "1")]


def test_plots_may_stand_before_and_after_a_day(dora: Client, project: Project) -> None:
    for days, outcomes in ((0, ["ok"]), (1, ["ok"] * 5), (2, ["ok"] * 6)):
        past_session(project, make_worker(), outcomes, at=NOON + timedelta(days=days))
    page = words_of(dora, f"{PAGE}?split=2026-11-22")
    assert "Commands of a session: before 2026-11-22" in page
    assert "1 session, of which 0 (0 %) had 5 commands or more." in page
    assert "Commands of a session: from 2026-11-22 on" in page
    assert "2 sessions, of which 2 (100 %) had 5 commands or more." in page


def test_days_and_outcomes_narrow_what_is_counted(dora: Client, project: Project) -> None:
    past_session(project, make_worker(), [NLU, "task_error"], at=NOON)
    past_session(project, make_worker(), ["task_error"], at=NOON + timedelta(days=1))

    def marked(query: str) -> list[tuple[str, str]]:
        return [(row["group"], row["errors_marked"]) for row in rows_of(dora, f"plot=efficiency&by=day&{query}")]

    assert marked("") == [("2026-11-21", "1"), ("2026-11-22", "0")]
    assert marked("outcome=any") == [("2026-11-21", "2"), ("2026-11-22", "1")]
    assert marked("outcome=task_error&since=2026-11-22") == [("2026-11-22", "1")]
    assert marked("outcome=task_error&until=2026-11-21") == [("2026-11-21", "1")]
    assert marked("outcome=nonsense&since=nonsense&until=9999-12-31") == marked("")
    assert "No session that began on these days has ended." in words_of(dora, f"{PAGE}?since=2027-01-01")


def test_only_projects_of_the_account_can_be_looked_at(project: Project) -> None:
    crowd(project, "x/paper", [1])
    other = make_live_project("other")
    viewer = client_of(make_staff("vera", Role.VIEWER, other))
    assert "x/paper" not in words_of(viewer, PAGE)
    assert viewer.get(f"{PAGE}?project=live").status_code == 404
    assert viewer.get(f"{PAGE}?project=none").status_code == 404
    inside = client_of(make_staff("ines", Role.VIEWER, project))
    assert "x/paper 1 1" in words_of(inside, f"{PAGE}?project=live")


def test_a_page_costs_the_same_for_2_sessions_and_6(dora: Client, project: Project) -> None:
    assert_flat(dora, PAGE, lambda: past_session(project, make_worker(), [NLU, "ok"], arm="x/new"))
