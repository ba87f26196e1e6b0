"""Every list page has orders, columns, files, saved views and acts on many rows; the cost of a page of it."""

import csv
import io
import json
import re
from html import unescape
from importlib.util import find_spec
from urllib.parse import urljoin

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.access.roles import Role
from annotation.models import Project, Task
from audit.models import AuditEvent
from tests.support.builders import (
    annotate,
    claim,
    client_of,
    make_project,
    make_qualification,
    make_staff,
    make_task,
    make_worker,
)
from tests.support.pages import cost_of, words_of
from web.models import SavedView
from web.staff.grid import listing

pytestmark = pytest.mark.django_db
TASKS = "/staff/projects/p/tasks/"


@pytest.fixture
def project() -> Project:
    return make_project("p", redundancy=1)


def tasks(project: Project, count: int) -> list[Task]:
    return [make_task(project) for _ in range(count)]


def keys(client: Client, query: str = "") -> list[str]:
    """The keys of the tasks on the page, in order."""
    html = client.get(f"{TASKS}?{query}").content.decode()
    return re.findall(r'/staff/tasks/\d+/">([^<]+)</a>', html)


def counted(client: Client, query: str = "") -> str:
    found = re.search(r'name="counted" value="([^"]*)"', client.get(f"{TASKS}?{query}").content.decode())
    assert found is not None
    return found[1]


def test_heads_sort_columns_are_chosen_and_pages_turn_both_ways(
    project: Project, dora: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "ROWS", 2)
    names = sorted(task.key for task in tasks(project, 5))
    html = dora.get(TASKS).content.decode()
    head = re.search(r'<a href="(\?[^"]*sort=task[^"]*)">', html)
    assert head is not None
    address = TASKS + unescape(head[1])
    seen = []
    while address:
        html = dora.get(address).content.decode()
        seen += re.findall(r'/staff/tasks/\d+/">([^<]+)</a>', html)
        found = re.search(r'rel="next" href="([^"]+)"', html)
        address = TASKS + unescape(found[1]) if found else ""
    assert seen == names
    back = re.search(r'rel="prev" href="([^"]+)"', html)
    assert back is not None
    assert keys(dora, unescape(back[1])[1:]) == names[2:4]
    assert 'data-label="Priority"' in html
    html = dora.get(f"{TASKS}?column=status&column=nonsense").content.decode()
    assert re.findall(r'<td data-label="([^"]*)"', html)[:2] == ["Task", "Status"], "a fixed column always stands"


def test_a_file_holds_exactly_what_is_listed(project: Project, dora: Client) -> None:
    known, _, _ = tasks(project, 3)
    annotate(claim(project, make_worker(), chance=lambda: 0.0))
    Task.objects.filter(pk=known.pk).update(key="=known")
    query = "status=open&sort=task&order=desc&column=status&column=newest"
    listed = keys(dora, query)
    assert len(listed) == 2
    rows = list(csv.reader(io.StringIO(dora.get(f"{TASKS}?{query}&download=csv").getvalue().decode())))
    assert rows[0] == ["task", "status", "newest"]
    assert [row[0].lstrip("'") for row in rows[1:]] == listed
    lines = [json.loads(line) for line in dora.get(f"{TASKS}?{query}&download=jsonl").getvalue().splitlines()]
    assert [line["task"] for line in lines] == listed
    assert [*lines[0]] == ["task", "status", "newest"]
    assert AuditEvent.objects.filter(verb="export.taken", subject="tasks").count() == 2
    assert dora.get(f"{TASKS}?download=xls").status_code == 404


def test_parquet_is_written_or_refused_in_words(project: Project, dora: Client) -> None:
    tasks(project, 2)
    if find_spec("pyarrow") is None:
        assert "parquet" in words_of(dora, f"{TASKS}?download=parquet", status=501)
    else:
        assert dora.get(f"{TASKS}?download=parquet").getvalue().startswith(b"PAR1")


def test_a_long_file_is_read_in_batches_and_misses_nothing(
    project: Project, dora: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "BATCH", 3)
    names = sorted(task.key for task in tasks(project, 7))
    lines = dora.get(f"{TASKS}?sort=task&column=status&download=jsonl").getvalue().splitlines()
    assert [json.loads(line)["task"] for line in lines] == names


def test_a_view_is_saved_for_its_account_alone(project: Project, dora: Client) -> None:
    form = {"page": TASKS, "query": "status=done&after=[0,3]&column=status", "name": " Settled  ones "}
    assert dora.post("/staff/views/save/", form)["Location"] == f"{TASKS}?status=done&column=status"
    dora.post("/staff/views/save/", {**form, "query": "status=open"})
    view = SavedView.objects.get()
    assert (view.name, view.query) == ("Settled ones", "status=open")
    assert "Settled ones" in words_of(dora, TASKS)
    other = client_of(make_staff("vic", Role.VIEWER))
    assert "Settled ones" not in words_of(other, TASKS)
    assert other.post(f"/staff/views/{view.pk}/remove/").status_code == 404
    for bad in ({"page": "/admin/"}, {"page": "https://elsewhere.example/staff/"}, {"name": ""}, {"query": "x" * 3000}):
        assert dora.post("/staff/views/save/", {**form, **bad}).status_code == 422
    dora.post(f"/staff/views/{view.pk}/remove/")
    assert not SavedView.objects.exists()


