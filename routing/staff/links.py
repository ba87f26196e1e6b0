"""Where the pages of a command are. Apps above routing have them; without one, a report names the command alone."""

from collections.abc import Callable

Find = Callable[[int, str], str | None]
_find: list[Find] = []


def commands_are_at(find: Find) -> None:
    """Say where the page of a command is, from an `AppConfig.ready`.

    Args:
        find: Called with the primary key of its project and its name there; its address, None where it has none.
    """
    _find.append(find)


def command_link(project: int, command: str) -> str | None:
    """The address of the page that shows the command as it was given; None where there is none."""
    return next((address for find in _find if (address := find(project, command)) is not None), None)
