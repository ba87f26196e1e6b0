"""The hash chain of the audit log finds every change that somebody made past our code and past the triggers."""

import json
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, models
from django.db.models import Q

from audit import anchor, chain
from audit.log import Subject, record, redact
from audit.models import AuditEvent, ChainCheck
from lib.canonical_json import digest
from tests.support.builders import NOON

pytestmark = pytest.mark.django_db


def an_act(worker: int = 7, **detail: Any) -> AuditEvent:
    return record(
        verb="worker.blocked",
        actor="staff:dora",
        subject=Subject("worker", str(worker)),
        at=NOON,
        reason=f"worker {worker} answers at random",
        **detail,
    )


@pytest.fixture
def ten() -> list[int]:
    """The ids of ten sealed events; their numbers are 1 to 10, and each has a line in the anchor file."""
    return [sealed(an_act(number)).pk for number in range(10)]


def sealed(event: AuditEvent) -> AuditEvent:
    """The event with its place in the chain, which it has after the commit that this test never comes to."""
    chain.seal()
    return event


@pytest.fixture
def without_triggers(db: None) -> None:
    """The database of somebody who may change its tables: without the triggers that refuse changes."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ALTER TABLE audit_auditevent DISABLE TRIGGER USER")
            return
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in cursor.fetchall():
            cursor.execute(f"DROP TRIGGER {name}")


def rows(**wanted: Any) -> "models.QuerySet[AuditEvent]":
    """A query set without our own refusal."""
    return models.QuerySet(AuditEvent).filter(**wanted)


def faults() -> list[str]:
    return chain.verify().faults


def test_an_event_has_its_place_once_its_transaction_has_committed(django_capture_on_commit_callbacks: Any) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        an_act()
        assert chain.head().number == 0
    assert (chain.head().number, anchor.last_number()) == (1, 1)


def test_the_numbers_have_no_gaps(ten: list[int]) -> None:
    assert list(AuditEvent.objects.order_by("number").values_list("number", "pk")) == list(enumerate(ten, 1))
    found = chain.verify()
    assert (found.head.number, found.anchored, found.unsealed, found.faults) == (10, 10, 0, [])


def swap(first: int, second: int) -> None:
    """Let two events change their places in the chain."""
    for number, to in ((first, -1), (second, first), (-1, second)):
        rows(number=number).update(number=to)


def forge(number: int) -> None:
    """Change an event and compute the chain anew from there, as somebody can who knows this code."""
    rows(number=number).update(actor="staff:eve")
    previous = rows(number=number - 1).get().digest
    for event in rows(number__gte=number).order_by("number"):
        previous = chain._digest(event, previous=previous)
        rows(pk=event.pk).update(digest=previous)


def rewrite_anchor(change: Callable[[list[str]], list[str]]) -> None:
    path = anchor.anchor_file()
    path.write_text("".join(change(path.read_text().splitlines(keepends=True))))


TAMPERINGS: dict[str, tuple[Callable[[], object], str]] = {
    "another actor": (lambda: rows(number=4).update(actor="staff:eve"), "Changed: event"),
    "another time": (lambda: rows(number=4).update(at=NOON.replace(year=2025)), "Changed: event"),
    "another project": (lambda: rows(number=4).update(project="q"), "Changed: event"),
    "another reason": (lambda: rows(number=4).update(reason="no reason"), "Changed: the reason"),
    "another detail": (lambda: rows(number=4).update(detail={"n": 1}), "Changed: the reason"),
    "another reason with its digest": (
        lambda: rows(number=4).update(reason="", detail={}, texts_digest=digest(["", "", "{}"])),
        "Changed: event",
    ),
    "emptied like an erasure": (
        lambda: rows(number=4).update(reason="", detail={}, salt="", redacted_at=NOON),
        "Emptied: no redaction",
    ),
    "deleted in the middle": (lambda: rows(number=4).delete(), "Gap: number 4"),
    "three deleted": (lambda: rows(number__in=[4, 5, 6]).delete(), "Gap: number 4–6"),
    "the first deleted": (lambda: rows(number=1).delete(), "Gap: number 1"),
    "the end cut off": (
        lambda: rows(number__gte=8).delete(),
        "Cut: the anchor knows number 10, and the chain ends at 7",
    ),
    "everything deleted": (lambda: rows().delete(), "Cut: the anchor knows number 10, and the chain ends at 0"),
    "taken out of the chain": (lambda: rows(number__gte=8).update(number=None), "Cut: the anchor knows number 10"),
    "swapped": (lambda: swap(4, 6), "Changed: event"),
    "computed anew": (lambda: forge(4), "Anchor: number 4"),
    "anchor edited": (
        lambda: rewrite_anchor(lambda lines: [line.replace('"digest": "', '"digest": "0') for line in lines]),
        "Anchor: number 1 ",
    ),
    "anchor unreadable": (lambda: rewrite_anchor(lambda lines: [*lines, "{}\n"]), "Anchor: line 11"),
    "anchor removed": (lambda: anchor.anchor_file().unlink(), "Anchor: there is no anchor file"),
}


@pytest.mark.parametrize(("tamper", "sentence"), TAMPERINGS.values(), ids=TAMPERINGS.keys())
def test_it_is_found(
    tamper: Callable[[], object], sentence: str, ten: list[int], without_triggers: None, capsys: Any
) -> None:
    tamper()
    assert any(found.startswith(sentence) for found in faults()), faults()
    with pytest.raises(CommandError, match="not intact"):
        call_command("audit_verify")
    assert sentence in capsys.readouterr().out


def test_one_edit_is_one_fault(ten: list[int], without_triggers: None) -> None:
    rows(number=4).update(actor="staff:eve")
    assert faults() == [f"Changed: event {ten[3]} (number 4) does not fit its digest and the event before it."]


def test_a_cut_that_was_filled_again_is_found(ten: list[int], without_triggers: None) -> None:
    rows(number__gte=8).delete()
    for _ in range(5):
        sealed(an_act())
    assert chain.head().number == 12
    assert [found[:17] for found in faults()] == ["Anchor: number 8 ", "Anchor: number 9 ", "Anchor: number 10"]


def test_a_head_that_was_written_down_elsewhere_is_compared(
    ten: list[int], without_triggers: None, capsys: Any
) -> None:
    known = str(chain.head())
    call_command("audit_verify", known=[])
    assert f"head      {known}\n" in capsys.readouterr().out
    anchor.anchor_file().unlink()
    forge(4)
    chain.seal_all()
    call_command("audit_verify", known=[])
    with pytest.raises(CommandError):
        call_command("audit_verify", "--known", known)


def test_an_anchor_file_that_was_begun_anew_stands_in_the_log(ten: list[int]) -> None:
    anchor.anchor_file().unlink()
    sealed(an_act())
    begun = AuditEvent.objects.get(verb="audit.anchor_begun")
    assert begun.subject == "11"
    chain.seal_all()
    assert faults() == []


def test_a_redaction_keeps_the_chain_and_leaves_nothing_to_guess_from(ten: list[int]) -> None:
    assert redact(worker_id=3, at=NOON) == 1
    chain.seal()
    emptied = AuditEvent.objects.get(pk=ten[3])
    assert (emptied.reason, emptied.detail, emptied.salt) == ("", {}, "")
    assert faults() == []


def test_an_event_that_was_emptied_before_it_was_sealed_is_sealed_empty() -> None:
    an_act(3)
    redact(worker_id=3, at=NOON)
    assert chain.seal() == 2
    assert faults() == []


def test_what_was_not_sealed_is_counted_and_sealed_by_the_next_sweep() -> None:
    an_act()
    assert chain.verify().unsealed == 1
    chain.seal_all()
    assert (chain.verify().unsealed, anchor.last_number()) == (0, 1)


def test_a_crash_before_the_anchor_is_made_good_by_the_next_sweep(ten: list[int]) -> None:
    rewrite_anchor(lambda lines: lines[:-2])
    assert chain.verify().anchored == 8
    chain.seal_all()
    assert [one.number for one in anchor.read().heads][-2:] == [8, 10]


def test_a_failed_anchor_does_not_fail_the_act(
    settings: Any, tmp_path: Path, django_capture_on_commit_callbacks: Any
) -> None:
    (tmp_path / "a file").touch()
    settings.AUDIT_ANCHOR_DIR = tmp_path / "a file"
    with django_capture_on_commit_callbacks(execute=True):
        an_act()
    assert AuditEvent.objects.count() == 1
    assert chain.verify().unsealed == 1


def test_numbers_and_times_mean_the_same_in_every_database() -> None:
    an_act(1, share=1e22, small=1e-7, whole=1.0, text="–ß", rows=[{"b": None, "a": True}])
    chain.seal()
    assert faults() == []


def test_the_anchor_file_is_readable_by_its_owner_alone(ten: list[int]) -> None:
    path = anchor.anchor_file()
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert json.loads(path.read_text().splitlines()[-1])["number"] == 10


def test_the_check_of_the_day_is_kept_and_logged(ten: list[int], without_triggers: None, caplog: Any) -> None:
    with caplog.at_level("INFO", "audit.chain"):
        chain.check()
        rows(number=4).update(actor="staff:eve")
        chain.check()
    assert [one.message for one in caplog.records] == ["audit.chain_holds", "audit.chain_broken"]
    assert caplog.records[0].head == str(chain.head())
    assert list(ChainCheck.objects.order_by("pk").values_list("number", "fault_count")) == [(10, 0), (10, 1)]


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_acts_at_the_same_time_stand_in_one_chain() -> None:
    together = Barrier(4)

    def act() -> None:
        together.wait()
        for _ in range(25):
            an_act()
        connection.close()

    threads = [Thread(target=act) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    chain.seal_all()
    found = chain.verify()
    assert (found.head.number, found.unsealed, found.faults) == (100, 0, [])
    assert not AuditEvent.objects.filter(Q(number=None) | Q(digest="")).exists()
