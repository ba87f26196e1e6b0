"""Patterns of the names in addresses and in bodies of requests, and of texts."""

SLUG = r"[a-z0-9][a-z0-9_-]{0,62}"
EXTERNAL_ID = r"[A-Za-z0-9._:-]{1,128}"
OPAQUE_ID = r"[A-Za-z0-9_-]{1,64}"
IDEMPOTENCY_KEY = r"[!-~]([ -~]{0,253}[!-~])?"
NOT_BLANK = r"[^\s\u0000-\u001f\u0085\ufeff]"
"""One character that is neither white space nor a control character, in every dialect of regular expressions."""
