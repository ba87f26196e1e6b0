"""A text is split into words."""

import pytest

from lib.stoplight.words import content_of, english_words, first_commands, letters_share, slips, stop_words, words_of
from tests.support.stoplight import OTHERS, SESSIONS


@pytest.mark.parametrize(
    "text",
    [
        "build a red house",
        "BUILD a Red HOUSE!!",
        "  build,a\tred…house. ",
        "ｂｕｉｌｄ ａ ｒｅｄ ｈｏｕｓｅ",
        "build-a_red/house",
        "b’uild a red hou'se",
    ],
)
def test_case_punctuation_and_forms_of_characters_make_no_difference(text: str) -> None:
    assert words_of(text, normalise=True) == ["build", "a", "red", "house"]


def test_words_of_other_languages_stay_words() -> None:
    assert words_of("Baue großes Haus, 作れ 家!", normalise=True) == ["baue", "grosses", "haus", "作れ", "家"]


def test_without_normalising_all_makes_a_difference() -> None:
    assert words_of("Build  a hole,", normalise=False) == ["Build", "", "a", "hole,"]
    assert content_of(["Come", "here", "", "hole,"]) == ["", "hole,"]


def test_a_text_without_end_is_cut() -> None:
    assert len(words_of("a " * 1_000_000, normalise=True)) == 1000


def test_there_are_the_stop_words_of_the_package_and_forty_thousand_words() -> None:
    assert len(stop_words()) == 108
    assert {"come", "here", "make"} <= stop_words()
    assert not {"build", "no", "off"} & stop_words()
    assert len(english_words()) > 40_000
    assert all(word.isascii() and word.isalpha() and word.islower() for word in english_words())


def test_one_slip_leads_back_to_the_word_and_two_do_not() -> None:
    near = [wrong for wrong in ("hous", "houuse", "hause", "hosue", "houses", "hauus") if "house" in slips(wrong)]
    assert near == ["houuse", "hause", "hosue", "houses"], "short words have no slips"


def test_the_share_of_letters_counts_letters_and_digits() -> None:
    assert letters_share("dig 3") == 1.0
    assert letters_share("?!?! go") == pytest.approx(1 / 3)


def test_the_first_commands_are_not_those_of_the_tests() -> None:
    said = {" ".join(words_of(text, normalise=True)) for session in (*SESSIONS, OTHERS) for text in session}
    assert len(first_commands()) > 200
    assert not said & set(first_commands())
