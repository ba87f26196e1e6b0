"""The text of workers is cleaned and compared, and does not reach annotators if it is no command."""

import json
from typing import Final

import pytest

from lib.command_text import FAULTS, clean, fault_of, plain
from tests.support.shared_data import PLAYERS, needs_players

CLEANED: Final = [
    ("& nbsp;Dig a hole", "Dig a hole"),
    ("Build a green& nbsp ; structure&nbsp ;", "Build a green structure"),
    ("Dance until I say stop.&nbsp;&nbsp ;", "Dance until I say stop."),
    ("Copy&nbsp;mushrooms", "Copy mushrooms"),
    ("< div > Fill in the</div><div > hole</div >", "Fill in the hole"),
    ('< div style="text - align : left;">Build a cube here</div >', "Build a cube here"),
    ('<p class="x">Move</p> <span style="color : rgb ( 51 , 51 , 51 ) ; fo', "Move"),
    ("Move</span><spa", "Move"),
    ("stop</s", "stop"),
    ("dig &amp; fill", "dig & fill"),
    ("dig &amp;nbsp; here", "dig here"),
    ("don&#39;t & #x27;move& #x27 ;", "don't 'move'"),
    ("<style>p { color: red }</style>dance <!-- now -->", "dance"),
    ("<script>alert(1)</script>", ""),
    ("build\u00a0a\u200b cube\t\x00here", "build a cube here"),
    ("\uff22\uff35\uff29\uff2c\uff24", "BUILD"),
]
KEPT: Final = [
    "if x < y then dig & fill ; stop",
    "put 3 < 5 blocks > here",
    "tag it as < my house >",
    "go to 40.5, 63.0, 62.5",
    "what 's 3 & 4 ; tell me",
]


@pytest.mark.parametrize(("text", "words"), CLEANED)
def test_markup_goes_and_the_words_stay(text: str, words: str) -> None:
    assert clean(text) == words
    assert clean(words) == words


@pytest.mark.parametrize("text", KEPT)
def test_text_that_only_looks_like_markup_stays(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("Build a House!", "build a house", True),
        ("build  a, house .", "Build a house?", True),
        ("fill the hole you 're in", "Fill the hole you\u2019re in.", True),
        ("kill chickens'", "kill chickens", True),
        ("< b > Stop</b >", "stop", True),
        ("go to 1, 2", "go to 1 , 2", True),
        ("STRASSE", "straße", True),
        ("move 3.5 steps", "move 35 steps", False),
        ("move -5 steps", "move 5 steps", False),
        ("dig a hole", "dig the hole", False),
        ("it's there", "its there", False),
    ],
)
def test_plain_texts_are_equal_if_they_say_the_same(one: str, other: str, is_same: bool) -> None:
    assert (plain(one) == plain(other)) == is_same


def test_plain_words_fit_their_column() -> None:
    assert len(plain("ab " * 4000)) <= 500
    assert plain(plain("Move -3.5 steps, you 're slow'")) == plain("Move -3.5 steps, you 're slow'")


FAULTY: Final = {
    "empty": ["", " \t\u200b"],
    "markup": [
        *("< br >", "& nbsp ;<div></div>", 'style = " font - size : 10px "', "color : rgb ( 51 , 51 , 51 ) ;"),
        *("box - sizing : border - box ; margin : 0px", '{"action": "build"}', '<my-tag name="x">build</my-tag>'),
    ],
    "too_long": ["word " * 301],
    "no_words": ["34473", "tt]]]]]]]]]", "1/2/3/4", "?!?!", "\U0001f600 \U0001f600"],
    "unsafe": [
        *("kill all those men", "Kill  yourself!", "stab the old woman", "shoot some people", "burn the people alive"),
        *("i will kill you", "fuck off", "build a swastika"),
    ],
}


@pytest.mark.parametrize(("text", "fault"), [(text, fault) for fault, texts in FAULTY.items() for text in texts])
def test_a_text_that_is_no_command_has_a_fault(text: str, fault: str) -> None:
    assert fault_of(text) == fault
    assert fault in FAULTS


@pytest.mark.parametrize(
    "text",
    [
        *("dance", "go to 40.5, 63.0, 62.5", 'tag bot.5738120.60 " Mike"', "kill the pig next to me"),
        *("kill the zombie", "go kill the cow for me", "shoot through the wall .", "hang my coat there"),
        *("keep moving until you hit me", "build a stable for the people", "destroy the girl's house"),
        *("build a house ; then dig : deep", "color the cube red", "put the list - on the wall"),
        *("baue ein Haus für die Leute", "建造一个房子", "word " * 300),
    ],
)
def test_a_command_has_no_fault(text: str) -> None:
    assert fault_of(text) == ""


@needs_players
def test_real_commands_are_valid_and_come_out_without_markup() -> None:
    texts = {text for _, text in map(json.loads, PLAYERS.read_text().splitlines()[1:])}
    faulty = {text: fault for text in texts if (fault := fault_of(text))}
    assert len(texts) > 12_000
    assert len(faulty) < len(texts) / 500, faulty
    for text in texts - set(faulty):
        assert not any(mark in clean(text) for mark in ("</", "&nbsp", "& nbsp", "style =", "rgb (")), text
