"""The kinds of items, one for each module: how an item is identified, where its truth comes from, how it is written.

A module that has no kind here can have trainers, but no tranches.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from annotation.models import Project
from lib.faults import NotFound
from lib.splits import Split, item_digest, split_of

Json = dict[str, Any]


class Known(NamedTuple):
    """An item whose truth is known in a project.

    Attributes:
        known_at: When its truth became known, or last changed.
        may_test: Whether the truth is sure enough for a test set; see `truths.py`.
        task: The primary key of the task behind it; None: none.
        annotations, authors: Primary keys of the answers behind the truth, and of the workers who said it.
    """

    given: Json
    truth: Any
    origin: str
    known_at: datetime
    may_test: bool
    task: int | None = None
    annotations: Sequence[int] = ()
    authors: Sequence[int] = ()


class Kind(ABC):
    """The items of one module."""

    module: ClassVar[str]

    def item(self, given: Json) -> str:
        """The id of the item; equal for equal items."""
        return item_digest(self.module, self.name(given))

    def split(self, given: Json) -> Split:
        return split_of(self.module, self.unit(given))

    @abstractmethod
    def name(self, given: Json) -> str:
        """The key that identifies the item within its module."""

    @abstractmethod
    def unit(self, given: Json) -> str:
        """The key of the group that must stay within one split."""

    @abstractmethod
    def read(self, body: Mapping[str, Any], *, pointer: str) -> tuple[Json, Any]:
        """The given and the truth of a posted item.

        Raises:
            Invalid: it is no item of this module.
        """

    @abstractmethod
    def keep(self, given: Sequence[Json], *, at: datetime) -> list[Json]:
        """The content that rows keep of these items, in order; large parts are stored once elsewhere."""

    @abstractmethod
    def is_same(self, a: Any, b: Any) -> bool:
        """Whether two truths of one item mean the same."""

    @abstractmethod
    def known_in(self, project: Project, *, since: datetime | None) -> Iterator[Known]:
        """The items whose truth is known in this project, in the order of their tasks.

        Args:
            since: Only those whose truth became known then or later.

        Raises:
            Invalid: this project has no items of this module.
        """

    @abstractmethod
    def line(self, given: Json, truth: Any) -> Json:
        """The item as a line of an export has it."""

    def to_learn(self, given: Json) -> Any:
        """The example that a trainer gets for a kept item."""
        return given


_kinds: dict[str, Kind] = {}


def register(kind: Kind) -> None:
    """Add the kind of a module, from `LearningConfig.ready`."""
    _kinds[kind.module] = kind


def kind_of(module: str) -> Kind:
    """The kind of items of a module.

    Raises:
        NotFound: there is no such module.
    """
    if module not in _kinds:
        raise NotFound(f"There is no module {module!r}; there are {', '.join(_kinds)}.")
    return _kinds[module]


def modules() -> list[str]:
    """The modules that have tranches."""
    return list(_kinds)
