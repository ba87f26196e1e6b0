"""Names in longer texts: whole words only."""

import pytest

from common.mentions import Mentions


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
def test_a_word_counts_where_it_stands_by_itself(text: str, without: str) -> None:
    mentions = Mentions(["ann", "direct:ann"])
    assert mentions.without(text) == without
    assert mentions.within(text) == (text != without)


def test_signs_in_a_name_mean_themselves() -> None:
    assert not Mentions(["a.b"]).within("aXb")


def test_nothing_to_look_for_is_an_error() -> None:
    with pytest.raises(ValueError, match="nothing"):
        Mentions([])