def test_an_act_on_what_is_ticked_says_what_was_done_and_what_was_not(project: Project, dora: Client) -> None:
    one, two, _ = tasks(project, 3)
    form = {"act": "close", "which": "ticked", "row": [one.pk, two.pk, 99999]}
    refused = dora.post(TASKS, form)
    assert refused.status_code == 422
    assert "Say why" in refused.content.decode()
    assert len(re.findall(r'name="row"[^>]* checked>', refused.content.decode())) == 2, "what was ticked is kept"
    dora.post(TASKS, {**form, "reason": "the video is dark"})
    assert set(Task.objects.filter(status="unjudgeable")) == {one, two}
    assert AuditEvent.objects.filter(verb="task.closed", reason="the video is dark").count() == 2
    answer = dora.post(TASKS, {**form, "reason": "again"}, follow=True)
    assert "2 were so already" in answer.content.decode()
    assert dora.post(TASKS, {**form, "row": []}).status_code == 422


def test_all_that_match_are_those_of_the_filter_on_every_page(
    project: Project, dora: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "ROWS", 2)
    many = tasks(project, 5)
    Task.objects.filter(pk=many[0].pk).update(key="other")
    query = "q=task"
    number = counted(dora, query)
    form = {"act": "close", "which": "all", "reason": "dark", "counted": number}
    late = make_task(project)
    assert dora.post(f"{TASKS}?{query}", form).status_code == 409, "one more matches now, and nobody saw it"
    assert not Task.objects.filter(status="unjudgeable").exists()
    late.delete()
    dora.post(f"{TASKS}?{query}", form)
    assert set(Task.objects.filter(status="unjudgeable")) == set(many[1:])


def test_only_reviewers_act_and_only_in_their_project(project: Project) -> None:
    (task,) = tasks(project, 1)
    viewer = client_of(make_staff("vic", Role.VIEWER, project))
    html = viewer.get(TASKS).content.decode()
    assert "grid-acts" not in html
    assert viewer.post(TASKS, {"act": "close", "row": task.pk, "reason": "x"}).status_code == 403
    elsewhere = make_task(make_project("q"))
    client_of(make_staff("rita", Role.REVIEWER, project)).post(
        TASKS, {"act": "close", "row": elsewhere.pk, "reason": "x"}
    )
    elsewhere.refresh_from_db()
    assert elsewhere.status == "open"


def test_a_page_far_down_costs_what_the_first_one_costs(project: Project, dora: Client) -> None:
    (made,) = tasks(project, 1)
    fields = {name: getattr(made, name) for name in ("payload", "digest", "wanted", "slots_left", "created_at")}
    Task.objects.bulk_create(
        Task(project=project, key=f"bulk-{number:06}", shuffle=0.5, **fields) for number in range(2_000)
    )
    last = Task.objects.get(key="bulk-001900")
    far = f'{TASKS}?sort=task&after=[0,"{last.key}"]'
    assert keys(dora, far.split("?")[1])[0] == "bulk-001901"
    assert cost_of(dora, far) == cost_of(dora, f"{TASKS}?sort=task&after=[0,%22bulk-000100%22]")
    with CaptureQueriesContext(connection) as queries:
        dora.get(far)
    (page,) = [one["sql"] for one in queries if "ORDER BY" in one["sql"] and "LIMIT 51" in one["sql"]]
    assert "OFFSET" not in page
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {page}")
            plan = "\n".join(str(row[-1]) for row in cursor.fetchall())
        assert "SEARCH annotation_task USING INDEX" in plan
        assert "AND key>?" in plan
        assert "TEMP B-TREE" not in plan


def test_the_account_of_a_deleted_user_leaves_no_views(project: Project, dora: Client) -> None:
    dora.post("/staff/views/save/", {"page": TASKS, "query": "", "name": "mine"})
    User.objects.get(username="dora").delete()
    assert not SavedView.objects.exists()


@pytest.mark.parametrize(
    ("page", "form", "fields"),
    [
        ("approvals/p/", "decide/", {"act": "dance"}),
        ("projects/p/references/", "import/", {}),
        ("qualifications/quiz/grants/", "../give/", {"worker": "nobody"}),
        ("people/", "add/", {"username": ""}),
        ("reports/", "act/", {"act": "dance"}),
    ],
)
def test_a_list_that_a_refused_form_draws_leads_back_to_its_own_page(
    page: str, form: str, fields: dict[str, str], project: Project, dora: Client
) -> None:
    make_task(project)
    annotate(claim(project, make_worker()))
    make_qualification("quiz")
    own, posted = f"/staff/{page}", urljoin(f"/staff/{page}", form)
    refused = dora.post(f"{posted}?q=x", fields)
    assert refused.status_code == 422
    html = refused.content.decode()
    assert not re.search(r'(?:href|action)="\?', html)
    assert f'name="page" value="{own}"' in html
    assert f'href="{own}?q=x&amp;download=csv"' in html
    assert len(re.findall(rf'method="get" action="{own}"', html)) == 2
