"""Where recordings are posted to. Episodes are of an app that knows nothing of sessions: `config` joins the two."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from common.errors import Fault


class Choice(NamedTuple):
    """A scenario at which a command may be posted as a try."""

    suite: str
    scenario: str
    instruction: str


class Poster(Protocol):
    """What takes films as episodes."""

    def choices(self) -> list[Choice]:
        """Every scenario that there is, by suite and key. 1 query."""
        ...

    def faults(self, suite: str, scenario: str) -> list[Fault]:
        """Why nothing can be posted at this scenario; empty where it can. 1 query."""
        ...

    def post(self, data: Mapping[str, Any], *, video: Path, trajectory: bytes, at: datetime) -> int:
        """Post the episode; posting it again changes nothing.

        Args:
            data: As `POST /episodes/` takes it; without a continuation, the next is taken that is free.

        Returns:
            The continuation that it has.

        Raises:
            Invalid: something in the data.
            Conflict: the id or the try is another's.
        """
        ...

    def take_words_out(self, episodes: Sequence[str]) -> int:
        """Take what was said out of the episodes with these ids; how many had anything."""
        ...


_posters: list[Poster] = []


def post_with(poster: Poster) -> None:
    """Register where recordings go, from an `AppConfig.ready`."""
    _posters[:] = [poster]


def poster() -> Poster:
    """Raises: LookupError: nothing is registered."""
    if not _posters:
        raise LookupError("nothing takes recordings: see config/recordings.py")
    return _posters[0]
