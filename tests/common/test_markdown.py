"""Markdown becomes HTML without scripts and without pictures of other servers."""

from html.parser import HTMLParser

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
        '<img src=x onerror="alert(1)">',
        "[click](javascript:alert(1))",
        '<a href="data:text/html,x">x</a>',
        "<iframe src=x></iframe>",
        '<p style="position:fixed">x</p>',
    ],
)
def test_html_and_addresses_of_scripts_become_plain_words(text: str) -> None:
    seen: list[str] = []
    reader = HTMLParser()
    reader.handle_starttag = lambda tag, attrs: seen.append(f"{tag} {attrs}")  # type: ignore[method-assign]
    reader.feed(render_markdown(text))
    assert seen == ["p []"], "nothing is left but a paragraph of plain words"


def test_markdown_keeps_the_parts_that_instructions_need() -> None:
    html = render_markdown("# Title\n\n**bold** [link](https://example.org)\n\n| a | b |\n|---|---|\n| 1 | 2 |")
    for part in ("<h1>", "<strong>", 'href="https://example.org"', "<table>", "<td>1</td>"):
        assert part in html


def test_words_of_a_picture_cannot_leave_their_place() -> None:
    html = render_markdown(f'![" onload="alert(1)]({OURS})')
    assert html.count('"') == 4
    assert 'alt="&quot; onload=&quot;alert(1)"' in html
