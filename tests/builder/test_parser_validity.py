"""The parser gives a valid form for any text, and the form can be said in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.parser import relations, verbs, vocabulary
from builder.parser.sentence import parse
from lib.logical_form.english.outline import outline, sentence
from lib.logical_form.spans import tokenise
from lib.logical_form.validate import faults_of
from tests.support.shared_data import needs_real_pairs, real_pairs

TABLES = [
    table
    for module in (verbs, relations, vocabulary)
    for name, table in vars(module).items()
    if name.isupper() and isinstance(table, frozenset | set | dict) and all(isinstance(entry, str) for entry in table)
]
KNOWN = sorted({word for table in TABLES for entry in table for word in entry.split()})
OTHERS = tokenise(
    "cube house the a an of that is are what where how many called made until times twice forever except not or and "
    "for so to from with x by 5 5x5 -3 degrees steps blocks 1,000 (4, 5) ( ) , . ?! it's don't &nbsp; <div> </div> "
    "\u2026"
)
WORDS = st.one_of(st.sampled_from(KNOWN), st.sampled_from(OTHERS))


def assert_valid(tokens: list[str]) -> None:
    form = parse(tokens)
    assert faults_of(form, words=len(tokens)) == []
    assert sentence(form, tokens)
    outline(form, tokens)


@given(st.one_of(st.lists(WORDS, max_size=16), st.lists(st.one_of(st.text(max_size=12), WORDS), max_size=12)))
def test_any_text_gives_a_valid_form(tokens: list[str]) -> None:
    assert_valid(tokens)


@pytest.mark.parametrize(
    "tokens",
    [
        [],
        [""],
        [" "],
        ["..."],
        ["a b", "c\nd"],
        ["build"] * 300,
        ["right"] * 300,
        ["to"] * 300,
        tokenise("build a cube on") + ["a", "cube", "on"] * 90,
        tokenise("destroy the red") + ["or", "blue"] * 100,
        tokenise("destroy a cube") + ["except", "a", "cube"] * 90,
        tokenise("jump and") * 100,
        tokenise("call it the") * 80,
        ["the"] * 5000,
        ["build", "x" * 100_000],
    ],
    ids=lambda tokens: f"{' '.join(tokens)[:20]!r} of {len(tokens)}",
)
def test_long_and_empty_commands_give_a_valid_form(tokens: list[str]) -> None:
    assert_valid(tokens)


@needs_real_pairs
def test_every_real_command_gives_a_valid_form() -> None:
    for pair in real_pairs():
        assert_valid(tokenise(pair.text))
