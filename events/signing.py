"""Secrets and signatures of webhooks, by the Standard Webhooks specification.

Source: https://www.standardwebhooks.com (version 1 of the signature: HMAC-SHA256 over `id.timestamp.body`).
"""

import hmac
from base64 import b64encode
from datetime import datetime
from hashlib import sha256

from django.conf import settings

from events.models import Webhook

PREFIX = "whsec_"


def secret_of(salt: str, *, server_key: str = "") -> str:
    """The secret that follows from the salt and the server's secret key, as a receiver gets it."""
    return PREFIX + b64encode(_bytes_of(salt, server_key or settings.SECRET_KEY)).decode()


def _bytes_of(salt: str, server_key: str) -> bytes:
    return hmac.new(server_key.encode(), f"webhook:{salt}".encode(), sha256).digest()


def signed_headers(webhook: Webhook, *, event: str, body: bytes, at: datetime) -> dict[str, str]:
    """The headers of one attempt at `at`, signed with every secret that is valid then."""
    timestamp = str(int(at.timestamp()))
    salts = [webhook.salt]
    if webhook.earlier_until is not None and at < webhook.earlier_until:
        salts.append(webhook.earlier_salt)
    # While the server's own key changes, receivers know secrets that follow from the earlier one.
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    message = f"{event}.{timestamp}.".encode() + body
    signatures = [hmac.new(_bytes_of(salt, key), message, sha256).digest() for salt in salts for key in keys]
    return {
        "webhook-id": event,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{b64encode(one).decode()}" for one in signatures),
    }
