"""Sessions that have ended, made of rows and not lived through: quick, with outcomes, minutes and money as a test
names them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import count
from typing import Any

from agents.models import Agent
from annotation.models import Annotation, Assignment, KeptScene, Project, Task
from annotation.voxels.store import keep
from interaction.models import Command, Session
from interaction.worlds import meadow
from routing.versions import tree_named
from tests.builders import NOON, make_agent
from workforce.ledger import owe
from workforce.models import LedgerEntry, Worker

LIGHT = {"per_point": "0.30", "most": "3.00"}
_number = count(1)


def past_session(
    project: Project,
    worker: Worker,
    outcomes: Sequence[str] = (),
    *,
    misread: Sequence[int] = (),
    known: Sequence[int] = (),
    minutes: float = 6,
    cost: str = "0.50",
    arm: str = "",
    at: datetime = NOON,
    score: float = 0,
    is_dropped: bool = False,
    wording: Any = None,
    **more: Any,
) -> Session:
    """A session that was handed in.

    Args:
        outcomes: One for each command; "ok" and "" for those that were not marked.
        misread: Places of the commands that are known to be misunderstood; `known`: of others whose true form is known.
        cost: Base pay, in the ledger.
    """
    number = next(_number)
    end = at + timedelta(minutes=minutes)
    task = Task.objects.create(
        project=project,
        key=f"past-{number}",
        payload={},
        wanted=1,
        slots_left=0,
        open=False,
        shuffle=number,
        created_at=at,
    )
    hold = Assignment.objects.create(
        task=task,
        worker=worker,
        status=Assignment.Status.SUBMITTED,
        claimed_at=at,
        lease_expires_at=end,
        closed_at=end,
        wording=wording,
    )
    reason = more.pop("reason", Session.Reason.FINISHED)
    fields: dict[str, Any] = {
        "agent": Agent.objects.filter(slug=project.settings["agent"]).first() or make_agent(),
        "tree": tree_named("default"),
        "scene": _scene(),
        "minimum_s": 300,
        "stoplight": LIGHT,
        "reflection": {},
        "base_pay": Decimal(cost),
        "started_at": at,
        "ended_at": end,
        **more,
    }
    session = Session.objects.create(
        project=project, assignment=hold, arm=arm, score=score, reason=reason, created_at=at, moved_at=end, **fields
    )
    for place, outcome in enumerate(outcomes):
        is_misread = True if place in misread else False if place in known else None
        Command.objects.create(
            project=project,
            session=session,
            agent=session.agent,
            worker=worker,
            name=f"c{place}",
            seq=place + 1,
            text=f"build thing {number} {place}",
            status=Command.Status.DONE,
            sent_at=at,
            over_at=at,
            outcome=outcome,
            judged_at=at if outcome else None,
            truth=None if is_misread is None else {},
            is_misread=is_misread,
        )
    if reason == Session.Reason.FINISHED:
        annotation = Annotation.objects.create(
            project=project,
            number=number,
            assignment=hold,
            task=task,
            worker=worker,
            answer={},
            claimed_at=at,
            submitted_at=end,
            is_dropped=is_dropped,
        )
        pay(session, f"base:annotation:{annotation.public_id}", cost, LedgerEntry.Kind.BASE)
    return session


def pay(session: Session, reason: str, amount: str, kind: LedgerEntry.Kind) -> None:
    worker = session.assignment.worker
    owe(worker=worker, kind=kind, reason=reason, amount=Decimal(amount), currency="USD", at=NOON)


def _scene() -> KeptScene:
    found = KeptScene.objects.first()
    return found or KeptScene.objects.get(digest=keep([meadow(0)], at=NOON)[0])
