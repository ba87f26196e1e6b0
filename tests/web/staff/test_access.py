"""Access to the staff pages: every address, every kind of account.

Each account asks for everything in `access_table.py` once; the other tests read what it got.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from html import escape, unescape
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, resolve

from annotation.access.members import give_role
from annotation.access.roles import pseudonym_of
from annotation.models import Project
from routing import tree_versions
from tests.support.builders import NOON, annotate, claim, make_enrolment, make_task, make_worker
from tests.support.pages import compact, words_of
from tests.support.sign_in import keeps_to_the_policy
from tests.web.staff.access_table import FORM_TYPE, METHODS, TABLE, WHO, anywhere
from tests.web.staff.conftest import EVIL, NAME, VIEWER, World
from workforce.models import Worker


class Answer(NamedTuple):
    """The response to an account: the status, the page (after a form, the one that it led to), and what was written."""

    status: int
    page: HttpResponse
    writes: Sequence[str]

    @property
    def html(self) -> str:
        return self.page.content.decode(errors="replace")


def answers_to(world: World, who: str) -> Mapping[tuple[str, str], Answer]:
    """By method and path. Costs: one request each, the first time that a test of this module asks for this account."""
    if who not in world.kept:
        world.kept[who] = {(method, path): _ask(world, who, method, path) for path in TABLE for method in METHODS}
    answers: Mapping[tuple[str, str], Answer] = world.kept[who]
    return answers


def body(world: World, path: str) -> dict[str, str]:
    return {name: value.format(**world.names) for name, value in TABLE[path].body.items()}


def pages_for(world: World, who: str) -> dict[str, str]:
    """Everything that the account can get to see: every page, and what each act that it may do leads to."""
    return {
        f"{method} {path}": answer.html
        for (method, path), answer in answers_to(world, who).items()
        if answer.status == 200 or (method, answer.status) == ("post", 302)
    }


def _ask(world: World, who: str, method: str, path: str) -> Answer:
    with world.undone(who) as client, writes() as made:
        if method == "get":
            given = client.get(world.at(path))
        else:
            # A stranger is led to the sign-in page.
            given = client.post(world.at(path), body(world, path), follow=who != "stranger")
    first = [status for _, status in getattr(given, "redirect_chain", ())]
    page = HttpResponse(given.getvalue(), status=given.status_code, headers=dict(given.headers))
    return Answer([*first, given.status_code][0], page, made)


@contextmanager
def writes() -> Iterator[list[str]]:
    """The statements that change rows, but for those of sessions."""
    made: list[str] = []

    def note(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if sql.startswith(("INSERT", "UPDATE", "DELETE")) and "django_session" not in sql:
            made.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        yield made


# Every address, every account --------------------------------------------------------------------------------------


@cache
def staff_routes() -> frozenset[str]:
    """Every address below `/staff/`, as the resolver has it."""
    return frozenset(_routes(get_resolver().url_patterns))


def _routes(patterns: list[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, route)
        elif route.startswith("staff/"):
            yield route


def test_every_staff_address_is_in_the_table(world: World) -> None:
    covered = {resolve(world.at(path)).route for path in TABLE}
    assert sorted(staff_routes() - covered) == []


@pytest.mark.parametrize("who", WHO)
def test_each_account_gets_what_the_table_says(who: str, world: World) -> None:
    wrong = {}
    for (method, path), answer in answers_to(world, who).items():
        expected = (TABLE[path].get if method == "get" else TABLE[path].post)[WHO.index(who)]
        if answer.status != expected:
            wrong[f"{method} {path}"] = f"{answer.status}, not {expected}"
    assert wrong == {}


@pytest.mark.parametrize("who", WHO)
def test_a_refused_request_writes_nothing(who: str, world: World) -> None:
    refused = {key: answer for key, answer in answers_to(world, who).items() if answer.status in {403, 404, 405}}
    assert {key: answer.writes for key, answer in refused.items() if answer.writes} == {}


def test_a_stranger_signs_in_and_comes_back_to_the_page(world: World) -> None:
    for (method, path), answer in answers_to(world, "stranger").items():
        if answer.status == 302 and method == "get" and "sign-in" not in path:
            assert answer.page["Location"] == f"/staff/sign-in/?next={world.at(path)}"


def test_what_is_not_there_is_404_wherever_it_is_named(world: World) -> None:
    wrong = {}
    for path, row in TABLE.items():
        for name in re.findall(r"{(\w+)}", path):
            address = world.at(path, **{name: "99999"})
            for method, table in (("get", row.get), ("post", row.post)):
                if table[-1] != 405:
                    with world.undone("chief") as client:
                        status = client.generic(method.upper(), address, urlencode(body(world, path)), FORM_TYPE)
                    if status.status_code != 404:
                        wrong[f"{method} {address}"] = status.status_code
    assert wrong == {}


def test_a_forged_form_is_refused_everywhere(world: World) -> None:
    forged = Client(enforce_csrf_checks=True)
    forged.cookies = world.clients["chief"].cookies
    with world.undone("chief"):
        taken = [path for path in TABLE if forged.post(world.at(path), body(world, path)).status_code != 403]
    assert taken == []


def test_every_page_opens_on_an_empty_database(dora: Client) -> None:
    """Empty but for what `prepare` makes: the first tree."""
    tree_versions.make_first(at=NOON)
    for path, row in TABLE.items():
        if "{" not in path and "sign-in" not in path and "account" not in path:
            assert dora.get(path).status_code == row.get[-1], path


def test_every_page_keeps_to_the_strict_policy(world: World) -> None:
    pages = [answer.page for answer in answers_to(world, "chief").values() if answer.status == 200]
    for page in pages:
        policy = page.get("Content-Security-Policy", "")
        if "style-src 'unsafe-inline'" in policy:
            # A report stands by itself: it has its own style, and nothing may run or load.
            assert "default-src 'none'" in policy
            assert "nonce-" not in policy
        elif page.content.lstrip().startswith(b"<!DOCTYPE html"):
            keeps_to_the_policy(page)


def test_what_people_write_is_text_on_every_page(world: World) -> None:
    shown = {}
    for (method, path), answer in answers_to(world, "chief").items():
        if (method, answer.status) == ("get", 200) and "html" in answer.page["Content-Type"]:
            shown[path] = escape(EVIL) in answer.html
            assert "<script>alert" not in answer.html, path
            assert "</script></textarea>" not in answer.html, path
    assert sum(shown.values()) > 20, shown


def test_every_plot_is_to_be_had_as_a_file(world: World) -> None:
    plots = set()
    for (method, path), answer in answers_to(world, "chief").items():
        if (method, answer.status) == ("get", 200) and "html" in answer.page["Content-Type"]:
            plots |= {(world.at(path), query) for query in re.findall(r'href="(\?[^"]*plot=[^"]*)"', answer.html)}
    assert len(plots) > 20
    for address, query in plots:
        file = world.clients["chief"].get(f"{address}{unescape(query)}")
        assert file.status_code == 200, (address, query)
        assert file.content.lstrip().startswith(b"<svg") == ("as=svg" in query), (address, query)
        assert ("csv" in file["Content-Type"]) == ("as=csv" in query), (address, query)
    for address in {address for address, _ in plots}:
        assert world.clients["chief"].get(f"{address}?plot=weather&as=csv").status_code == 404, address


def test_every_file_of_rows_that_staff_take_is_in_the_audit_log(world: World) -> None:
    taken = {
        path: any('INTO "audit_auditevent"' in written for written in answer.writes)
        for (_, path), answer in answers_to(world, "chief").items()
        if "attachment" in answer.page.get("Content-Disposition", "")
    }
    assert len(taken) > 8
    assert all(taken.values()), taken


# Who a worker is ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["newcomer", "outsider", "viewer", "reviewer"])
def test_only_admins_read_who_a_worker_is(who: str, world: World) -> None:
    pages = pages_for(world, who)
    assert len(pages) > (5 if who == "newcomer" else 15)
    assert [path for path, page in pages.items() if NAME in page] == []


@pytest.mark.parametrize("who", ["admin", "chief"])
def test_no_page_tells_a_name_and_a_pseudonym_of_one_worker(who: str, world: World) -> None:
    pages = pages_for(world, who)
    named = {path for path, page in pages.items() if NAME in page}
    shown = ("workers/", "workers/{worker}/", "projects/{slug}/", "episodes/{episode}/")
    assert {f"get /staff/{path}" for path in shown} <= named
    # What is stored about a worker is told to that worker: all of it.
    pages.pop("get /staff/workers/{worker}/privacy/data/", "")
    for path, page in pages.items():
        both = [worker for worker in world.workers if pseudonym_of(worker) in page and worker.external_id in page]
        assert both == [], path


def test_a_reviewer_reads_pseudonyms_in_lists_titles_and_plots(world: World) -> None:
    first, pages = world.workers[0], pages_for(world, "reviewer")
    for path in ("/staff/projects/{slug}/", "/staff/workers/", "/staff/episodes/{episode}/"):
        assert pseudonym_of(first) in pages[f"get {path}"], path
    page = compact(pages["get /staff/workers/{worker}/"])
    assert f"<title>{pseudonym_of(first)} · Crosswalk</title>" in page
    assert first.pseudonym not in page


def test_a_worker_is_found_by_name_only_by_whoever_knows_it(world: World) -> None:
    link = f"/staff/workers/{world.workers[0].pk}/"

    def finds(who: str, words: str) -> bool:
        return link in world.clients[who].get("/staff/workers/", {"q": words}).content.decode()

    assert [finds(who, f"{NAME}-0") for who in ("reviewer", "admin")] == [False, True]
    assert all(finds(who, pseudonym_of(world.workers[0])) for who in ("viewer", "reviewer", "admin", "chief"))


def test_the_order_of_the_list_tells_no_names(world: World) -> None:
    page = compact(world.clients["reviewer"].get("/staff/workers/?sort=name").content.decode())
    shown = re.findall(r'<td[^>]*><a href="/staff/workers/\d+/">([\w-]+)</a>', page)
    assert shown == [pseudonym_of(worker) for worker in Worker.objects.order_by("pseudonym")]


def test_an_admin_of_one_project_does_not_know_the_workers_of_another(world: World) -> None:
    stranger = make_worker(f"{NAME}-elsewhere")
    elsewhere = Project.objects.get(slug="elsewhere")
    make_enrolment(elsewhere, stranger)
    give_role(account=User.objects.get(username="adam"), project=elsewhere, role=VIEWER, by="staff:dora", at=NOON)
    page = words_of(world.clients["admin"], "/staff/workers/")
    assert f"direct:{NAME}-0" in page
    assert f"{NAME}-elsewhere" not in page
    assert pseudonym_of(stranger) in page


# What belongs to other projects ---------------------------------------------------------------------------------


def test_an_outsider_sees_nothing_of_the_project(world: World) -> None:
    pages = pages_for(world, "outsider")
    assert len(pages) > 10
    hidden = ["/staff/projects/marking/", *(f"/staff/workers/{worker.pk}/" for worker in world.workers)]
    for path, page in pages.items():
        assert [address for address in hidden if address in page] == [], path


def test_a_workers_page_shows_only_what_they_did_in_projects_of_the_account(world: World) -> None:
    worker = world.workers[0]
    elsewhere = Project.objects.get(slug="elsewhere")
    task = make_task(elsewhere)
    annotate(claim(elsewhere, worker))
    pages = {
        who: words_of(world.clients[who], f"/staff/workers/{worker.pk}/") for who in ("outsider", "viewer", "chief")
    }
    assert (task.key in pages["outsider"], task.key in pages["viewer"]) == (True, False)
    assert ("Ledger" in pages["viewer"], "Ledger" in pages["chief"]) == (False, True)


def test_the_ranking_is_of_a_project_that_the_account_sees(world: World) -> None:
    for who, status in (("viewer", 200), ("outsider", 422)):
        assert world.clients[who].get("/staff/suites/sts/?project=marking").status_code == status


# What the pages offer -------------------------------------------------------------------------------------------

FORM = re.compile(r'<form[^>]*method="post"[^>]*action="([^"]+)"')
LINK = re.compile(r'<a [^>]*href="(/(?:staff|admin)/[^"#]*)')
RAIL = re.compile(r'<nav class="rail".*?</nav>', re.DOTALL)


@pytest.mark.parametrize(
    ("who", "lacks"),
    [
        ("viewer", ["people", "jobs"]),
        ("reviewer", ["people", "jobs"]),
        ("admin", ["jobs"]),
        ("chief", []),
    ],
)
def test_the_rail_shows_what_the_account_may_open(who: str, lacks: list[str], world: World) -> None:
    rail = RAIL.search(answers_to(world, who)["get", "/staff/"].html)
    assert rail is not None
    shown = re.findall(r'href="/staff/(\w+)/', rail[0])
    assert [page for page in ("projects", "workers", "people", "jobs") if page not in shown] == lacks


@pytest.mark.parametrize(
    "who", ["viewer", *(pytest.param(who, marks=pytest.mark.long) for who in ("reviewer", "admin", "chief"))]
)
def test_no_page_offers_what_would_be_refused(who: str, world: World) -> None:
    """Every form that posts and every link within the staff pages leads where the account may go."""
    offered: dict[tuple[str, str], str] = {}
    answers = answers_to(world, who)
    for (method, path), answer in answers.items():
        if (method, answer.status) == ("get", 200):
            offered |= {("post", unescape(address)): path for address in FORM.findall(answer.html)}
            offered |= {("get", unescape(address)): path for address in LINK.findall(answer.html)}
    assert len(offered) > 30
    known = {("get", world.at(path)): answer.status for (method, path), answer in answers.items() if method == "get"}
    # What belongs to no project is open to all: one row of it is enough.
    open_to_all = {resolve(world.at(path)).route for path, row in TABLE.items() if row.get == anywhere(VIEWER, 200)}
    refused = {}
    for (method, address), path in offered.items():
        status = known.get((method, address))
        if status is None and (resolve(urlsplit(address).path).route not in open_to_all or "?" in address):
            with world.undone(who) as client:
                status = getattr(client, method)(address).status_code
        if status in {403, 404}:
            refused[f"{method} {address}"] = f"{status}, offered at {path}"
    assert refused == {}
