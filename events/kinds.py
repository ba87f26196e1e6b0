"""The types of events, and the patterns that name several of them."""

import re
from collections.abc import Sequence

from lib.faults import Fault, Invalid

TYPES = {
    "episode.ready": "The video of an episode is prepared.",
    "episode.failed": "The video of an episode cannot be used.",
    "task.settled": "A task has its consensus, or another one than before.",
    "project.done": "Every task of a live project is settled.",
    "run.complete": "Every continuation that a suite expects of an agent is judged.",
    "ranking.changed": "Agents of a suite have changed places.",
    "session.finished": "A live session has ended.",
    "command.judged": "A worker has said what became of a command.",
    "worker.paused": "A gate has paused a worker in a project.",
    "tranche.closed": "A tranche of data is closed.",
    "model.deployed": "A model is in use.",
    "alarm.budget": "The budget of a project is nearly used up, or no longer.",
    "alarm.references": "A project has too few references, or enough again.",
    "alarm.raters": "The raters of a project are no better than chance, or are again.",
    "alarm.agent": "An agent is silent, or is heard of again.",
    "alarm.jobs": "Background work is late, or runs again.",
    "alarm.hourly_rate": "An hour of work earns less than the floor, or enough again.",
    "alarm.disk": "The disk is nearly full, or has room again.",
}
"""Every type, with what happened."""
TEST = "webhook.test"
"""The type of the event that tries one webhook; `GET /events/` does not list it."""
_PREFIXES = {f"{name.partition('.')[0]}.*" for name in TYPES}
PATTERN = "|".join(re.escape(name) for name in [*TYPES, *sorted(_PREFIXES)])
"""A regular expression of every type and prefix."""
NO_SUCH = f"There are no such events. Types are {', '.join(TYPES)}, and prefixes such as `episode.*`."


def check_patterns(patterns: Sequence[str], *, pointer: str) -> None:
    """Check types and prefixes.

    Raises:
        Invalid: one of them is neither a type nor the prefix of one.
    """
    faults = [
        Fault(f"{pointer}/{number}", f"{pattern}: {NO_SUCH}")
        for number, pattern in enumerate(patterns)
        if pattern not in TYPES and pattern not in _PREFIXES
    ]
    if faults:
        raise Invalid(faults=faults)


def types_of(patterns: Sequence[str]) -> list[str]:
    """The types that the patterns name.

    >>> types_of(["episode.*", "task.settled"])
    ['episode.failed', 'episode.ready', 'task.settled']
    """
    prefixes = tuple(pattern[:-1] for pattern in patterns if pattern.endswith(".*"))
    return sorted(name for name in TYPES if name in patterns or (prefixes and name.startswith(prefixes)))
