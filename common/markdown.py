"""Markdown written by people, as HTML that is safe to show to others."""

import re
from collections.abc import MutableMapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict

PICTURE = re.compile(r"/pictures/[0-9a-f]{64}")
"""The only addresses of pictures that are shown: our own, so that no other server learns of a reader."""


@cache
def _markdown() -> "MarkdownIt":
    # The first page with Markdown loads it: 62 modules.
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    made.add_render_rule("image", _picture)
    return made


def render_markdown(text: str) -> SafeString:
    """`text` as HTML without scripts, styles, unknown elements and pictures of other servers."""
    clean = nh3.clean(
        _markdown().render(text), url_schemes={"http", "https", "mailto"}, attribute_filter=_only_our_pictures
    )
    return mark_safe(clean)  # noqa: S308


def _picture(
    renderer: "RendererHTML",
    tokens: "Sequence[Token]",
    index: int,
    options: "OptionsDict",
    env: MutableMapping[str, object],
) -> str:
    """A picture of our own as an element; any other picture as its alternative text."""
    token = tokens[index]
    words = escape(renderer.renderInlineAsText(token.children or [], options, env))
    source = str(token.attrGet("src") or "")
    return f'<img src="{source}" alt="{words}">' if PICTURE.fullmatch(source) else words


def _only_our_pictures(element: str, attribute: str, value: str) -> str | None:
    if element == "img" and attribute == "src" and not PICTURE.fullmatch(value):
        return None
    return value
