"""Packages that libraries load wherever they are installed can be hidden from them."""

import sys
from importlib import import_module

import pytest

from common.optional_packages import hidden

SELDOM = "wsgiref.validate"
"""A module that nothing here loads."""


def test_a_hidden_module_is_missing_in_the_block_alone_and_a_loaded_one_stays() -> None:
    sys.modules.pop(SELDOM, None)
    with hidden(SELDOM, "json"):
        with pytest.raises(ModuleNotFoundError):
            import_module(SELDOM)
        assert import_module("json") is sys.modules["json"]
    assert import_module(SELDOM).__name__ == SELDOM
    assert import_module("json").loads("1") == 1
