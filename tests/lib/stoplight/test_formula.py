"""The score that a command adds to its session, and the reasons why it may add nothing."""

from dataclasses import replace
from decimal import Decimal
from math import log10

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.stoplight.corpus import Index
from lib.stoplight.formula import WHY_NOT, CommandScore, Earlier, Signs, bonus_of, colour_of, is_known, score_command
from lib.stoplight.settings import PRESETS, Settings, Weights
from tests.support.stoplight import OTHERS, SAID_MISUNDERSTOOD, SESSIONS, UNDERSTOOD, all_but, scores_of

DEFAULT, PAPER = PRESETS["default"], PRESETS["paper"]
EMPTY = Index(normalise=True).snapshot
FIRST = "put a tall lantern beside the old gate"
SECOND = "count how many chickens sleep in the barn"


def corpus_of(*texts: str, normalise: bool = True) -> Index:
    index = Index(normalise=normalise)
    index.extend((text, 1) for text in texts)
    return index


def one(
    text: str,
    *earlier: str,
    settings: Settings = DEFAULT,
    signs: Signs = UNDERSTOOD,
    corpus: Index | None = None,
    elsewhere: tuple[str, ...] = (),
) -> CommandScore:
    """The score of a command after others that counted."""
    snapshot = corpus.snapshot if corpus else EMPTY
    before = [Earlier(other, True, 5.0, 5.0) for other in earlier]
    return score_command(settings, text, earlier=before, elsewhere=elsewhere, signs=signs, corpus=snapshot)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (FIRST, ""),
        ("?!?!?! go !!!", "few_letters"),
        ("", "few_letters"),
        ("qwzx vbnmq the ghjkw", "unknown_words"),
        ("566086 753172 521925 901923", "numbers"),
        ("566086 753172 521925 build", "numbers"),
        ("3 5 7 9", "numbers"),
        ("go to 3 4 5", ""),
        ("dig a hole, behind the house", "near_duplicate"),
        ("DIG A HOLE... behind the house!!!", "near_duplicate"),
        ("ｄｉｇ a hole behind the house", "near_duplicate"),
        ("dig a deep hole behind the house", "near_duplicate"),
    ],
)
def test_a_text_that_is_no_command_or_a_copy_does_not_count(text: str, why: str) -> None:
    found = one(text, "dig a hole behind the house")
    assert (found.counted, found.why) == (not why, why)
    assert not why or found.advice == WHY_NOT[why]


@pytest.mark.parametrize(
    ("signs", "why"),
    [
        (Signs(is_judged=True, has_form=True, is_nlu_error=False), ""),
        (Signs(is_judged=True, has_form=False, is_nlu_error=True), ""),
        (Signs(is_judged=True, has_form=False, is_nlu_error=False), "not_understood"),
        (Signs(is_judged=False, has_form=True, is_nlu_error=False), "not_judged"),
    ],
)
def test_a_command_counts_if_it_was_understood_or_is_said_not_to_have_been(signs: Signs, why: str) -> None:
    assert one(FIRST, signs=signs).why == why
    assert one(FIRST, signs=signs, settings=PAPER).counted


def test_a_copy_from_an_earlier_session_does_not_count() -> None:
    assert one(FIRST, elsewhere=(SECOND, f"{FIRST}!")).why == "near_duplicate"
    assert one(FIRST, elsewhere=(SECOND,)).counted


def test_a_number_is_known_once_it_is_said_often_and_a_second_one_says_nothing_new() -> None:
    corpus = corpus_of("go to 4096", "dig 4096 holes", "jump 4096 times").snapshot
    assert is_known("4096", settings=DEFAULT, corpus=corpus)
    assert not is_known("4097", settings=DEFAULT, corpus=corpus)
    settings = replace(DEFAULT, word_order=False)
    one_number = scores_of(["dig 3 deep holes", "dig 8 deep holes"], settings=settings, corpus=EMPTY)
    assert one("paint 3 by 4 walls", "dig 7 deep holes").creativity < one("paint 3 tall green walls").creativity
    assert one_number[1].why == ""


def test_copies_of_others_commands_count_only_while_they_are_few() -> None:
    corpus = corpus_of(*all_but(0))
    mixed = scores_of([OTHERS[0], *SESSIONS[0]], settings=DEFAULT, corpus=corpus.snapshot)
    assert (mixed[0].near, mixed[0].why) == (True, "")
    assert mixed[-1].colour == "green"
    copied = scores_of(OTHERS[:10], settings=DEFAULT, corpus=corpus.snapshot)
    assert copied[-1].score == 0
    assert (copied[-1].why, copied[-1].advice) == ("copied", WHY_NOT["copied"])
    polite = scores_of([f"hey {text} please" for text in OTHERS[:10]], settings=DEFAULT, corpus=corpus.snapshot)
    assert polite[-1].score == 0
    off = scores_of(OTHERS[:10], settings=replace(DEFAULT, copies=False), corpus=corpus.snapshot)[-1]
    assert off.why == ""


