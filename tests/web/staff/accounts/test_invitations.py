"""Inviting staff by a link: once, for a while, hashed, on record, and by the rules for passwords."""

import re
from datetime import timedelta
from html import unescape
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from annotation.access.members import take_role
from annotation.access.roles import Role
from annotation.models import Invitation
from audit.models import AuditEvent
from tests.support.builders import client_of, make_project, make_staff
from tests.support.pages import words_of

pytestmark = pytest.mark.django_db
GOOD = {"name": "paula", "password": "a-long-walk-home", "again": "a-long-walk-home"}


@pytest.fixture
def ada() -> Client:
    make_project("marking")
    return client_of(make_staff("ada", Role.ADMIN))


def link_of(client: Client, **changes: str) -> str:
    """The path of a new invitation's link."""
    form = {"role": "reviewer", "project": "marking", "days": "7", "note": "Paula of the lab", **changes}
    html = client.post("/staff/people/invite/", form).content.decode()
    found = re.search(r'id="link" class="secret">([^<]+)<', html)
    assert found is not None
    return urlsplit(unescape(found[1])).path


def test_the_invited_person_makes_an_account_with_the_role_and_the_link_is_used_up(ada: Client) -> None:
    link = link_of(ada)
    token = link.rstrip("/").rpartition("/")[2]
    assert token not in "".join(str(row) for row in Invitation.objects.values_list())
    assert "Paula of the lab" in words_of(ada, "/staff/people/")
    visitor = Client()
    assert "invites you as reviewer" in words_of(visitor, link)
    assert visitor.post(link, GOOD)["Location"] == "/staff/sign-in/"
    paula = User.objects.get(username="paula")
    assert paula.check_password(GOOD["password"])
    assert (paula.is_staff, paula.is_superuser) == (True, False)
    assert [(one.role, one.project and one.project.slug) for one in paula.memberships.all()] == [
        ("reviewer", "marking")
    ]
    made, used = AuditEvent.objects.filter(subject_kind="invitation").order_by("pk")
    assert (made.verb, made.actor, used.verb, used.actor) == (
        "invitation.made",
        "staff:ada",
        "invitation.accepted",
        "staff:paula",
    )
    assert token not in str(made.detail)
    assert visitor.get(link).status_code == 404
    assert Client().post(link, {**GOOD, "name": "second"}).status_code == 404
    assert "Paula of the lab" not in words_of(ada, "/staff/people/")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"again": "another-long-walk"}, "The two passwords differ"),
        ({"password": "short", "again": "short"}, "at least 10 characters"),
        ({"password": "password123", "again": "password123"}, "too common"),
        ({"name": "ADA"}, "an account of this name already"),
        ({"name": "no spaces"}, "letters, digits"),
    ],
)
def test_what_is_refused_is_said_and_the_link_still_works(changes: dict[str, str], said: str, ada: Client) -> None:
    link = link_of(ada)
    answer = Client().post(link, {**GOOD, **changes})
    assert answer.status_code == 422
    assert said in unescape(answer.content.decode())
    assert f'value="{ {**GOOD, **changes}["name"] }"' in answer.content.decode()
    assert Client().post(link, GOOD).status_code == 302


def test_a_link_ends_by_itself_by_withdrawal_and_with_its_inviters_right(ada: Client) -> None:
    expired, withdrawn, orphaned = (link_of(ada) for _ in range(3))
    first, second, _ = Invitation.objects.order_by("pk")
    past = timezone.now() - timedelta(seconds=1)
    Invitation.objects.filter(pk=first.pk).update(created_at=past - timedelta(days=7), expires_at=past)
    assert ada.post(f"/staff/people/invitations/{second.pk}/withdraw/").status_code == 302
    assert ada.post(f"/staff/people/invitations/{second.pk}/withdraw/").status_code == 409
    make_staff("eva", Role.ADMIN)
    take_role(account=User.objects.get(username="ada"), project=None, by="staff:eva", at=timezone.now())
    for link in (expired, withdrawn, orphaned):
        answer = Client().get(link)
        assert answer.status_code == 404
        assert "does not work" in answer.content.decode()
    assert not User.objects.filter(username="paula").exists()


def test_only_what_can_be_meant_is_taken(ada: Client) -> None:
    for changes in ({"role": "king"}, {"days": "10000"}, {"project": ""}):
        form = {"role": "reviewer", "project": "marking", "days": "7", **changes}
        assert ada.post("/staff/people/invite/", form).status_code == 422
    assert not Invitation.objects.exists()
