"""The examples in the docstrings of `lib` and of the client hold."""

import doctest
import importlib
import pkgutil

import pytest

import crosswalk_client
import lib

MODULES = [
    found.name
    for package in (lib, crosswalk_client)
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not found.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
