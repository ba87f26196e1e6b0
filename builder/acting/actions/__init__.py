"""The function for each kind of action. To add a kind, write its function and add a line here."""

from collections.abc import Mapping

from builder.acting.actions.build import build
from builder.acting.actions.control import resume, stop, undo
from builder.acting.actions.dance import dance
from builder.acting.actions.fill import fill
from builder.acting.actions.finish import finish
from builder.acting.actions.move import get, move, scout
from builder.acting.actions.removal import destroy, dig
from builder.acting.actions.spawn import spawn
from builder.acting.actions.speech import say
from builder.acting.context import Action

ACTIONS: Mapping[str, Action] = {
    "BUILD": build,
    "MOVE": move,
    "DESTROY": destroy,
    "DANCE": dance,
    "DIG": dig,
    "FILL": fill,
    "GET": get,
    "SPAWN": spawn,
    "FREEBUILD": finish,
    "SCOUT": scout,
    "STOP": stop,
    "RESUME": resume,
    "UNDO": undo,
    "SAY": say,
}
"""The function for each action type. The agent refuses all other types."""
COUNT_THEMSELVES = frozenset({"BUILD", "DIG", "SPAWN"})
"""Actions that read the number of repetitions themselves instead of being started once for each."""
