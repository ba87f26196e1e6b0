"""The kinds of names in addresses."""

from django.urls import register_converter

from common.values import EXTERNAL_ID, OPAQUE_ID, SLUG


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
    """An id that the server made."""

    regex = OPAQUE_ID


def register_all() -> None:
    """Make the kinds known to every table of addresses, before any is read."""
    register_converter(Slug, "name")
    register_converter(ExternalId, "external")
    register_converter(OpaqueId, "opaque")
