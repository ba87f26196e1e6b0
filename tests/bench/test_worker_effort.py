"""The keystroke-level model: seconds of keys, of a mouse, and of the hand between them."""

import pytest

from bench.parts.worker_effort import Effort


@pytest.mark.parametrize(
    ("acts", "asked", "seconds"),
    [
        (["key"], 1, 0.28 + 1.35),
        (["pointer", "pointer"], 1, 2 * 1.3 + 1.35),
        (["pointer", "key", "key"], 1, 1.3 + 2 * 0.28 + 0.4 + 1.35),
        (["key"] * 3, 2, 3 * 0.28 + 2 * 1.35),
    ],
)
def test_seconds_add_up(acts: list[str], asked: int, seconds: float) -> None:
    assert Effort(acts, asked).model_s == pytest.approx(seconds)