def test_where_all_say_the_same_being_near_is_no_copy() -> None:
    said = [f"build {number} red huts" for number in (1, 2, 3)] * 60
    corpus = corpus_of(*said).snapshot
    assert corpus.norms.near_share > 0.8
    found = scores_of(said[:3], settings=replace(DEFAULT, near_duplicate=None), corpus=corpus)
    assert [one.why for one in found] == ["", "", ""]


def test_repeating_a_command_that_did_not_count_counts() -> None:
    first = scores_of([FIRST], settings=DEFAULT, corpus=EMPTY, signs=Signs(True, False, False))[0]
    before = [Earlier(FIRST, first.counted, first.creativity, first.diversity)]
    again = score_command(DEFAULT, FIRST, earlier=before, elsewhere=(), signs=UNDERSTOOD, corpus=EMPTY)
    assert (first.counted, again.counted) == (False, True)


def test_how_near_is_too_near_is_a_setting() -> None:
    near = ("dig a deep hole behind the house", "dig a hole behind the house")
    assert one(*near).why == "near_duplicate"
    assert one(*near, settings=replace(DEFAULT, near_duplicate=0.1)).counted
    assert one(near[0], near[0], settings=replace(DEFAULT, near_duplicate=0.0)).why == "near_duplicate"
    assert one(near[0], near[0], settings=replace(DEFAULT, near_duplicate=None)).counted


def test_a_command_that_does_not_count_changes_nothing() -> None:
    texts = [FIRST, SECOND, FIRST.upper(), "!!!"]
    scores = scores_of(texts, settings=DEFAULT, corpus=EMPTY)
    assert [score.counted for score in scores] == [True, True, False, False]
    assert {(score.score, score.bonus, score.quantity) for score in scores[1:]} == {
        (scores[1].score, scores[1].bonus, 2.0)
    }
    assert (scores[2].creativity, scores[2].diversity) == (0.0, 0.0)
    nothing = one("!!!")
    assert (nothing.score, nothing.bonus, nothing.colour, nothing.quantity) == (0.0, Decimal("0.00"), "red", 0.0)


def test_the_first_command_does_not_drag_the_diversity_down() -> None:
    """In an empty corpus creativity is that of the usual distance: (9.75 - 9.4)·16.667 = 5.83; 1.5 less for 3 words."""
    plain = replace(DEFAULT, word_order=False)
    first, second = scores_of(["build seven big towers", "count all sleeping chickens"], settings=plain, corpus=EMPTY)
    assert (first.creativity, first.diversity) == (5.83, 1.0)
    assert first.score == pytest.approx(10 * log10(5.83) / 3, abs=1e-4)
    assert second.score == pytest.approx(10 * (log10(2) + log10(10) + log10((5.83 + 4.33) / 2)) / 3, abs=1e-4)
    dragged = replace(plain, first_diversity=True)
    last = scores_of(["build seven big towers", "count all sleeping chickens"], settings=dragged, corpus=EMPTY)[-1]
    assert last.score == pytest.approx(10 * (log10(2) + log10(5.5) + log10((5.83 + 4.33) / 2)) / 3, abs=1e-4)


def test_weights_weigh_the_parts_of_the_score() -> None:
    only_quantity = replace(DEFAULT, weights=Weights(1, 0, 0), word_order=False, quantity_cap=4)
    scores = [score.score for score in scores_of(SESSIONS[0][:6], settings=only_quantity, corpus=EMPTY)]
    assert scores == pytest.approx([0, 10 * log10(4), 10 * log10(7), 10, 10, 10], abs=1e-4)


def test_an_empty_corpus_neither_punishes_nor_pays() -> None:
    """A command that is new to everybody is worth as much there as a usual one in a grown corpus."""
    usual, words = one("dig four deep holes there"), one("zebra quantum parliament yoghurt")
    assert usual.creativity == words.creativity == 5.83
    assert one("zqxv wkjh plmk zzyx").why == "unknown_words"
    half = one("dig zqxv there under wkjh")
    assert half.creativity < usual.creativity


def test_a_young_corpus_decides_little() -> None:
    said = corpus_of("dig four deep holes")
    assert one("dig four deep holes", corpus=said).creativity > 1
    assert one("dig four deep holes", corpus=said, settings=replace(DEFAULT, usual_weight=0)).creativity == 1


def test_where_all_speak_alike_that_is_usual() -> None:
    """In a corpus of few words each command is near to the others; what is as near as they are is worth as much."""
    things, colours, sizes = ("house", "tower", "wall", "cube"), ("red", "blue", "green"), ("big", "small", "flat")
    said = [f"build one {size} {colour} {thing}" for size in sizes for colour in colours for thing in things]
    corpus, text = corpus_of(*said[::2], *said[::2]), said[1]
    assert (corpus.snapshot.usual_distance or 1) < 0.6
    assert one(text, corpus=corpus).creativity > 4
    assert one(text, corpus=corpus, settings=replace(DEFAULT, own_scale=False)).creativity == 1


