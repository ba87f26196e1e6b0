"""Who sees the staff pages that show episodes, suites, agents and background work."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.builders import make_episode, make_project
from tests.support.pages import words_of

PAGES = [
    "/staff/",
    "/staff/suites/",
    "/staff/suites/sts/",
    "/staff/suites/sts/ranking.csv",
    "/staff/agents/",
    "/staff/agents/walker/",
    "/staff/episodes/",
    "/staff/episodes/first/",
    "/staff/tasks/1/",
    "/staff/jobs/",
]
ACTIONS = ["/staff/tasks/1/close/", "/staff/tasks/1/reopen/", "/staff/jobs/1/retry/"]


@pytest.mark.parametrize("address", PAGES)
def test_strangers_sign_in_first(address: str, db: None) -> None:
    assert Client().get(address)["Location"] == f"/staff/sign-in/?next={address}"


@pytest.mark.parametrize("address", PAGES)
def test_accounts_that_are_not_staff_are_refused(address: str, db: None) -> None:
    client = Client()
    client.force_login(User.objects.create_user("eve"))
    assert "not a staff account" in words_of(client, address, status=403)


@pytest.mark.parametrize("address", ACTIONS)
def test_actions_need_a_post_of_staff(address: str, dora: Client) -> None:
    eve = Client()
    eve.force_login(User.objects.create_user("eve"))
    assert dora.get(address).status_code == 405
    assert eve.post(address).status_code == 403
    assert Client().post(address).status_code == 302
    assert dora.post(address).status_code == 404


@pytest.mark.parametrize(
    "address", ["/staff/suites/none/", "/staff/agents/none/", "/staff/episodes/none/", "/staff/tasks/99/"]
)
def test_what_is_not_there_is_404(address: str, dora: Client) -> None:
    assert "Not found" in words_of(dora, address, status=404)


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("/staff/", "Nothing runs. A project offers work"),
        ("/staff/suites/", "curl -X PUT http://testserver/api/v1/suites/my-suite/"),
        ("/staff/agents/", "curl -X PUT http://testserver/api/v1/agents/my-agent/"),
        ("/staff/episodes/", "curl -X POST http://testserver/api/v1/episodes/"),
        ("/staff/jobs/", "Posting an episode makes the first"),
    ],
)
def test_an_empty_page_says_how_to_get_the_first_row(address: str, says: str, dora: Client) -> None:
    assert says in words_of(dora, address)


def test_staff_pages_carry_no_inline_script_or_style(dora: Client) -> None:
    episode = make_episode(external_id="first")
    make_project(suite=episode.scenario.suite)
    for address in ("/staff/", "/staff/episodes/first/", f"/staff/suites/{episode.scenario.suite.slug}/"):
        html = dora.get(address).content.decode()
        assert "style=" not in html
        assert "<style" not in html
        assert "onclick" not in html
