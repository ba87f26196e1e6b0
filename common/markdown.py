"""Markdown that people write, as HTML that may be shown to others."""

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

_markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def render_markdown(text: str) -> SafeString:
    """`text` as HTML with every script, style and unknown element taken out."""
    return mark_safe(nh3.clean(_markdown.render(text), url_schemes={"http", "https", "mailto"}))  # noqa: S308
