"""`generate` draws the mutants, `run` tests them, `report` prints what was found; see README.md."""

import argparse
from collections.abc import Collection
from pathlib import Path

from bench.mutants.mutant import MUTANTS, read_mutants, write_mutants
from bench.mutants.places import keep_places, read_places
from bench.mutants.reporting import report
from bench.mutants.running import BaselineFailed, forget_results, run, say
from bench.mutants.sampling import SEED, sample
from bench.mutants.scratch import ROOT, commit_of, text_at
from bench.mutants.subjects import read_subjects


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.mutants", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    generating = commands.add_parser("generate", help="draw the mutants from a revision")
    generating.add_argument("--at", default="HEAD", metavar="REVISION")
    generating.add_argument("--seed", type=int, default=SEED)
    generating.add_argument("--replace", action="store_true", help="give up earlier mutants, with places and results")
    generating.add_argument("subjects", nargs="*", choices=[[], *read_subjects()], help="all, if none is named")
    running = commands.add_parser("run", help="test the mutants that have no result yet")
    running.add_argument("--at", default="HEAD", metavar="REVISION", help="what is committed there is tested")
    running.add_argument("--again", action="store_true", help="also those that survived or were not found before")
    running.add_argument("--widely", action="store_true", help="with the tests of all subjects")
    running.add_argument("--slow", action="store_true", help="what survived, with the slow tests of its subject")
    running.add_argument("--only", nargs="*", default=[], metavar="ID")
    running.add_argument("--dist", type=Path, default=ROOT / "frontend" / "dist", help="the built front end")
    running.add_argument("subjects", nargs="*", choices=[[], *read_subjects()])
    commands.add_parser("report", help="print the results")
    given = parser.parse_args()
    if given.command == "generate":
        return generate(given.at, given.seed, subjects=given.subjects, is_replaced=given.replace)
    if given.command == "report":
        return 1 if report() else 0
    try:
        count = run(
            revision=given.at,
            subjects=given.subjects,
            only=given.only,
            again=given.again,
            widely=given.widely,
            slow=given.slow,
            dist=given.dist,
        )
    except BaselineFailed as error:
        say(f"Without any mutant the tests must pass.\n{error}")
        return 1
    say(f"{count} mutants tested")
    return 0


def generate(revision: str, seed: int, *, subjects: Collection[str], is_replaced: bool) -> int:
    """Draw the mutants of these subjects, or of all, and write them beside those of the other subjects."""
    earlier = read_mutants().mutants if MUTANTS.exists() else ()
    drawn = {name: one for name, one in read_subjects().items() if not subjects or name in subjects}
    kept = [mutant for mutant in earlier if mutant.subject not in drawn]
    if len(kept) < len(earlier) and not is_replaced:
        say("There are mutants already; with --replace they are given up.")
        return 1
    commit = commit_of(revision)
    found = []
    for subject in drawn.values():
        mutants = sample(subject, {path: text_at(commit, path) for path in subject.files}, seed=seed)
        say(f"{subject.name}: {len(mutants)} mutants")
        found += mutants
    order = list(read_subjects())
    mutants = sorted([*kept, *found], key=lambda mutant: order.index(mutant.subject))
    given_up = {mutant.id for mutant in earlier} - {mutant.id for mutant in kept}
    write_mutants(seed, mutants)
    keep_places(read_places(), mutants, without=given_up)
    forget_results(given_up)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
