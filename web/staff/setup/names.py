"""Names for addresses, made from titles."""

import re
import unicodedata
from collections.abc import Collection

from django.db.models import Model

LONGEST = 50
"""The most characters of a slug that is made from a title; a number may follow."""


def slug_of(text: str, *, otherwise: str) -> str:
    """Small letters, digits and hyphens from a text.

    >>> slug_of("Où est la Balle?", otherwise="project"), slug_of("¿¿??", otherwise="project")
    ('ou-est-la-balle', 'project')
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:LONGEST].strip("-") or otherwise


def free_name(wanted: str, taken: Collection[str]) -> str:
    """The wanted name, or the first with a number behind it that is not taken.

    >>> free_name("lift", {"lift", "lift-2"})
    'lift-3'
    """
    number, name = 1, wanted
    while name in taken:
        number += 1
        name = f"{wanted}-{number}"
    return name


def free_slug(model: type[Model], wanted: str) -> str:
    """A slug that no row of the model has. 1 query."""
    taken = model._default_manager.filter(slug__startswith=wanted).values_list("slug", flat=True)
    return free_name(wanted, set(taken))
