"""A worker who knows the form and does nothing but answer the questions over HTTP writes that form."""

from typing import Any

import pytest

from annotation.models import Consensus
from annotation.tool_registry import Json
from annotation.tools.parse.steps import after_answer, open_steps, tidied
from annotation.tools.parse.steps import faults_of as faults_of_step
from lib.logical_form.asking.walk import walk
from lib.logical_form.normal import same
from lib.logical_form.spans import tokenise
from tests.support.builders import make_worker
from tests.support.shared_data import OURS, Formed, form_of, valid_pairs
from tests.support.tool_workers import make_parse_project, perfect, post_commands, work_through

pytestmark = pytest.mark.long

WANTED = 0.95


def _asked(pair: Formed, form: Json) -> Json:
    """The form that its questions give, each answer checked as when it is handed in."""
    knows, record = perfect({pair.text: form}), dict[str, Any]()
    while opened := open_steps(record):
        step = opened[0]
        asked = {"text": pair.text, "node": {"step": step.key}, "questions": [{"id": step.questions[0].id}]}
        said = knows(asked)["answers"]
        assert faults_of_step(record, step, said, words=len(tokenise(pair.text))) == []
        record = after_answer(record, step.key, {"answers": tidied(step, said)}).record
    return walk(record).form


@pytest.mark.slow
def test_real_commands_come_back_of_their_questions() -> None:
    """At least 95 % of them; the form of the others is not valid, or has a part that no question asks for."""
    forms = [(pair, form_of(pair)) for pair in valid_pairs()]
    lost = [pair.text for pair, form in forms if form is None or not same(_asked(pair, form), form)]
    assert len(lost) <= (1 - WANTED) * len(forms), lost


@pytest.mark.django_db
@pytest.mark.parametrize("given_to", ["one_worker", "many_workers"])
def test_our_own_commands_come_back_as_they_are(given_to: str, as_worker: Any) -> None:
    project = make_parse_project(given_to=given_to)
    forms = {pair.text: form for pair in OURS if (form := form_of(pair)) is not None}
    assert len(forms) == len(OURS)
    tasks = post_commands(project, {f"c{number}": text for number, text in enumerate(forms)})
    work_through(as_worker(project, make_worker()), perfect(forms))
    for task in tasks:
        found = Consensus.objects.get(task=task, settled_at__isnull=False)
        assert same(found.answer["form"], forms[task.payload["text"]]), task.payload["text"]
