"""The last events of busy sessions, in the memory of the process that wrote them. Most readers need only these.

This is a cache: events that are not here are read from the log, and events that are here are in the log already.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple, Self

from interaction.models import Event
from interaction.session.quotas import written

EVENTS, SESSIONS = 8, 4096
BIG = 4096
"""An event whose body has more characters is not kept, to save memory."""


class LoggedEvent(NamedTuple):
    """One event as readers of the log need it. A row takes ten times as long to make.

    Attributes:
        session: Its primary key.
        body: As JSON.
    """

    session: int
    seq: int
    role: Event.Role
    type: str
    body: str
    at: datetime

    @classmethod
    def of(cls, row: Event) -> Self:
        return cls(row.session_id, row.seq, Event.Role(row.role), row.type, written(row.body), row.at)


_lock = threading.Lock()
_kept: OrderedDict[int, OrderedDict[int, LoggedEvent]] = OrderedDict()


def keep(events: Iterable[LoggedEvent]) -> None:
    """Keep events that have just been committed; threads may call in any order, so each is kept by its number."""
    with _lock:
        for event in events:
            mine = _kept.get(event.session)
            if mine is None:
                mine = _kept[event.session] = OrderedDict()
            else:
                _kept.move_to_end(event.session)
            if len(event.body) <= BIG:
                mine[event.seq] = event
            if event.type == "closed":
                # Later readers read the log, and the words of an ended session leave the memory.
                del _kept[event.session]
            while len(mine) > EVENTS:
                mine.popitem(last=False)
        while len(_kept) > SESSIONS:
            _kept.popitem(last=False)


def after(session: int, seq: int) -> list[LoggedEvent]:
    """The events after `seq` without a gap, as far as they are kept."""
    found: list[LoggedEvent] = []
    with _lock:
        mine: Mapping[int, LoggedEvent] = _kept.get(session, {})
        while event := mine.get(seq + len(found) + 1):
            found.append(event)
    return found
