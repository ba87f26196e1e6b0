"""Quizzes seen from above: what a worker is shown of an attempt, and how good the questions are."""

from typing import NamedTuple

from annotation.statistics.items import ItemFigures, item_figures
from annotation.tools import Json
from annotation.tools.questions import hold_of
from workforce.models import Attempt, Qualification
from workforce.questions import Question, is_same, shown


def shown_to(attempt: Attempt) -> list[Json]:
    """The questions of an attempt as its worker gets them, in their order. 1 query for each task among them."""
    return [shown(question, hold=hold_of(attempt, question)) for question in attempt.questions]


class Item(NamedTuple):
    """A question of the bank with its figures; None while nobody has answered it as it is now."""

    question: Question
    figures: ItemFigures | None


def items_of(qualification: Qualification) -> list[Item]:
    """Each question with its difficulty and discrimination.

    Of every worker the first answer to a question counts: later ones have learnt from it. Answers to an earlier wording
    do not count. 1 query; it reads every attempt.
    """
    bank: list[Question] = qualification.questions
    place = {question["id"]: number for number, question in enumerate(bank)}
    first: dict[tuple[int, int], bool] = {}
    tries = Attempt.objects.filter(qualification=qualification, finished_at__isnull=False).order_by("pk")
    for worker, asked, right in tries.values_list("worker_id", "questions", "right").iterator(chunk_size=500):
        for question in asked:
            number = place.get(question["id"])
            if number is not None and (worker, number) not in first and is_same(question, bank[number]):
                first[worker, number] = bool((right or {})[question["id"]])
    figures = item_figures([worker for worker, _ in first], [item for _, item in first], list(first.values()))
    return [Item(question, figures.get(number)) for number, question in enumerate(bank)]
