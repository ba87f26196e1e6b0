"""The tables of `python -m bench.mutants report`."""

import json
from collections import Counter
from typing import Any

from bench.mutants.mutant import Mutant, read_mutants
from bench.mutants.running import RESULTS, equivalents, say

COLUMNS = ("mutants", "caught", "survived", "equivalent", "not found", "gone", "error", "not run")


def report() -> int:
    """Print a table for each revision; how many mutants of the last one are not found, or contradict the list."""
    mutants, equal = read_mutants().mutants, equivalents()
    faults = 0
    for revision, results in json.loads(RESULTS.read_text()).items():
        faults = _report_one(revision, results, mutants, equal)
    return faults


def _report_one(
    revision: str, results: dict[str, dict[str, Any]], mutants: tuple[Mutant, ...], equal: dict[str, str]
) -> int:
    counts: dict[str, Counter[str]] = {}
    listed: dict[str, list[str]] = {"survived": [], "not found": [], "error": []}
    faults = 0
    for mutant in mutants:
        result = results.get(mutant.id, {"status": "not run"})
        status = result["status"]
        if mutant.id in equal:
            if status == "caught":
                say(f"{mutant.id} is listed as equivalent, and yet {result['by']} caught it")
                faults += 1
            elif status in ("survived", "not run"):
                status = "equivalent"
        counts.setdefault(mutant.subject, Counter())[status] += 1
        if status in listed:
            why = f"\n      {result['why']}" if "why" in result else ""
            change = f"{mutant.original}  ->  {mutant.replacement}"
            listed[status].append(f"  {mutant.id}  {mutant.file}, {mutant.function}: {change}{why}")
    say(f"\n{revision}")
    say(f"{'':12}" + "".join(f"{column:>12}" for column in COLUMNS))
    for name, count in [*counts.items(), ("all", sum(counts.values(), Counter[str]()))]:
        cells = [count.total(), *(count[column] for column in COLUMNS[1:])]
        say(f"{name:12}" + "".join(f"{cell:>12}" for cell in cells))
    for status, lines in listed.items():
        if lines:
            say("\n".join([f"\n{status.upper()} on {revision}:", *lines]))
    return faults + len(listed["not found"]) + len(listed["error"])
