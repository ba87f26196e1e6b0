"""The rows of a ranking as pages and reports show them: with rank intervals, and letters for agents that are tied."""

from string import ascii_lowercase
from typing import NamedTuple

from evaluation.figures.rank_intervals import FoundIntervals
from evaluation.ranking import Ranking, RankingRow
from lib.statistics.suites.rank_intervals import RankInterval


class Standing(NamedTuple):
    """One agent. Agents that share a letter were not told apart."""

    row: RankingRow
    interval: RankInterval | None
    ties: str


def standings(ranking: Ranking, found: FoundIntervals) -> list[Standing]:
    """The rows, best first.

    >>> letter(0), letter(27)
    ('a', 'b2')
    """
    letters: dict[str, list[str]] = {}
    for number, group in enumerate(found.ties):
        for agent in group:
            letters.setdefault(agent, []).append(letter(number))
    return [Standing(row, found.intervals.get(row.agent), " ".join(letters.get(row.agent, ()))) for row in ranking.rows]


def letter(number: int) -> str:
    """The name of a group of tied agents."""
    turn, at = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[at] + (str(turn + 1) if turn else "")
