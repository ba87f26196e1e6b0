"""The staff page of API keys: a key is shown once; it has an owner, limits and a life; wrong input comes back."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agents.keys import create_key, find_key
from agents.models import ApiKey
from annotation.access.roles import Role
from audit.models import AuditEvent
from tests.support.builders import client_of, make_agent, make_project, make_staff, make_suite
from tests.support.pages import assert_flat

pytestmark = pytest.mark.django_db
PAGE = "/staff/keys/"
FORM = {"name": "nightly", "scopes": ["read", "write"], "days": "90"}


@pytest.fixture
def clara() -> Client:
    """An admin of every project, signed in."""
    return client_of(make_staff("clara", Role.ADMIN))


def shown(response: Any) -> str:
    """The key on the page."""
    assert response.status_code == 200
    found = re.search(r"cw_[\w-]{40,}", response.content.decode())
    assert found is not None
    return found[0]


def test_a_key_is_made_and_shown_once(clara: Client) -> None:
    make_project("p")
    make_suite("s")
    make_agent("alfa")
    key = shown(clara.post(PAGE, {**FORM, "owner": "clara", "projects": "p", "suites": "s ,", "agents": "alfa"}))
    found = find_key(key, at=timezone.now())
    assert found is not None
    assert (found.name, found.scopes, found.owner.username) == ("nightly", ["read", "write"], "clara")  # type: ignore[union-attr]
    assert (found.projects, found.suites, found.agents) == (["p"], ["s"], ["alfa"])
    assert found.expires_at == found.created_at + timedelta(days=90)
    assert AuditEvent.objects.get(verb="key.made").actor == "staff:clara"
    page = clara.get(PAGE).content.decode()
    assert "nightly" in page
    assert key not in page


def test_a_key_can_work_until_it_is_revoked(clara: Client) -> None:
    found = find_key(shown(clara.post(PAGE, {**FORM, "days": ""})), at=timezone.now())
    assert found is not None
    assert (found.expires_at, found.owner, found.is_limited) == (None, None, False)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"name": ""}, "needs a name"),
        ({"scopes": []}, "Choose at least one"),
        ({"projects": "p, q"}, "There is no p, no q."),
        ({"owner": "nobody"}, "no such staff account"),
        ({"days": "1000"}, "Choose for how long"),
    ],
)
def test_wrong_input_comes_back_with_its_reason(clara: Client, wrong: dict[str, Any], why: str) -> None:
    response = clara.post(PAGE, {**FORM, **wrong})
    assert response.status_code == 422
    page = response.content.decode()
    assert why in page
    assert wrong.get("name", "nightly") in page
    assert not ApiKey.objects.exists()


def test_a_rotation_shows_the_next_key_and_the_old_one_works_on(clara: Client) -> None:
    old = create_key(name="nightly", scopes=["read"], at=timezone.now())
    pk = ApiKey.objects.get().pk
    new = shown(clara.post(f"{PAGE}{pk}/rotate/", {"overlap": "24"}))
    now = timezone.now()
    assert (find_key(old, at=now), find_key(new, at=now)) != (None, None)
    assert find_key(old, at=now + timedelta(hours=25)) is None
    page = clara.get(PAGE).content.decode()
    assert f"{PAGE}{pk}/rotate/" not in page
    assert f"{PAGE}{pk}/revoke/" in page


def test_a_key_that_is_rotated_at_once_ends_at_once(clara: Client) -> None:
    old = create_key(name="nightly", scopes=["read"], at=timezone.now())
    shown(clara.post(f"{PAGE}{ApiKey.objects.get().pk}/rotate/", {"overlap": "0"}))
    assert find_key(old, at=timezone.now()) is None


def test_a_revoked_key_stays_in_the_list(clara: Client) -> None:
    key = create_key(name="nightly", scopes=["read"], at=timezone.now())
    address = f"{PAGE}{ApiKey.objects.get().pk}/revoke/"
    assert clara.post(address).status_code == 302
    assert find_key(key, at=timezone.now()) is None
    assert "revoked" in clara.get(PAGE).content.decode()
    assert clara.post(address).status_code == 409


def test_the_list_costs_the_same_for_many_keys(clara: Client) -> None:
    owner = make_staff("olga")

    def more() -> None:
        for _ in range(5):
            create_key(name="k", scopes=["read"], at=timezone.now(), owner=owner)

    assert_flat(clara, PAGE, more)