def test_unknown_words_are_worth_nothing() -> None:
    corpus = corpus_of(*all_but(0))
    known, unknown = "paint purple dragons today", "paint purple zqxvwk wkjhpp"
    earlier = "carve wooden spoons quickly"
    settings = replace(DEFAULT, most_unknown=0.6, usual_weight=0, own_scale=False)
    assert one(known, earlier, corpus=corpus, settings=settings).creativity > 9
    assert one(known, earlier, corpus=corpus, settings=settings).diversity == 10
    found = one(unknown, earlier, corpus=corpus, settings=settings)
    assert (found.counted, found.creativity, found.diversity) == (True, 1.0, 1.0)


def test_a_word_is_known_if_it_is_english_or_one_slip_away() -> None:
    words = ["tower", "towre", "towwer", "towwwer", "20", "2026", "xqf"]
    known = [word for word in words if is_known(word, settings=DEFAULT, corpus=EMPTY)]
    assert known == ["tower", "towre", "towwer", "20"]


def test_a_word_becomes_known_by_being_said() -> None:
    corpus = corpus_of("build a glowstonium", "dig a glowstonium")
    assert not is_known("glowstonium", settings=DEFAULT, corpus=corpus.snapshot)
    corpus.add("paint the Glowstonium!")
    assert is_known("glowstonium", settings=DEFAULT, corpus=corpus.snapshot)
    assert is_known("glowstoniun", settings=DEFAULT, corpus=corpus.snapshot)


def test_words_thrown_together_take_the_score_away() -> None:
    corpus = corpus_of(*all_but(0)).snapshot
    thrown = [" ".join(sorted(text.split(), key=lambda word: word[::-1])) for text in SESSIONS[0]]
    honest, salad = (scores_of(texts, settings=DEFAULT, corpus=corpus)[-1] for texts in (SESSIONS[0], thrown))
    assert honest.colour == "green"
    assert salad.score < honest.score / 3
    assert "side by side" in salad.advice
    off = scores_of(thrown, settings=replace(DEFAULT, word_order=False), corpus=corpus)[-1]
    assert off.score > honest.score * 0.9


@pytest.mark.parametrize(
    ("score", "colour"), [(0, "red"), (4.9999, "red"), (5, "amber"), (6.4999, "amber"), (6.5, "green"), (10, "green")]
)
def test_colours_begin_at_their_thresholds(score: float, colour: str) -> None:
    assert colour_of(DEFAULT, score) == colour


@pytest.mark.parametrize(
    ("score", "per_point", "most", "bonus"),
    [
        (8.41, "0.30", "3.00", "2.52"),
        (8.35, "0.1", "3.00", "0.84"),
        (10, "0.30", "3", "3.00"),
        (10, "0.30", "2.5", "2.50"),
        (0, "0.30", "3.00", "0.00"),
        (9.9, "0", "3.00", "0.00"),
    ],
)
def test_the_bonus_is_money_and_has_an_end(score: float, per_point: str, most: str, bonus: str) -> None:
    found = bonus_of(replace(DEFAULT, per_point=Decimal(per_point), most=Decimal(most)), score)
    assert str(found) == bonus


@pytest.mark.parametrize(
    ("text", "earlier", "advice"),
    [
        ("dig here", (), "longer"),
        (OTHERS[0] + " " + OTHERS[1], (), "shorter"),
        ("build a red house", (), "creative"),
        ("build four red doors", (), "more commands"),
        ("build four red doors", OTHERS[:5], "Go on"),
        (
            "build four red doors",
            ("build four red walls", "build two red doors", *["dig four red doors"] * 3),
            "different",
        ),
    ],
)
def test_advice_names_the_most_helpful_change(text: str, earlier: tuple[str, ...], advice: str) -> None:
    settings = replace(DEFAULT, word_order=False)
    assert advice in one(text, *earlier, settings=settings).advice


@settings(max_examples=30)
@given(st.lists(st.text(max_size=60) | st.sampled_from(OTHERS), max_size=8), st.sampled_from(["default", "paper"]))
def test_any_text_keeps_the_score_in_its_bounds(texts: list[str], preset: str) -> None:
    chosen = replace(PRESETS[preset], most=Decimal("2.00"))
    corpus = corpus_of(*OTHERS[:10], normalise=chosen.normalise).snapshot
    for score in scores_of(texts, settings=chosen, corpus=corpus, signs=SAID_MISUNDERSTOOD):
        assert 0 <= score.score <= 10
        assert Decimal(0) <= score.bonus <= Decimal("2.00")
        assert score.counted == (score.creativity >= 1 and score.diversity >= 1) == (score.why == "")
        assert score.advice
