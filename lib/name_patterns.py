"""Patterns of the names in addresses and in bodies of requests."""

SLUG = r"[a-z0-9][a-z0-9_-]{0,62}"
EXTERNAL_ID = r"[A-Za-z0-9._:-]{1,128}"
OPAQUE_ID = r"[A-Za-z0-9_-]{1,64}"
