"""What is rung when a session has moved; `bell` carries it. Here only the names, so that whoever writes can ring."""

from collections.abc import Callable, Collection

from django.db import transaction

Key = tuple[str, int]
Ring = Callable[[Collection[Key]], None]
_ringers: list[Ring] = []


def of_session(pk: int) -> Key:
    return ("session", pk)


def of_process(pk: int) -> Key:
    return ("process", pk)


def ring_with(ringer: Ring) -> None:
    """Register what carries wake-ups, from an `AppConfig.ready`."""
    _ringers.append(ringer)


def ring_after_commit(*keys: Key) -> None:
    transaction.on_commit(lambda: [ring(keys) for ring in _ringers])
