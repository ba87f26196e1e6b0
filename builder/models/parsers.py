"""The parsers of one session: a learnt model where one is deployed, and the agent's own rules."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from lib.logical_form import Form

logger = logging.getLogger(__name__)
RULES = "builder-1"
"""Names the agent's own rules as the parser of a form."""
UNSURE = 0.25
"""Below this score of a learnt model the rules decide. Measured in docs/learning-figures.md."""


class Scored(Protocol):
    """A form and how sure its model is, in [0, 1]."""

    @property
    def form(self) -> Form: ...
    @property
    def score(self) -> float: ...


class Loaded(NamedTuple):
    """A learnt parser and the id of its model. What it parses is a whole, valid form with a score."""

    model: str
    parse: Callable[[str], Scored]


class Understood(NamedTuple):
    """The parse of a command, with the model that made it.

    Attributes:
        version: Names the parser that made the form: the id of a model, or `RULES`.
        shadow: What a model that does not act made of it: {"model", "parse"}; None without one.
    """

    form: Form
    version: str
    shadow: dict[str, Any] | None


@dataclass(frozen=True)
class Parsers:
    """The parsers of one session.

    Attributes:
        deployed: Acts where it is sure enough; None where the rules alone act.
        shadow: Parses too, and does not act.
    """

    deployed: Loaded | None = None
    shadow: Loaded | None = None

    def understand(self, text: str, rules: Callable[[str], Form]) -> Understood:
        """The form of a command, by the deployed model or, where it is unsure or fails, by the rules."""
        found = _tried(self.deployed, text)
        beside = _tried(self.shadow, text)
        shadow = {"model": self.shadow.model, "parse": beside.form} if self.shadow and beside else None
        if self.deployed is not None and found is not None and found.score >= UNSURE:
            return Understood(found.form, self.deployed.model, shadow)
        return Understood(rules(text), RULES, shadow)


def _tried(loaded: Loaded | None, text: str) -> Scored | None:
    if loaded is None:
        return None
    try:
        return loaded.parse(text)
    except Exception:
        # A model comes from outside: whatever it does, the worker's command is still understood by the rules.
        logger.exception("builder.model_broke", extra={"model": loaded.model})
        return None
