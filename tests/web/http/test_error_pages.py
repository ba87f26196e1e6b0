"""Pages for what is not there, not allowed or not safe to take: in our words and under our own security policy."""

from typing import Any

import pytest
from django.test import Client

from annotation.access.roles import Role
from annotation.models import Project
from tests.support.builders import client_of, make_staff

pytestmark = pytest.mark.django_db


def check_own(answer: Any, heading: str) -> None:
    page = answer.content.decode()
    assert f"<h1>{heading}</h1>" in page
    assert "<style" not in page, "the policy would refuse it"
    assert "nonce-" in answer["Content-Security-Policy"]


def test_what_is_not_there_is_said_in_our_words() -> None:
    answer = Client().get("/no/such/page/")
    assert answer.status_code == 404
    check_own(answer, "There is nothing here")


def test_a_form_from_an_older_page_is_to_be_sent_again() -> None:
    answer = Client(enforce_csrf_checks=True).post("/staff/sign-in/", {"login": "ada", "password": "wrong"})
    assert answer.status_code == 403
    check_own(answer, "Please send it again")


@pytest.mark.parametrize(
    ("referer", "back"),
    [
        ("http://testserver/staff/ledger/?project=marking", "/staff/ledger/%3Fproject%3Dmarking"),
        ("https://elsewhere.example/staff/ledger/", "/staff/"),
        ("", "/staff/"),
    ],
)
def test_who_was_signed_out_meanwhile_comes_back_to_the_page_and_not_to_where_its_form_goes(
    referer: str, back: str, marking: Project
) -> None:
    answer = Client().post("/staff/ledger/mark/", {"which": "all"}, headers={"referer": referer})
    assert answer["Location"] == f"/staff/sign-in/?next={back}"
    ada = client_of(make_staff("ada", Role.ADMIN))
    assert ada.get(back.replace("%3F", "?").replace("%3D", "=")).status_code == 200
