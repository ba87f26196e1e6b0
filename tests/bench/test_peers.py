"""The side by side measurement counts calls and errors."""

from itertools import count

import pytest

from bench.peers.label_studio import LabelStudio
from bench.peers.measure import quantile, worked
from bench.peers.product import Annotator


class Someone(Annotator):
    """Takes the tasks 1, 2, 3 …; every third answer fails."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def next(self) -> tuple[int, float, object]:
        return 200, 0.001, next(self._numbers)

    def draft(self, task: object) -> tuple[int, float]:
        return 200, 0.002

    def submit(self, task: object) -> tuple[int, float]:
        assert isinstance(task, int)
        return (503, 0.1) if task % 3 == 0 else (201, 0.003)


def test_answers_errors_and_tasks_given_twice_are_counted() -> None:
    work = worked([Someone(), Someone()], 6)
    assert [len(work.seconds[name]) for name in ("next", "draft", "submit")] == [12, 12, 8]
    assert dict(work.errors) == {"submit 503": 4}
    assert work.twice == 6
    assert work.answers_a_second > 0


@pytest.mark.parametrize(
    ("values", "share", "milliseconds"),
    [([], 0.5, 0), ([0.004], 0.95, 4), ([0.001, 0.002, 0.003], 0.5, 2), ([i / 1000 for i in range(1001)], 0.999, 999)],
)
def test_quantiles_are_in_milliseconds(values: list[float], share: float, milliseconds: float) -> None:
    assert quantile(values, share) == pytest.approx(milliseconds)


def test_a_peer_that_is_not_there_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("LABEL_STUDIO", raising=False)
    assert "LABEL_STUDIO" in LabelStudio.missing()
    monkeypatch.setenv("LABEL_STUDIO", "anything")
    assert LabelStudio.missing() == ""
