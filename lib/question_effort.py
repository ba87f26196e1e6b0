"""How long each question of a tool takes, how often its answer is undone, and how often it is wrong."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from statistics import median
from typing import NamedTuple

MOST_ROWS = 20_000
"""The number of a project's newest answers that are read; its page stays quick however much was answered."""


class QuestionEffort(NamedTuple):
    """The work on one question.

    Attributes:
        question: Its name in the tool.
        ask: The question in words.
        answers: Answers to it among those that were read, undone ones included.
        usual_s: The median time of one answer, in seconds; None while no time is known.
        minutes: The times of all of them together.
        undone: How many of them their worker took back.
        references: How many of them are to references, and have a score.
        wrong: How many of those are not right.
    """

    question: str
    ask: str
    answers: int
    usual_s: float | None
    minutes: float
    undone: int
    references: int
    wrong: int


class Tally:
    """Counts and times of each question, by its name."""

    def __init__(self) -> None:
        self._times: dict[str, list[float]] = defaultdict(list)
        self._answers, self._undone, self._references, self._wrong = (Counter[str]() for _ in range(4))

    def answered(self, question: str, *, seconds: float | None, score: float | None = None) -> None:
        """Count an answer; its `score` is None where no right answer is known."""
        self._answers[question] += 1
        if seconds is not None:
            self._times[question].append(seconds)
        if score is not None:
            self._references[question] += 1
            self._wrong[question] += score < 1

    def undone(self, question: str) -> None:
        """Count that an answer to this question was taken back."""
        self._undone[question] += 1

    def efforts(self, labels: Mapping[str, str]) -> list[QuestionEffort]:
        """Each question that was answered; the one on which the most time was spent comes first."""
        found = [
            QuestionEffort(
                question=question,
                ask=labels.get(question, question),
                answers=answers,
                usual_s=round(median(times), 1) if (times := self._times[question]) else None,
                minutes=round(sum(times) / 60, 2),
                undone=self._undone[question],
                references=self._references[question],
                wrong=self._wrong[question],
            )
            for question, answers in self._answers.items()
        ]
        return sorted(found, key=lambda one: (-one.minutes, -one.answers, one.question))
