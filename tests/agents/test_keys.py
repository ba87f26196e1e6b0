"""API keys: made and ended on record, for a time, with an overlap when they are rotated; used on record, cheaply."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from agents.keys import LONGEST_OVERLAP, Limits, create_key, find_key, revoke_key, rotate_key
from agents.models import ApiKey
from audit.models import AuditEvent
from lib.faults import Conflict, Invalid
from tests.support.builders import NOON, make_staff

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def made(**how: Any) -> tuple[str, ApiKey]:
    text = create_key(**{"name": "nightly", "scopes": ["read"], "at": NOON, **how})
    return text, ApiKey.objects.latest("pk")


def verbs() -> list[str]:
    return list(AuditEvent.objects.filter(subject_kind="key").order_by("pk").values_list("verb", flat=True))


def test_a_key_expires() -> None:
    text, _ = made(expires_at=NOON + DAY)
    assert find_key(text, at=NOON + DAY - timedelta(seconds=1)) is not None
    assert find_key(text, at=NOON + DAY) is None


def test_a_revoked_key_is_found_no_more() -> None:
    text, key = made()
    assert revoke_key(key, by="staff:dora", at=NOON)
    assert not revoke_key(key, by="staff:dora", at=NOON)
    assert find_key(text, at=NOON) is None
    assert verbs() == ["key.made", "key.revoked"]


def test_the_audit_log_has_what_the_key_may_do_and_nothing_of_its_text() -> None:
    owner = make_staff("olga")
    text, _ = made(owner=owner, limits=Limits(["p"], ["s"], ["a"]), expires_at=NOON + DAY, by="staff:dora")
    event = AuditEvent.objects.get(verb="key.made")
    assert event.actor == "staff:dora"
    assert event.detail == {
        "name": "nightly",
        "scopes": ["read"],
        "owner": "olga",
        "projects": ["p"],
        "suites": ["s"],
        "agents": ["a"],
        "expires_at": (NOON + DAY).isoformat(),
    }
    assert text[:8] not in str(event.detail)


def test_a_rotation_leaves_the_old_key_for_the_overlap() -> None:
    owner = make_staff("olga")
    limits = Limits(["p"], ["s"], ["a"])
    text, key = made(owner=owner, limits=limits, expires_at=NOON + 100 * DAY)
    later = NOON + 90 * DAY
    after = rotate_key(key, overlap=DAY, by="staff:dora", at=later)
    assert find_key(text, at=later + DAY - timedelta(seconds=1)) is not None
    assert find_key(text, at=later + DAY) is None
    new = find_key(after, at=later + 99 * DAY)
    assert new is not None
    assert (new.name, new.scopes, new.owner) == ("nightly", ["read"], owner)
    assert (new.projects, new.suites, new.agents) == limits
    assert new.expires_at == later + 100 * DAY
    key.refresh_from_db()
    assert (key.state(at=later), key.rotated_into) == ("ending", new)
    assert verbs() == ["key.made", "key.made", "key.rotated"]


def test_an_overlap_makes_no_life_longer() -> None:
    text, key = made(expires_at=NOON + DAY)
    rotate_key(key, overlap=LONGEST_OVERLAP, by="staff:dora", at=NOON)
    assert find_key(text, at=NOON + DAY) is None


def test_only_a_key_that_works_is_rotated_once() -> None:
    _, key = made()
    rotate_key(key, overlap=DAY, by="staff:dora", at=NOON)
    with pytest.raises(Conflict):
        rotate_key(key, overlap=DAY, by="staff:dora", at=NOON)
    _, gone = made(name="gone")
    revoke_key(gone, by="staff:dora", at=NOON)
    with pytest.raises(Conflict):
        rotate_key(gone, overlap=DAY, by="staff:dora", at=NOON)
    with pytest.raises(Invalid):
        rotate_key(made()[1], overlap=LONGEST_OVERLAP + DAY, by="staff:dora", at=NOON)


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": " "},
        {"scopes": []},
        {"scopes": ["all"]},
        {"expires_at": NOON},
        {"limits": Limits(projects=["No Slug"])},
    ],
)
def test_a_key_that_makes_no_sense_is_not_made(wrong: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        made(**wrong)
    assert not ApiKey.objects.exists()


def test_the_last_use_is_written_once_a_minute(django_assert_num_queries: Any) -> None:
    text, key = made()

    def use(seconds: float, address: str, queries: int) -> tuple[Any, str]:
        with django_assert_num_queries(queries):
            assert find_key(text, at=NOON + timedelta(seconds=seconds), address=address)
        key.refresh_from_db()
        return key.used_at, key.used_from

    first = use(0, "192.0.2.1", 2)
    assert first == (NOON, "192.0.2.1")
    assert use(60, "192.0.2.2", 1) == first
    assert use(61, "192.0.2.2", 2) == (NOON + timedelta(seconds=61), "192.0.2.2")


# The command -----------------------------------------------------------------------------------------------------


def said(*words: str) -> str:
    out = StringIO()
    call_command("keys", *words, stdout=out)
    return out.getvalue().strip()


def test_a_shell_makes_lists_rotates_and_revokes_keys() -> None:
    User.objects.create_user("olga", is_staff=True)
    text = said("make", "nightly", "--scope", "read", "--scope", "write", "--owner", "olga", "--project", "p")
    found = find_key(text, at=NOON)
    assert found is not None
    assert (found.scopes, found.projects, found.owner.username) == (["read", "write"], ["p"], "olga")  # type: ignore[union-attr]
    after = said("rotate", str(found.pk), "--overlap-hours", "1")
    new = ApiKey.objects.latest("pk")
    listed = said("list").splitlines()
    assert [line.split()[:2] for line in listed] == [[str(new.pk), "usable"], [str(found.pk), "ending"]]
    assert all("nightly" in line and "projects p" in line and "owner olga" in line for line in listed)
    assert not any(secret in said("list") for secret in (text, after))
    assert said("revoke", str(found.pk)) == ""
    with pytest.raises(CommandError, match="before"):
        said("revoke", str(found.pk))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("make", "x", "--scope", "read", "--owner", "nobody"), "no staff account"),
        (("make", "x", "--scope", "read", "--days", "0"), "later than now"),
        (("make", "x", "--scope", "read", "--project", "No"), "slug"),
        (("revoke", "7"), "no key 7"),
        (("rotate", "7"), "no key 7"),
    ],
)
def test_a_shell_refuses_with_a_sentence(words: tuple[str, ...], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        said(*words)
    assert not ApiKey.objects.exists()
