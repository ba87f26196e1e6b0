"""Giving and taking roles, making accounts and switching them off, on the pages that admins use."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from annotation.access.members import admins_everywhere, set_active, take_role
from annotation.access.roles import Role, of
from annotation.models import Membership, Project
from audit.models import AuditEvent
from lib.faults import Conflict
from tests.support.builders import NOON, client_of, make_project, make_staff
from tests.support.pages import text_of, words_of


@pytest.fixture
def ada(db: None) -> Client:
    """An admin everywhere who is no superuser, signed in."""
    return client_of(make_staff("ada", Role.ADMIN))


@pytest.fixture
def adam(marking: Project) -> Client:
    """An admin of one project, signed in."""
    return client_of(make_staff("adam", Role.ADMIN, marking))


def page_of(name: str, rest: str = "") -> str:
    return f"/staff/people/{User.objects.get(username=name).pk}/{rest}"


def role_of(name: str, project: Project | None = None) -> str | None:
    return Membership.objects.filter(user__username=name, project=project).values_list("role", flat=True).first()


def acts() -> list[tuple[str, str, str, str, dict[str, Any]]]:
    rows = AuditEvent.objects.order_by("pk")
    return list(rows.values_list("verb", "actor", "project", "reason", "detail"))


def test_a_role_is_given_changed_and_taken_on_record(ada: Client, marking: Project) -> None:
    make_staff("paul")
    address = page_of("paul", "role/")
    ada.post(address, {"project": "marking", "role": "viewer", "reason": "joins the team"})
    assert role_of("paul", marking) == "viewer"
    ada.post(address, {"project": "marking", "role": "viewer"})
    ada.post(address, {"project": "marking", "role": "reviewer"})
    assert role_of("paul", marking) == "reviewer"
    assert "reviewer in marking" in words_of(ada, "/staff/people/")
    ada.post(page_of("paul", "role/remove/"), {"project": "marking", "reason": "left"})
    assert role_of("paul", marking) is None
    assert ada.post(page_of("paul", "role/remove/"), {"project": "marking"}).status_code == 404
    viewer, reviewer = {"role": "viewer"}, {"role": "reviewer"}
    paul = {"name": "paul"}
    assert acts() == [
        ("member.added", "staff:ada", "marking", "joins the team", {**paul, "before": {}, "after": viewer}),
        ("member.changed", "staff:ada", "marking", "", {**paul, "before": viewer, "after": reviewer}),
        ("member.removed", "staff:ada", "marking", "left", {**paul, "before": reviewer, "after": {}}),
    ]


def test_a_role_everywhere_opens_every_project(ada: Client, marking: Project) -> None:
    paul = client_of(make_staff("paul"))
    ada.post(page_of("paul", "role/"), {"project": "*", "role": "reviewer"})
    assert "marking" in words_of(paul, "/staff/projects/")
    ada.post(page_of("paul", "role/remove/"), {"project": "*"})
    assert "no role yet" in words_of(paul, "/staff/projects/", status=403)


def test_a_role_is_given_nowhere_by_accident(ada: Client) -> None:
    make_staff("paul")
    for place, status in (({}, 422), ({"project": ""}, 422), ({"project": "none"}, 404)):
        assert ada.post(page_of("paul", "role/"), {"role": "admin", **place}).status_code == status
    assert "There is no role" in text_of(
        ada.post(page_of("paul", "role/"), {"project": "*", "role": "owner"}).content.decode()
    )
    assert role_of("paul") is None
    User.objects.create_superuser("dora")
    answer = ada.post(page_of("dora", "role/"), {"project": "*", "role": "viewer"})
    assert answer.status_code == 409
    assert "dora is a superuser" in text_of(answer.content.decode())


def test_the_admin_of_a_project_gives_roles_in_it_and_nowhere_else(adam: Client, marking: Project) -> None:
    other = make_project("elsewhere")
    make_staff("paul", Role.VIEWER, other)
    address = page_of("paul", "role/")
    assert adam.post(address, {"project": "marking", "role": "admin"}).status_code == 302
    assert role_of("paul", marking) == "admin"
    assert adam.post(address, {"project": "elsewhere", "role": "admin"}).status_code == 404
    assert adam.post(address, {"project": "*", "role": "viewer"}).status_code == 403
    assert adam.post(page_of("paul", "role/remove/"), {"project": "elsewhere"}).status_code == 404
    assert (role_of("paul", other), role_of("paul")) == ("viewer", None)
    for address in ("/staff/people/", page_of("paul")):
        page = words_of(adam, address)
        assert "marking" in page
        assert "elsewhere" not in page


def test_a_role_smaller_in_one_project_than_everywhere_takes_nothing_away(marking: Project) -> None:
    paul = make_staff("paul", Role.REVIEWER)
    Membership.objects.create(user=paul, project=marking, role=Role.VIEWER, created_at=NOON)
    assert of(paul).in_project(marking.pk, Role.REVIEWER)
    assert not of(paul).in_project(marking.pk, Role.ADMIN)


# The last admin -------------------------------------------------------------------------------------------------


def last_admin_says_no(answer: Any) -> bool:
    return answer.status_code == 409 and "Nobody would be left" in text_of(answer.content.decode())


def test_the_last_admin_everywhere_cannot_go(ada: Client) -> None:
    assert last_admin_says_no(ada.post(page_of("ada", "role/remove/"), {"project": "*"}))
    assert last_admin_says_no(ada.post(page_of("ada", "role/"), {"project": "*", "role": "reviewer"}))
    make_staff("bea", Role.ADMIN)
    for change in ({"is_active": False}, {"is_staff": False}):
        # One who cannot sign in does not count as another.
        User.objects.filter(username="bea").update(**{"is_active": True, "is_staff": True, **change})
        assert last_admin_says_no(ada.post(page_of("ada", "role/remove/"), {"project": "*"}))
    assert role_of("ada") == "admin"
    assert acts() == []


def test_an_admin_goes_when_another_is_there(ada: Client) -> None:
    make_staff("bea", Role.ADMIN)
    answer = ada.post(page_of("ada", "role/remove/"), {"project": "*"}, follow=True)
    assert answer.status_code == 403
    assert "no role yet" in text_of(answer.content.decode())
    assert [account.get_username() for account in admins_everywhere()] == ["bea"]


def test_the_last_admin_is_not_switched_off(db: None) -> None:
    ada = make_staff("ada", Role.ADMIN)
    with pytest.raises(Conflict, match="Nobody would be left"):
        set_active(account=ada, is_active=False, by="system", at=NOON)
    ada.refresh_from_db()
    assert ada.is_active


# Accounts -------------------------------------------------------------------------------------------------------


def test_an_account_is_made_with_a_password_shown_once(ada: Client) -> None:
    page = ada.post("/staff/people/add/", {"name": "paula", "email": "paula@example.org"})
    assert "no-store" in page["Cache-Control"]
    shown = re.search(r'<pre id="password">([\w-]+)</pre>', page.content.decode())
    assert shown is not None
    assert len(shown[1]) >= 16
    paula = Client()
    assert paula.post("/staff/sign-in/", {"login": "paula", "password": shown[1]}).status_code == 302
    assert "no role yet" in words_of(paula, "/staff/", status=403)
    account = User.objects.get(username="paula")
    assert (account.is_staff, account.is_superuser, of(account).has_any) == (True, False, False)
    assert shown[1] not in words_of(ada, "/staff/people/") + words_of(ada, page_of("paula"))
    assert [act[0] for act in acts()] == ["account.created", "sign_in.done"]
    assert shown[1] not in str(acts())


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"name": ""}, "An account needs a name."),
        ({"name": "Ada"}, "There is an account of this name already."),
        ({"name": "two words"}, "Use letters, digits"),
        ({"name": "x" * 151}, "Use letters, digits"),
        ({"name": "paula", "email": "nowhere"}, "This is not an e-mail address."),
        ({"name": "paula", "email": "ADA@example.org"}, "Another account has this e-mail address."),
    ],
)
def test_an_account_that_cannot_be_made_is_refused(body: dict[str, str], says: str, ada: Client) -> None:
    User.objects.filter(username="ada").update(email="ada@example.org")
    answer = ada.post("/staff/people/add/", body)
    assert answer.status_code == 422
    assert says in text_of(answer.content.decode())
    assert User.objects.count() == 1
    assert AuditEvent.objects.count() == 0


def test_an_account_is_switched_off_at_once_and_on_again(ada: Client, victor: Client) -> None:
    assert "marking" in words_of(victor, "/staff/projects/")
    ada.post(page_of("victor", "switch/"), {"active": "no", "reason": "lost the laptop"})
    assert victor.get("/staff/projects/").status_code == 302
    assert "switched off" in words_of(ada, "/staff/people/")
    ada.post(page_of("victor", "switch/"), {"active": "no"})
    ada.post(page_of("victor", "switch/"), {"active": "yes"})
    assert "marking" in words_of(victor, "/staff/projects/")
    assert [(verb, reason) for verb, _, _, reason, _ in acts()] == [
        ("account.deactivated", "lost the laptop"),
        ("account.activated", ""),
    ]


def test_nobody_switches_their_own_account_off_nor_a_superusers_without_being_one(ada: Client, dora: Client) -> None:
    assert ada.post(page_of("ada", "switch/"), {"active": "no"}).status_code == 409
    assert ada.post(page_of("dora", "switch/"), {"active": "no"}).status_code == 403
    User.objects.create_superuser("dirk")
    assert dora.post(page_of("dirk", "switch/"), {"active": "no"}).status_code == 302
    assert not User.objects.get(username="dirk").is_active


def test_the_list_is_searched_and_filtered(ada: Client, adam: Client, victor: Client) -> None:
    User.objects.create_user("eve")
    assert "eve" not in words_of(ada, "/staff/people/?q=ev").split(), "no staff account"
    assert ada.get(page_of("eve")).status_code == 404
    assert "victor" in words_of(ada, "/staff/people/?q=vic")
    assert "adam" not in words_of(ada, "/staff/people/?q=vic")
    assert "No account fits" in words_of(ada, "/staff/people/?q=nobody")
    in_project = words_of(ada, "/staff/people/?project=marking")
    assert "victor" in in_project
    assert "admin everywhere" not in in_project


# What it costs --------------------------------------------------------------------------------------------------


def test_the_roles_of_an_account_are_read_once(marking: Project, django_assert_num_queries: Any) -> None:
    adam = make_staff("adam", Role.ADMIN, marking)
    with django_assert_num_queries(1):
        assert of(adam).in_project(marking.pk, Role.ADMIN)
        assert not of(adam).everywhere_at_least(Role.VIEWER)
        assert of(adam).somewhere_at_least(Role.REVIEWER)
    dora = User.objects.create_superuser("dora")
    with django_assert_num_queries(0):
        assert of(dora).everywhere_at_least(Role.ADMIN)


def test_a_role_that_was_taken_away_is_gone_with_the_next_request(
    ada: Client, victor: Client, marking: Project
) -> None:
    assert victor.get("/staff/projects/marking/").status_code == 200
    now = timezone.now()
    assert take_role(account=User.objects.get(username="victor"), project=marking, by="staff:ada", at=now)
    assert victor.get("/staff/projects/marking/").status_code == 403
