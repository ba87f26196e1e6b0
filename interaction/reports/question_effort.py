"""The work on each question of the decision trees that follow the commands of live sessions.

A question's time runs from the moment at which the server asks it to the worker's answer. No right answer is known to
a question about what somebody meant, so no answer counts as wrong.
"""

from datetime import datetime

from annotation.models import Project
from interaction.models import Event, Session
from lib.question_effort import MOST_ROWS, QuestionEffort, Tally

MOST_SESSIONS = 200
"""The number of newest sessions whose questions are read; a log has thousands of events beside these."""
MOST_S = 300.0
"""A time longer than this counts as this: the worker was away."""


def question_efforts(project: Project) -> list[QuestionEffort]:
    """The work on each question of each tree. 2 queries."""
    newest = Session.objects.filter(project=project).order_by("-created_at", "-pk")
    trees = dict(newest.values_list("pk", "tree__tree__slug")[:MOST_SESSIONS])
    events = Event.objects.filter(session__in=trees, type__in=["question", "mark", "back"]).order_by("session", "seq")
    tally, labels = Tally(), dict[str, str]()
    open_in: dict[int, tuple[str, datetime]] = {}
    gone_back: set[int] = set()
    rows = events.values_list("session", "type", "body__node", "body__ask", "at")
    for session, kind, node, ask, at in rows[: 3 * MOST_ROWS]:
        if kind == "back":
            gone_back.add(session)
        elif kind == "question":
            question = f"{trees[session]}/{node}"
            labels[question], open_in[session] = ask, (question, at)
            if session in gone_back:
                # The question that is asked again is the one whose answer was taken back.
                gone_back.remove(session)
                tally.undone(question)
        elif session in open_in:
            question, asked_at = open_in.pop(session)
            tally.answered(question, seconds=min((at - asked_at).total_seconds(), MOST_S))
    if len(set(trees.values())) > 1:
        # Trees may ask the same.
        labels = {question: f"{asked} ({question.partition('/')[0]})" for question, asked in labels.items()}
    return tally.efforts(labels)
