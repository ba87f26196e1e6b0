"""The cells of lists: `{% cell "status" %}…{% endcell %}` in a template of cells, drawn where the table wants them.

In such a block `row` is the row, and `value` the column's value.
"""

from typing import Any

from django import template
from django.template import Context, Node, NodeList
from django.template.base import Parser, Token
from django.template.loader import get_template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

from web.staff.grid.columns import Column
from web.staff.grid.listing import Listing

register = template.Library()


class CellNode(Node):
    """The block of one column. It draws nothing where it stands."""

    def __init__(self, key: str, nodelist: NodeList) -> None:
        self.key, self.nodelist = key, nodelist

    def render(self, context: Context) -> SafeString:
        return mark_safe("")


@register.tag
def cell(parser: Parser, token: Token) -> CellNode:
    key = token.split_contents()[1].strip("\"'")
    nodelist = parser.parse(("endcell",))
    parser.delete_first_token()
    return CellNode(key, nodelist)


@register.simple_tag(takes_context=True)
def cell_of(context: Context, listing: Listing[Any, Any], column: Column[Any], row: Any) -> str:
    """The content of a cell: the column's block in the list's template, or its value."""
    blocks = context.render_context.get("cells_of_list")
    if blocks is None:
        blocks = _blocks(listing.cells)
        context.render_context["cells_of_list"] = blocks
    block: NodeList | None = blocks.get(column.key)
    value = column.value(row)
    if block is None:
        return conditional_escape("–" if value is None or value == "" else str(value))
    with context.push(row=row, value=value):
        return block.render(context)


def _blocks(cells: str) -> dict[str, NodeList]:
    if not cells:
        return {}
    found: Any = get_template(cells)
    return {node.key: node.nodelist for node in found.template.nodelist.get_nodes_by_type(CellNode)}
