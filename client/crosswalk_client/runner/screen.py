"""The window in which a person sees an environment, and the keyboard; pygame draws it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from crosswalk_client.runner.environments import needed

SHORTEST_SIDE = 480
"""Smaller pictures are shown enlarged, so that their longer side has at least this many pixels."""
_LINE, _MARGIN = 22, 8
_INK, _PAPER = (240, 240, 240), (24, 24, 24)


class Key(NamedTuple):
    """A key that went down or up; its name is pygame's, as `left`, `space` or `a`."""

    name: str
    is_down: bool


CLOSED = Key("escape", is_down=True)
"""Closing the window is as pressing Escape."""


class Screen(Protocol):
    """A window and a keyboard."""

    def show(self, picture: np.ndarray[Any, Any], *lines: str) -> None:
        """Show the picture with lines of text below it."""

    def keys(self, *, until: float) -> Iterator[Key]:
        """The keys as they go down and up, until this time of `now`."""

    def now(self) -> float:
        """Seconds of a clock that never goes back."""


class Window:
    """A window of pygame."""

    def __init__(self) -> None:
        self._pygame = needed("pygame")
        self._pygame.display.init()
        self._pygame.font.init()
        self._font = self._pygame.font.Font(None, _LINE)
        self._surface: Any = None

    def show(self, picture: np.ndarray[Any, Any], *lines: str) -> None:
        game = self._pygame
        height, width = picture.shape[:2]
        scale = max(1, -(-SHORTEST_SIDE // max(height, width)))
        size = (width * scale, height * scale + _LINE * len(lines) + 2 * _MARGIN)
        if self._surface is None or self._surface.get_size() != size:
            self._surface = game.display.set_mode(size)
            game.display.set_caption("Crosswalk")
        self._surface.fill(_PAPER)
        drawn = game.surfarray.make_surface(picture.swapaxes(0, 1))
        self._surface.blit(game.transform.scale(drawn, (width * scale, height * scale)), (0, 0))
        for number, line in enumerate(lines):
            place = (_MARGIN, height * scale + _MARGIN + number * _LINE)
            self._surface.blit(self._font.render(line, True, _INK), place)
        game.display.flip()

    def keys(self, *, until: float) -> Iterator[Key]:
        game = self._pygame
        while True:
            left_ms = int(1000 * (until - self.now()))
            event = game.event.wait(left_ms) if left_ms > 0 else game.event.poll()
            if event.type == game.QUIT:
                yield CLOSED
            elif event.type in (game.KEYDOWN, game.KEYUP):
                yield Key(game.key.name(event.key), event.type == game.KEYDOWN)
            elif event.type == game.NOEVENT and self.now() >= until:
                return

    def now(self) -> float:
        return time.monotonic()

    def close(self) -> None:
        self._pygame.display.quit()
