"""A person at the keyboard, in the place of an agent or of the policy that plays a context."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from crosswalk_client.runner.environments import needed
from crosswalk_client.runner.recipe import Unusable
from crosswalk_client.runner.screen import Screen, Window

BEGIN, END, GIVE_UP = "space", "return", "escape"
_FOREVER = math.inf
_WAIT_S = 3600.0


class GivenUp(Exception):
    """The person pressed Escape or closed the window."""


class ContextEnds(Exception):
    """The person pressed Return: the context ends before this step."""


@dataclass(frozen=True)
class Keys:
    """The actions of keys.

    Attributes:
        actions: By the name of the key. Actions that are lists of numbers add up while several keys are held; of other
            ones the key that went down last decides.
        idle: The action while no key is held, with which the environment goes on at its pace; None: it waits.
    """

    actions: Mapping[str, Any]
    idle: Any = None

    def action(self, held: list[str]) -> Any:
        """The action while these keys are held, of which the last went down last.

        >>> Keys({"left": [-1, 0], "up": [0, 1]}, idle=[0, 0]).action(["left", "up"])
        [-1, 1]
        >>> Keys({"left": 0, "up": 2}).action(["left", "up"])
        2
        """
        found = [self.actions[name] for name in held if name in self.actions]
        if not found:
            return self.idle
        if isinstance(found[0], list):
            return [sum(parts) for parts in zip(*found, strict=True)]
        return found[-1]


_GRID = {"left": 0, "right": 1, "up": 2, "page up": 3, "page down": 4, "tab": 3, "left shift": 4, "space": 5}
_CAR = {"left": [-1.0, 0.0, 0.0], "right": [1.0, 0.0, 0.0], "up": [0.0, 0.6, 0.0], "down": [0.0, 0.0, 0.8]}
KNOWN = {
    "MiniGrid-": Keys(_GRID),
    "BabyAI-": Keys(_GRID),
    "CarRacing-": Keys(_CAR, idle=[0.0, 0.0, 0.0]),
}
"""The keys of environments whose name begins so."""


def keys_of(environment: str, *, given: Mapping[str, Any], idle: Any = None) -> Keys:
    """The keys that are given, else those that are known for the environment.

    Raises:
        Unusable: there are none.
    """
    if given:
        return Keys(given, idle)
    name = environment.rpartition(":")[2]
    for begin, known in KNOWN.items():
        if name.startswith(begin):
            return Keys(known.actions, known.idle if idle is None else idle)
    raise Unusable(f"No keys are known for {environment}; name each: --press left=0 --press right=1.")


@dataclass
class Person:
    """An agent whose actions are what a person presses.

    The context is shown at its own pace. The person then takes over with Space; from there a step is made at each beat
    of the recording, or, where there is no idle action, at each key.

    Attributes:
        steps: How many steps there are until the deadline; None: as many as the person likes, until Return.
    """

    screen: Screen
    keys: Keys
    instruction: str
    fps: float
    steps: int | None = None
    _picture: Any = None
    _number: int = 0
    _beat: float = 0.0
    _held: list[str] = field(default_factory=list)

    def see(self, picture: np.ndarray[Any, Any]) -> None:
        """Show the picture of this moment; those of the context at their pace."""
        self._picture = picture
        if self._number or self.steps is None:
            self._show(self._left())
            return
        self._show("What happened before")
        self._pass_until(self.screen.now() + 1 / self.fps)

    def act(self, observation: Any) -> Any:
        """The action of the next step.

        Raises:
            GivenUp, ContextEnds: the person pressed Escape, or Return.
        """
        if not self._number:
            self._show("Press Space to take over" if self.steps else "Press Space to begin, Return where it ends")
            while self._next_down(_FOREVER) != BEGIN:
                pass
            self._beat = self.screen.now()
            self._show(self._left())
        self._number += 1
        if self.keys.idle is None:
            return self._action_of_next_key()
        self._beat += 1 / self.fps
        return self.keys.action(self._pass_until(self._beat))

    def _action_of_next_key(self) -> Any:
        while True:
            name = self._next_down(_FOREVER)
            if name in self.keys.actions:
                return self.keys.actions[name]

    def _pass_until(self, until: float) -> list[str]:
        """Let time pass; the keys that are held at its end, else the last one that was tapped meanwhile."""
        tapped = ""
        while name := self._next_down(until):
            tapped = name
        return [*self._held] or [tapped]

    def _next_down(self, until: float) -> str:
        """The next key that goes down; "" if none does until then."""
        while True:
            ends = min(until, self.screen.now() + _WAIT_S)
            for name, is_down in self.screen.keys(until=ends):
                self._held = [one for one in self._held if one != name] + ([name] if is_down else [])
                if not is_down:
                    continue
                if name == GIVE_UP:
                    raise GivenUp
                if name == END and self.steps is None:
                    raise ContextEnds
                return name
            if self.screen.now() >= until:
                return ""

    def _left(self) -> str:
        if self.steps is None:
            return f"Step {self._number}. Return ends the context here"
        left = self.steps - self._number
        return f"{left} steps left ({left / self.fps:.1f} s)"

    def _show(self, line: str) -> None:
        self.screen.show(self._picture, self.instruction, line)


@contextmanager
def window() -> Iterator[Screen]:
    """A window of this machine.

    Raises:
        Unusable: none can be opened here.
    """
    pygame = needed("pygame")
    try:
        made = Window()
    except pygame.error as error:
        raise Unusable(f"No window can be opened here: {error}.") from None
    try:
        yield made
    finally:
        made.close()
