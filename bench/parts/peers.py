"""Crosswalk and its peers side by side; a peer that is not installed is a line that says how to get it."""

from bench.peers.table import measured
from bench.rows import Row

TASKS, CYCLES, ROUNDS = 10_000, 25, 3


def run() -> list[Row]:
    return measured(sizes=[TASKS], cycles=CYCLES, rounds=ROUNDS)
