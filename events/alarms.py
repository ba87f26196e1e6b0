"""Alarms: rules that are looked at each minute, and what follows when one begins or ends to hold.

Each app registers the kinds that it can judge. An alarm is an event and a mail when it begins, and an event and a mail
when it ends; in between it is quiet.
"""

import logging
from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from typing import NamedTuple

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction

from audit.changes import changes
from audit.log import Subject, record
from events.log import Happened, note_all
from events.models import Alarm, AlarmRule
from jobs.outbox import Running, enqueue
from lib.faults import Invalid

logger = logging.getLogger(__name__)

MAIL = "events.mail_alarm"
"""The kind of job that mails an alarm."""
SERVER = "server"
"""The subject of alarms about the installation itself."""
MOST_SUBJECTS = 200
"""Subjects for which one kind may stand."""


class Found(NamedTuple):
    """A subject for which a rule holds now, with a sentence for staff."""

    subject: str
    sentence: str
    project: str = ""


class Kind(NamedTuple):
    """A kind of alarm.

    Attributes:
        name: As in the event `alarm.NAME`.
        title: What is wrong, in a few words.
        about: What is compared with the bound, and in which unit.
        bound: The bound that holds unless staff set another.
        least, most: Between which the bound may be set.
        look: All subjects for which the rule holds now, from the bound and the time.
    """

    name: str
    title: str
    about: str
    bound: float
    least: float
    most: float
    look: Callable[[float, datetime], Iterable[Found]]


class Rule(NamedTuple):
    """A kind as staff have set it."""

    kind: Kind
    is_on: bool
    bound: float


_kinds: dict[str, Kind] = {}


def register(kind: Kind) -> None:
    """Add a kind of alarm; call it from an `AppConfig.ready`."""
    _kinds[kind.name] = kind


def rules() -> list[Rule]:
    """Every kind with what staff have set of it, by its name. 1 query."""
    kept = {row.kind: row for row in AlarmRule.objects.all()}
    return [_rule(kind, kept.get(name)) for name, kind in sorted(_kinds.items())]


def _rule(kind: Kind, row: AlarmRule | None) -> Rule:
    if row is None:
        return Rule(kind, is_on=True, bound=kind.bound)
    return Rule(kind, is_on=row.is_on, bound=kind.bound if row.bound is None else row.bound)


def set_rule(*, kind: str, is_on: bool, bound: float | None, by: str, at: datetime) -> None:
    """Switch a kind of alarm, and set its bound; None: the default of the kind.

    Raises:
        Invalid: there is no such kind, or the bound is outside its limits.
    """
    found = _kinds.get(kind)
    if found is None:
        raise Invalid.at("#/kind", "There is no such alarm.")
    if bound is not None and not found.least <= bound <= found.most:
        raise Invalid.at("#/bound", f"Choose a number from {found.least:g} to {found.most:g}.")
    with transaction.atomic():
        row, _ = AlarmRule.objects.select_for_update().get_or_create(kind=kind)
        before = {"is_on": row.is_on, "bound": row.bound}
        row.is_on, row.bound = is_on, bound
        row.save(update_fields=["is_on", "bound"])
        if differing := changes(before, {"is_on": is_on, "bound": bound}):
            record(verb="alarm.set", actor=by, subject=Subject("alarm", kind), at=at, **differing)


def look(at: datetime) -> None:
    """Look at every rule, and tell of the alarms that begin or end. A rule that fails stops no other.

    Costs: 2 queries, those of the rules, and those of `_settle` for a rule whose subjects have changed.
    """
    standing: dict[str, dict[str, Alarm]] = {}
    for alarm in Alarm.objects.standing():
        standing.setdefault(alarm.kind, {})[alarm.subject] = alarm
    for rule in rules():
        try:
            found = list(rule.kind.look(rule.bound, at))[:MOST_SUBJECTS] if rule.is_on else []
        except Exception:
            # One broken rule must not silence the others; the log has it, and its alarms stand as they are.
            logger.exception("alarm.not_judged", extra={"kind": rule.kind.name})
            continue
        before = standing.get(rule.kind.name, {})
        new = [one for one in found if one.subject not in before]
        gone = [alarm for subject, alarm in before.items() if subject not in {one.subject for one in found}]
        if new or gone:
            _settle(rule.kind, new, gone, at=at)


def _settle(kind: Kind, new: Collection[Found], gone: Collection[Alarm], *, at: datetime) -> None:
    with transaction.atomic():
        begun = Alarm.objects.bulk_create(
            [
                Alarm(
                    kind=kind.name,
                    subject=one.subject,
                    project=one.project,
                    sentence=one.sentence[:500],
                    raised_at=at,
                )
                for one in new
            ]
        )
        Alarm.objects.standing().filter(pk__in=[alarm.pk for alarm in gone]).update(ended_at=at)
        told = [(alarm, "raised") for alarm in begun] + [(alarm, "ended") for alarm in gone]
        note_all([_happened(alarm, state) for alarm, state in told], at=at)
        if settings.ALARM_MAIL:
            for alarm, state in told:
                enqueue(MAIL, f"{alarm.pk} {state}", max_attempts=5)
    for alarm, state in told:
        logger.warning("alarm.%s", state, extra={"kind": alarm.kind, "subject": alarm.subject})


def _happened(alarm: Alarm, state: str) -> Happened:
    data = {"alarm": alarm.kind, "state": state, "subject": alarm.subject, "sentence": alarm.sentence}
    return Happened(f"alarm.{alarm.kind}", f"{alarm.kind}:{alarm.subject}", data, project=alarm.project)


def mail(running: Running) -> None:
    """Job handler: mail that an alarm has begun or ended. A mail may be sent twice after a crash."""
    pk, _, state = running.subject.partition(" ")
    alarm = Alarm.objects.filter(pk=pk).first()
    if alarm is None or not settings.ALARM_MAIL:
        return
    word = "" if state == "raised" else "Over: "
    title = _kinds[alarm.kind].title if alarm.kind in _kinds else alarm.kind
    text = f"{word}{alarm.sentence}\n\nSince {alarm.raised_at:%Y-%m-%d %H:%M} UTC.\n{settings.PUBLIC_URL}/staff/\n"
    send_mail(f"[Crosswalk] {word}{title}: {alarm.subject}", text, settings.DEFAULT_FROM_EMAIL, settings.ALARM_MAIL)
