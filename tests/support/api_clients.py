"""Clients of the API that send what they are given, with a key or a token."""

from typing import Any

from rest_framework.test import APIClient


class Browserless(APIClient):
    """A client that sends its data byte for byte."""

    def send(self, method: str, path: str, data: Any, **extra: Any) -> Any:
        if extra.pop("format", None):
            return getattr(self, method.lower())(path, data, format="json", **extra)
        return self.generic(method, path, data or "", **extra)


def with_key(key: str) -> Browserless:
    client = Browserless(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=f"Api-Key {key}")
    return client


def with_token(token: str) -> Browserless:
    client = Browserless(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    return client
