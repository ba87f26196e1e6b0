"""Markdown becomes HTML without scripts and without pictures of other servers."""

import pytest

from common.markdown import render_markdown

OURS = "/pictures/" + "a1" * 32


def test_a_picture_of_ours_is_shown_with_its_words() -> None:
    html = render_markdown(f'![a "red" ball]({OURS} "title")')
    assert html == f'<p><img src="{OURS}" alt="a &quot;red&quot; ball"></p>\n'


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/x.png",
        "//example.org/x.png",
        "/pictures/../staff/",
        f"{OURS}?x=1",
        f"https://example.org{OURS}",
        "data:image/png;base64,AAAA",
        "javascript:alert(1)",
    ],
)
def test_any_other_picture_becomes_its_text(address: str) -> None:
    html = render_markdown(f"before ![the ball]({address}) after")
    assert "<img" not in html
    assert "the ball" in html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "<iframe src='/'></iframe>",
    ],
)
def test_nothing_runs(text: str) -> None:
    html = render_markdown(text)
    assert "<script" not in html
    assert "<img" not in html
    assert "<iframe" not in html
    assert 'href="javascript' not in html


def test_words_of_a_picture_cannot_leave_their_place() -> None:
    html = render_markdown(f'![" onload="alert(1)]({OURS})')
    assert html.count('"') == 4
    assert 'alt="&quot; onload=&quot;alert(1)"' in html
