"""The last events of busy sessions, as this process wrote them: most readers need no more than the next one.

Only a shortcut: what is not here is read from the log, and what is here is in the log already.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from interaction.models import Event

EVENTS, SESSIONS = 8, 4096
BIG = 256
"""Changes of blocks in one event beyond which it is not worth its memory."""
_lock = threading.Lock()
_kept: OrderedDict[int, OrderedDict[int, Event]] = OrderedDict()


def keep(events: Iterable[Event]) -> None:
    """Keep events that were committed just now. Threads may come out of order, so each is kept by its number."""
    with _lock:
        for event in events:
            mine = _kept.setdefault(event.session_id, OrderedDict())
            _kept.move_to_end(event.session_id)
            if len(event.body.get("changes") or event.body.get("voxels") or ()) <= BIG:
                mine[event.seq] = event
            if event.type == "closed":
                # Whoever still reads it asks the log; what people said there stays in memory no longer.
                del _kept[event.session_id]
            while len(mine) > EVENTS:
                mine.popitem(last=False)
        while len(_kept) > SESSIONS:
            _kept.popitem(last=False)


def after(session: int, seq: int) -> list[Event]:
    """The events that follow on `seq` without a gap, as far as they are here."""
    found: list[Event] = []
    with _lock:
        mine: Mapping[int, Event] = _kept.get(session, {})
        while event := mine.get(seq + len(found) + 1):
            found.append(event)
    return found
