"""The trees that every server begins with: each is valid, speaks plainly, and comes to the outcomes it should."""

import pytest

from lib.trees.engine import Facts, Outcome, Question, answer, begin, now
from lib.trees.parser import read_tree
from lib.trees.shipped import DEFAULT, PARSE_FIRST, RATE, SHIPPED, shipped_tree
from lib.trees.tree import KNOWN_OUTCOMES, Tree
from tests.support.trees import FACTS, NOTHING, PARSED, SEEN, UNSEEN, ends, facts_of

TREE = read_tree(shipped_tree(DEFAULT))
FIRST = read_tree(shipped_tree(PARSE_FIRST))
YES, NO = 0, 1
LATE = facts_of(parse={"dialogue_type": "NOOP"}, status="failed", reason="silent")
GONE = facts_of(status="failed", reason="agent_lost")
NOBODY = facts_of(status="failed", reason="no_agent")
CANNOT = facts_of(status="failed", reason="cannot")
SOME = facts_of(parse={"dialogue_type": "HUMAN_GIVE_COMMAND"}, found={"the cube": [[0, 0, 0]], "the ball": []})
AMONG = facts_of(parse={"a": 1}, found={"the cube": [], "the ball": [[0, 0, 0]]})


def _asked(facts: Facts, *choices: int, tree: Tree = TREE) -> list[str]:
    """The questions of one walk by name, then its outcome where it came to one."""
    step: Question | Outcome = begin(tree, facts)
    names = []
    for choice in choices:
        assert isinstance(step, Question)
        names.append(step.node.name)
        text = "it sang" if step.node.choices[choice].has_text else None
        step = answer(tree, facts, step.path, step.node.name, choice, text)
    return [*names, step.outcome if isinstance(step, Outcome) else step.node.name]


@pytest.mark.parametrize(
    ("facts", "choices", "expected"),
    [
        (SEEN, [YES], ["done", "ok"]),
        (SEEN, [NO, NO], ["done", "understood", "nlu_error"]),
        (SEEN, [NO, YES, NO], ["done", "understood", "object", "vision_error"]),
        (SEEN, [NO, YES, YES, 0], ["done", "understood", "object", "what", "capability_error"]),
        (SEEN, [NO, YES, YES, 1], ["done", "understood", "object", "what", "memory_error"]),
        (SEEN, [NO, YES, YES, 2], ["done", "understood", "object", "what", "task_error"]),
        (SEEN, [NO, YES, YES, 3], ["done", "understood", "object", "what", "agent_error"]),
        (SEEN, [NO, YES, YES, 4], ["done", "understood", "object", "what", "other_error"]),
        (UNSEEN, [NO, YES, YES], ["done", "understood", "nothing", "vision_error"]),
        (UNSEEN, [NO, YES, NO], ["done", "understood", "nothing", "what"]),
        (PARSED, [NO, YES], ["done", "understood", "what"]),
        (NOTHING, [NO, NO], ["done", "guessed", "nlu_error"]),
        (NOTHING, [NO, YES], ["done", "guessed", "what"]),
        (AMONG, [NO, YES], ["done", "understood", "object"]),
        (SOME, [NO, YES, YES], ["done", "understood", "object", "nothing"]),
        (SOME, [NO, YES, YES, YES], ["done", "understood", "object", "nothing", "vision_error"]),
        (SOME, [NO, YES, YES, NO], ["done", "understood", "object", "nothing", "what"]),
        (LATE, [0], ["silent", "ok"]),
        (LATE, [1, NO], ["silent", "understood", "nlu_error"]),
        (LATE, [2], ["silent", "agent_error"]),
        (GONE, [1, NO], ["silent", "guessed", "nlu_error"]),
        (NOBODY, [2], ["silent", "agent_error"]),
        (CANNOT, [NO], ["done", "guessed"]),
    ],
)
def test_the_default_tree_asks_these_questions(facts: Facts, choices: list[int], expected: list[str]) -> None:
    assert _asked(facts, *choices) == expected


@pytest.mark.parametrize(
    ("facts", "choices", "expected"),
    [
        (SEEN, [NO], ["understood", "nlu_error"]),
        (SEEN, [YES, YES], ["understood", "done", "ok"]),
        (SEEN, [YES, NO, NO], ["understood", "done", "object", "vision_error"]),
        (SEEN, [YES, NO, YES, 2], ["understood", "done", "object", "what", "task_error"]),
        (UNSEEN, [YES, NO, YES], ["understood", "done", "nothing", "vision_error"]),
        (SOME, [YES, NO, YES, YES], ["understood", "done", "object", "nothing", "vision_error"]),
        (PARSED, [YES, NO, 0], ["understood", "done", "what", "capability_error"]),
        (NOTHING, [YES], ["done", "ok"]),
        (NOTHING, [NO, NO], ["done", "guessed", "nlu_error"]),
        (NOTHING, [NO, YES, 4], ["done", "guessed", "what", "other_error"]),
        (LATE, [NO], ["understood", "nlu_error"]),
        (LATE, [YES, 0], ["understood", "silent", "ok"]),
        (LATE, [YES, 1, 1], ["understood", "silent", "what", "memory_error"]),
        (LATE, [YES, 2], ["understood", "silent", "agent_error"]),
        (GONE, [1, NO], ["silent", "guessed", "nlu_error"]),
        (GONE, [1, YES, 3], ["silent", "guessed", "what", "agent_error"]),
        (NOBODY, [2], ["silent", "agent_error"]),
        (CANNOT, [NO], ["done", "guessed"]),
    ],
)
def test_the_other_tree_shows_the_parse_before_anything_is_asked(
    facts: Facts, choices: list[int], expected: list[str]
) -> None:
    assert _asked(facts, *choices, tree=FIRST) == expected


@pytest.mark.parametrize("tree", [TREE, FIRST], ids=[DEFAULT, PARSE_FIRST])
def test_every_answer_and_every_outcome_that_routing_knows_is_met_by_some_command(tree: Tree) -> None:
    met = [end for facts in (*FACTS, SOME, GONE, LATE) for end in ends(tree, facts)]
    given = {(turn["node"], turn["choice"]) for end in met for turn in end.path}
    assert given == {(name, number) for name, node in tree.nodes.items() for number in range(len(node.choices))}
    named = {choice.outcome for node in tree.nodes.values() for choice in node.choices if choice.outcome}
    assert named == {end.outcome for end in met} == set(KNOWN_OUTCOMES)


def test_rating_is_one_question() -> None:
    tree = read_tree(shipped_tree(RATE))
    assert list(tree.nodes) == ["done"]
    for facts in FACTS:
        assert [end.outcome for end in ends(tree, facts)] == ["ok", "task_error", "other_error"]
    assert isinstance(now(tree, NOTHING, [{"node": "done", "choice": 2, "text": "it was dark"}]), Outcome)


@pytest.mark.parametrize("slug", SHIPPED)
def test_workers_are_spoken_to_in_their_own_words(slug: str) -> None:
    tree = read_tree(shipped_tree(slug))
    said = " ".join(f"{node.ask} {node.help} {' '.join(c.label for c in node.choices)}" for node in tree.nodes.values())
    for word in ("agent", "parse", "voxel", "node", "error", "NLU", "command"):
        assert word not in said.split(), word
    for node in tree.nodes.values():
        labels = [choice.label for choice in node.choices]
        assert len(set(labels)) == len(labels)
        assert node.ask.endswith("?")
