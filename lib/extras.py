"""The extras of an installation: packages that are large, and that few servers need."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Final

from lib.faults import ExtraMissing

PACKAGES: Final[Mapping[str, str]] = {"parquet": "pyarrow", "nlu": "sklearn", "vision": "sklearn"}
"""By the name that `CROSSWALK_EXTRAS` takes, a package that comes only with extras, and with this one."""


def is_installed(extra: str) -> bool:
    """Whether the server has this extra; "" names none, which every server has."""
    if not extra or extra not in PACKAGES:
        return True
    try:
        return find_spec(PACKAGES[extra]) is not None
    except ValueError:  # another module has put None in its place
        return False


def check_installed(extra: str) -> None:
    """Refuse what needs a missing extra.

    Raises:
        ExtraMissing: it is missing.
    """
    if not is_installed(extra):
        raise ExtraMissing(extra=extra)
