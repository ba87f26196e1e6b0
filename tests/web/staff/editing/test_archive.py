"""A staff page says what follows before something is archived, and puts it back."""

import pytest
from django.test import Client

from annotation.models import Project
from tests.support.builders import annotate, claim, make_episode, make_project, make_scenario, make_suite, make_worker
from tests.support.pages import text_of, words_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _world() -> None:
    suite = make_suite("s")
    project = make_project("p", suite=suite, title="Lids")
    scenario = make_scenario(suite)
    for name in ("judged", "open"):
        make_episode(scenario=scenario, external_id=name)
        if name == "judged":
            annotate(claim(project, make_worker("alice")))
    claim(project, make_worker("bob"))


SAID = [
    (
        "projects/p/",
        "It is live: it will be paused, and stay paused when it is put back. "
        "1 person holds a task and can still hand it in. It has 1 answer, so it is never deleted.",
    ),
    ("suites/s/", "It has 2 episodes, so it is never deleted."),
    ("episodes/judged/", "It has 1 answer, so it is never deleted."),
    ("episodes/open/", "1 open task of it will be taken back. Somebody was given it to judge, so it is never deleted."),
]


@pytest.mark.parametrize(("path", "said"), SAID, ids=[path for path, _ in SAID])
def test_the_page_says_what_follows_then_archives_and_puts_back(path: str, said: str, dora: Client) -> None:
    if path.startswith("suites"):
        Project.objects.update(status="closed")
    page = f"/staff/{path}"
    assert "Archive…" in words_of(dora, page)
    assert said in words_of(dora, f"{page}archive/")
    assert dora.post(f"{page}archive/", follow=True).status_code == 200
    archived = words_of(dora, page)
    assert "is hidden from lists and offered to nobody" in archived
    assert "Archive…" not in archived
    assert "is in the lists again" in text_of(dora.post(f"{page}restore/", follow=True).content.decode())
    assert "hidden from lists" not in words_of(dora, page)


def test_an_archived_thing_is_not_in_the_lists(dora: Client) -> None:
    for path, name in (("episodes/open/", "open"), ("projects/p/", "Lids"), ("suites/s/", "s")):
        dora.post(f"/staff/{path}archive/")
        kind = path.partition("/")[0]
        assert f"/staff/{path}" not in dora.get(f"/staff/{kind}/").content.decode(), name
    shown = dora.get("/staff/archived/").content.decode()
    assert all(f'href="/staff/{path}"' in shown for path in ("episodes/open/", "projects/p/", "suites/s/"))
