"""The output of the program: results to the standard output, all else to the standard error."""

from __future__ import annotations

import csv
import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

Cell = str | int | float | None


class Fault(Exception):
    """A sentence for the person at the terminal; the program ends with the status `code`."""

    def __init__(self, sentence: str, *, code: int = 1) -> None:
        super().__init__(sentence)
        self.code = code


def say(sentence: str) -> None:
    """A sentence beside the result."""
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()


def write(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def write_json(value: Any, *, in_one_line: bool = False) -> None:
    write(json.dumps(value, ensure_ascii=False, indent=None if in_one_line else 2))


def result(asked: Namespace, value: Any, words: str) -> None:
    """The result as JSON, if that was asked for, else in words."""
    if asked.json:
        write_json(value)
    elif words:
        write(words)


def table(heads: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Rows under their heads, numbers to the right.

    >>> print(table(["agent", "n"], [["alfa", 8], ["b", None]]))
    agent  n
    alfa   8
    b      –
    """
    cells = [[*heads], *([_shown(cell) for cell in row] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(heads))]
    numeric = [any(isinstance(row[column], (int, float)) for row in rows) for column in range(len(heads))]

    def line(texts: Sequence[str]) -> str:
        padded = [
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(texts, widths, numeric, strict=True)
        ]
        return "  ".join(padded).rstrip()

    return "\n".join(line(texts) for texts in cells)


def write_csv(heads: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)


def _shown(cell: Cell) -> str:
    if cell is None:
        return "–"
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)
