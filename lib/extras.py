"""The extras of an installation: packages that are large, and that few servers need."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Final

from lib.faults import ExtraMissing

PACKAGES: Final[Mapping[str, str]] = {"parquet": "pyarrow", "nlu": "sklearn", "vision": "sklearn", "torch": "torch"}
"""By the name of an extra, a package that comes only with extras, and with this one."""
BY_HAND: Final[Mapping[str, str]] = {"torch": ".venv/bin/python -m pip install torch"}
"""How those are installed that `CROSSWALK_EXTRAS` does not know: which build is right depends on the machine."""


def is_installed(extra: str) -> bool:
    """Whether the server has this extra; "" names none, which every server has."""
    if not extra or extra not in PACKAGES:
        return True
    try:
        return find_spec(PACKAGES[extra]) is not None
    except ValueError:  # another module has put None in its place
        return False


def how_to_install(extra: str) -> str:
    """The command that installs an extra."""
    return BY_HAND.get(extra) or f"CROSSWALK_EXTRAS={extra} make serve"


def check_installed(extra: str) -> None:
    """Refuse what needs a missing extra.

    Raises:
        ExtraMissing: it is missing.
    """
    if not is_installed(extra):
        raise ExtraMissing(extra=extra, command=how_to_install(extra))
