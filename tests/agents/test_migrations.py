"""The data that migrations of keys move."""

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps

from agents.keys import create_key
from agents.models import ApiKey, Reply
from tests.support.builders import NOON

pytestmark = pytest.mark.django_db


def test_prefixes_of_chosen_keys_and_kept_tokens_are_forgotten() -> None:
    create_key(name="random", scopes=["read"], at=NOON)
    create_key(name="from CROSSWALK_API_KEY", scopes=["read"], at=NOON)
    create_key(name="chosen", scopes=["read"], at=NOON, key="my-own-key-of-old")
    ApiKey.objects.filter(name="chosen").update(prefix="my-own-k")
    replies: list[dict[str, Any]] = [{"key": "a", "body": '{"token": "cww_x"}'}, {"key": "b", "body": "{}"}]
    for reply in replies:
        Reply.objects.create(credential="c", fingerprint="f", status=200, created_at=NOON, **reply)
    import_module("agents.migrations.0004_forget_chosen_prefixes").forget(apps, None)
    kept = dict(ApiKey.objects.values_list("name", "prefix"))
    assert kept.pop("random").startswith("cw_")
    assert set(kept.values()) == {""}
    assert list(Reply.objects.values_list("key", flat=True)) == ["b"]
