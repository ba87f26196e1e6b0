"""The kinds of action, a file each. To add one, write its file and its line here."""

from collections.abc import Mapping

from interaction.builder.actions.again import resume, stop, undo
from interaction.builder.actions.build import build
from interaction.builder.actions.dance import dance
from interaction.builder.actions.destroy import destroy
from interaction.builder.actions.dig import dig
from interaction.builder.actions.fill import fill
from interaction.builder.actions.finish import finish
from interaction.builder.actions.get import get
from interaction.builder.actions.move import move, scout
from interaction.builder.actions.say import say
from interaction.builder.actions.spawn import spawn
from interaction.builder.situation import Action

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
"""How each type of action is done; of the others the agent says that it cannot."""
COUNT_THEMSELVES = frozenset({"BUILD", "DIG", "SPAWN"})
"""Actions that are told how many, and do not begin anew for each."""
