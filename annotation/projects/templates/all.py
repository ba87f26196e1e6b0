"""All templates, in the order in which a form offers them."""

from annotation.projects.templates.interaction import INTERACTION
from annotation.projects.templates.marker import MARKER
from annotation.projects.templates.parse import PARSE
from annotation.projects.templates.template import Template
from annotation.projects.templates.voxels import VOXELS
from lib.faults import Invalid

TEMPLATES = {template.name: template for template in (MARKER, INTERACTION, PARSE, VOXELS)}
"""By name. There is one for each tool, named like the tool."""


def template_named(name: str) -> Template:
    """The template. Raises Invalid."""
    if name not in TEMPLATES:
        raise Invalid.at("#/template", "Choose what you want to know.")
    return TEMPLATES[name]
