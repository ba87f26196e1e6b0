"""Path converters: the formats of names and ids in addresses."""

from django.urls import register_converter

from lib.name_patterns import EXTERNAL_ID, OPAQUE_ID, SLUG
from lib.splits import SPLITS


class Slug:
    """`[a-z0-9][a-z0-9_-]{0,62}`."""

    regex = SLUG

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class ExternalId(Slug):
    """`[A-Za-z0-9._:-]{1,128}`."""

    regex = EXTERNAL_ID


class OpaqueId(Slug):
    """An id made by the server."""

    regex = OPAQUE_ID


class SmallNumber:
    """A number from 0 to 9999, as people count tranches."""

    regex = "(?:0|[1-9][0-9]{0,3})"

    def to_python(self, value: str) -> int:
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


class SplitName(Slug):
    """train, valid or test."""

    regex = "|".join(SPLITS)


def register_all() -> None:
    """Register the converters. Call this before any URL configuration is imported."""
    register_converter(Slug, "name")
    register_converter(ExternalId, "external")
    register_converter(OpaqueId, "opaque")
    register_converter(SmallNumber, "number")
    register_converter(SplitName, "split")
