"""The examples in the docstrings of pure statistics are true."""

import doctest
import importlib

import pytest

MODULES = ["agreement", "dawid_skene", "drift", "items", "markers", "posterior", "sequential", "timing", "weighted"]


@pytest.mark.parametrize("name", ["common.statistics", *(f"annotation.statistics.{name}" for name in MODULES)])
def test_examples_are_true(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
