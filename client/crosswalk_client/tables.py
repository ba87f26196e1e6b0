"""Datasets as Arrow tables and as DataFrames: `pip install "crosswalk-client[parquet]"` installs what this needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

Table = Any
"""A `pyarrow.Table`."""
DataFrame = Any
"""A `pandas.DataFrame`."""


def read(path: str | Path) -> Table:
    """The table of a Parquet file, as `client.projects.parquet` writes it."""
    return _needed("pyarrow.parquet").read_table(path)


def table(rows: Iterable[Mapping[str, Any]]) -> Table:
    """The rows of any call as a table; Arrow works out the types from the values."""
    return _needed("pyarrow").Table.from_pylist([dict(row) for row in rows])


def frame(rows: Iterable[Mapping[str, Any]]) -> DataFrame:
    """The rows of any call as a DataFrame."""
    return _needed("pandas").DataFrame.from_records([dict(row) for row in rows])


def _needed(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f'{module} is missing: pip install "crosswalk-client[parquet]"') from error
