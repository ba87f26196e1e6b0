"""The last events of busy sessions, in the memory of the process that wrote them. Most readers need only these.

This is a cache: events that are not here are read from the log, and events that are here are in the log already.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from interaction.models import Event

EVENTS, SESSIONS = 8, 4096
BIG = 256
"""An event with more changes of blocks is not kept, to save memory."""
_lock = threading.Lock()
_kept: OrderedDict[int, OrderedDict[int, Event]] = OrderedDict()


def keep(events: Iterable[Event]) -> None:
    """Keep events that have just been committed; threads may call in any order, so each is kept by its number."""
    with _lock:
        for event in events:
            mine = _kept.setdefault(event.session_id, OrderedDict())
            _kept.move_to_end(event.session_id)
            if len(event.body.get("changes") or event.body.get("voxels") or ()) <= BIG:
                mine[event.seq] = event
            if event.type == "closed":
                # Later readers read the log, and the words of an ended session leave the memory.
                del _kept[event.session_id]
            while len(mine) > EVENTS:
                mine.popitem(last=False)
        while len(_kept) > SESSIONS:
            _kept.popitem(last=False)


def after(session: int, seq: int) -> list[Event]:
    """The events after `seq` without a gap, as far as they are kept."""
    found: list[Event] = []
    with _lock:
        mine: Mapping[int, Event] = _kept.get(session, {})
        while event := mine.get(seq + len(found) + 1):
            found.append(event)
    return found
