"""Whatever is typed, the parser gives a form that the grammar takes and that can be said in words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.logical_form.spans import tokenise
from annotation.logical_form.validate import faults_of
from annotation.logical_form.words import outline, sentence
from interaction.builder.parser import parse, relations, verbs, vocabulary
from tests.annotation.logical_form.real import needs_real_pairs, real_pairs

_KNOWN = sorted(
    {
        word
        for table in (
            verbs.VERBS,
            verbs.GERUNDS,
            verbs.REQUESTS,
            verbs.JOINTS,
            relations.RELATIONS,
            relations.DIRECTIONS,
            relations.SIDED,
            relations.TOWARDS,
            vocabulary.PEOPLE,
            vocabulary.RANKS,
            vocabulary.EXTENTS,
            vocabulary.MEASURED,
            vocabulary.FEW,
            vocabulary.ALL,
            vocabulary.POINTING,
            vocabulary.COLOURS,
            vocabulary.SIZES,
        )
        for entry in table
        for word in entry.split()
    }
)
_OTHERS = tokenise(
    "cube house the a an of that is are what where how many called made until times twice forever except not or and "
    "for so to from with x by 5 5x5 -3 degrees steps blocks 1,000 (4, 5) ( ) , . ?! it's don't &nbsp; <div> </div> "
    "\u2026"
)
_WORDS = st.one_of(st.sampled_from(_KNOWN), st.sampled_from(_OTHERS))


def _assert_valid(tokens: list[str]) -> None:
    form = parse(tokens)
    assert faults_of(form, words=len(tokens)) == []
    assert sentence(form, tokens)
    outline(form, tokens)


@settings(max_examples=300, deadline=None)
@given(st.lists(_WORDS, max_size=16))
def test_words_that_the_parser_knows_give_a_valid_form_in_any_order(tokens: list[str]) -> None:
    _assert_valid(tokens)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(st.text(max_size=12), _WORDS), max_size=12))
def test_any_text_gives_a_valid_form(tokens: list[str]) -> None:
    _assert_valid(tokens)


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
    _assert_valid(tokens)


@needs_real_pairs
def test_every_real_command_gives_a_valid_form() -> None:
    for pair in real_pairs():
        _assert_valid(tokenise(pair.text))
