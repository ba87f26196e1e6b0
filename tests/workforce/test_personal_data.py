"""Personal data that the filter finds in free text, and text that it leaves alone."""

import timeit
from time import process_time

import pytest

from workforce.personal_data import flags, redact

FOUND = [
    ("Mail me: ann@example.org.", "email", "ann@example.org"),
    ("a.b+c@sub.uni.co.uk", "email", "a.b+c@sub.uni.co.uk"),
    ("anna_berg-2@example.com, thanks", "email", "anna_berg-2@example.com"),
    ("ann (at) example.org", "email", "ann (at) example.org"),
    ("ann [at] example [dot] com", "email", "ann [at] example [dot] com"),
    ("jürgen@müller.de", "email", "jürgen@müller.de"),
    ("See https://x.org/a?b=1).", "link", "https://x.org/a?b=1"),
    ("HTTP://EXAMPLE.ORG/A", "link", "HTTP://EXAMPLE.ORG/A"),
    ("www.example.museum/x", "link", "www.example.museum/x"),
    ("find me on Facebook.com/ann!", "link", "Facebook.com/ann"),
    ("(my-site.de)", "link", "my-site.de"),
    ("t.me/anna", "link", "t.me/anna"),
    ("+49 30 1234567", "phone", "+49 30 1234567"),
    ("+1 (555) 123-4567", "phone", "+1 (555) 123-4567"),
    ("+447911123456", "phone", "+447911123456"),
    ("0049 30 1234567", "phone", "0049 30 1234567"),
    ("030 12345678", "phone", "030 12345678"),
    ("0171/1234567", "phone", "0171/1234567"),
    ("07911 123456", "phone", "07911 123456"),
    ("07911123456", "phone", "07911123456"),
    ("01 23 45 67 89", "phone", "01 23 45 67 89"),
    ("(555) 123-4567", "phone", "(555) 123-4567"),
    ("555-123-4567 any time", "phone", "555-123-4567"),
    ("555.123.4567", "phone", "555.123.4567"),
    ("555 623 4567 please", "phone", "555 623 4567"),
    ("Call me 5551234567", "phone", "5551234567"),
    ("WhatsApp: 4915112345678", "phone", "4915112345678"),
]
LEFT_ALONE = [
    "",
    "It stops at frame 373 of 8999.",
    "between frames 373 450 1024",
    "frames 256 512 1024",
    "blocks 256 512 1024",
    "2026-11-21 12:30:15",
    "2026-11-21T07:39:47.620057Z",
    "21/11/2026 and 22.11.2026",
    "01.02.2024 10",
    "from 0:12 to 1:30:05",
    "12:30-13:45",
    "12.433 s, then 0.4333 0.53331 0.63",
    "1234567890",
    "5551234567",
    "1,000,000 or 50 000 000",
    "size 1280x720",
    "192.168.1.1",
    "version 1.2.3",
    "x=12, y=-3, z=100",
    "[128 256 1024]",
    "3.14159265358979",
    "the phone lies there at 12.433 s",
    "e.g. the ball, i.e. the red one",
    "It was done.It went on.So what?",
    "video.mp4 and notes.md",
    "A.B. did it",
    "the agent @ the door",
    "agent@home",
]


@pytest.mark.parametrize(("text", "kind", "found"), FOUND)
def test_it_finds(text: str, kind: str, found: str) -> None:
    assert [(flag.kind, text[flag.start : flag.end]) for flag in flags(text)] == [(kind, found)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_it_leaves_alone(text: str) -> None:
    assert [text[flag.start : flag.end] for flag in flags(text)] == []


def test_it_finds_several_in_the_order_of_the_text() -> None:
    text = "Ask ann@example.org, or call +49 30 1234567, or see www.example.org."
    assert [flag.kind for flag in flags(text)] == ["email", "phone", "link"]
    assert redact(text, flags(text)) == "Ask [removed], or call [removed], or see [removed]."
    assert flags(redact(text, flags(text))) == []


@pytest.mark.parametrize("run", ["a", "a.", "1 ", "1.1.", "a-", "a-a.", "a@", "(", "+1 ", "tel "])
def test_a_long_run_is_not_tried_from_each_of_its_letters(run: str) -> None:
    """Ten times the text may take about ten times as long; from each letter to the end it would be a hundred times."""

    def best_of_five(letters: int) -> float:
        text = (run * letters)[:letters]
        # Processor time, so that other programs on the machine count for nothing.
        return min(timeit.repeat(lambda: flags(text), timer=process_time, number=1, repeat=5))

    assert best_of_five(20_000) < 40 * best_of_five(2_000) + 0.01
