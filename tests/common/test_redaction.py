"""Names are found in longer texts as whole words only."""

import pytest

from common.redaction import Mentions


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("ann", "[removed]"),
        ("Ask ANN.", "Ask [removed]."),
        ("direct:ann wrote", "[removed] wrote"),
        ('{"who": "ann"}', '{"who": "[removed]"}'),
        ("prolific:ann", "prolific:[removed]"),
        ("hannah", "hannah"),
        ("ann-2", "ann-2"),
        ("ann_b", "ann_b"),
        ("ann.berg", "ann.berg"),
        ("", ""),
    ],
)
def test_a_word_is_found_where_it_stands_by_itself(text: str, without: str) -> None:
    mentions = Mentions(["ann", "direct:ann"])
    assert mentions.without(text) == without
    assert mentions.within(text) == (text != without)


def test_special_characters_in_a_name_match_themselves() -> None:
    assert not Mentions(["a.b"]).within("aXb")


def test_an_empty_list_of_words_is_an_error() -> None:
    with pytest.raises(ValueError, match="nothing"):
        Mentions([])
