"""The share of real commands on which the parser agrees with annotators; `pytest -s` prints the shares.

The 500 pairs were chosen to show every key of the grammar, rare ones above all, and were read while the parser was
written. The forms that people gave to a whole batch of a live crowd were not: they are the fairer figure.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from builder.parser.sentence import parse
from lib.logical_form import Form
from lib.logical_form.normal import normal, same
from lib.logical_form.spans import tokenise
from tests.support.shared_data import FILE as PAIRS
from tests.support.shared_data import needs_real_pairs, real_pairs

BATCH = PAIRS.with_name("droidlet_nlu_error_fixture.jsonl")


class Agreement(NamedTuple):
    """Shares of commands, each in [0, 1]: same dialogue type; same actions in the same order too; same form."""

    dialogue: float
    actions: float
    form: float


@needs_real_pairs
def test_the_parser_mostly_agrees_with_the_annotated_pairs() -> None:
    found = _agreement([(pair.text, pair.form) for pair in real_pairs()])
    print(f"\nannotated pairs: {found}")  # noqa: T201
    assert found.dialogue > 0.95
    assert found.actions > 0.74
    assert found.form > 0.33


def test_the_parser_mostly_agrees_with_a_batch_of_a_crowd() -> None:
    if not BATCH.exists():
        pytest.skip("../shared/data/droidlet_nlu_error_fixture.jsonl is not here")
    found = _agreement(_golds(BATCH))
    # The forms of this file hold words in place of spans, so they are compared by their types alone.
    print(f"\nbatch of a crowd: dialogue={found.dialogue} actions={found.actions}")  # noqa: T201
    assert found.dialogue > 0.95
    assert found.actions > 0.84


def _golds(file: Path) -> list[tuple[str, Any]]:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [(row["text"], row["gold"]) for row in rows if row.get("gold")]


def _agreement(pairs: list[tuple[str, Any]]) -> Agreement:
    dialogue = actions = form = 0
    for text, truth in pairs:
        found = parse(tokenise(text))
        is_dialogue = found["dialogue_type"] == truth["dialogue_type"]
        dialogue += is_dialogue
        actions += is_dialogue and _actions(normal(found)) == _actions(normal(truth))
        form += same(found, truth)
    return Agreement(*(round(count / len(pairs), 3) for count in (dialogue, actions, form)))


def _actions(form: Form) -> list[str]:
    """The kinds of all actions, those of nested sequences in their place."""
    kinds: list[str] = []
    for step in form.get("event_sequence", []):
        kinds += _actions(step) if "event_sequence" in step else [step["action_type"]]
    return kinds
