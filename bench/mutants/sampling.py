"""Drawing the mutants of a subject: the same seed and the same files give the same mutants."""

import ast
import random
from collections import Counter
from collections.abc import Mapping

from bench.mutants.candidates import Candidate, candidates_in
from bench.mutants.mutant import Mutant
from bench.mutants.subjects import Subject

SEED = 20
WANTED = 24
"""Mutants for each subject."""
LEAST = 2
"""Mutants for each file, where it has so many."""
MOST_OF_ONE_OPERATOR = 4
MOST_IN_ONE_FUNCTION = 4


def sample(subject: Subject, texts: Mapping[str, str], *, seed: int = SEED, wanted: int = WANTED) -> list[Mutant]:
    """The mutants of one subject, at most one on each line.

    Operators are drawn in turns, so that frequent ones (a dropped statement, a number plus one) leave room for others.

    Args:
        texts: The source text of each of the subject's files.
    """
    chance = random.Random(f"{seed}:{subject.name}")
    all_of = {
        file: [one for one in candidates_in(ast.parse(texts[file])) if one.function not in subject.skip]
        for file in subject.files
    }
    operators: Counter[str] = Counter()
    drawn: list[tuple[str, Candidate]] = []
    for file, share in _shares({file: len(ones) for file, ones in all_of.items()}, wanted).items():
        drawn += [(file, one) for one in _draw(all_of[file], share, operators, chance)]
    return [
        Mutant(
            id=f"{subject.name}-{number:02}",
            subject=subject.name,
            operator=one.operator,
            file=file,
            function=one.function,
            original=one.original,
            occurrence=one.occurrence,
            occurrences=one.occurrences,
            replacement=one.replacement,
        )
        for number, (file, one) in enumerate(drawn, start=1)
    ]


def _shares(counts: Mapping[str, int], wanted: int) -> dict[str, int]:
    """How many mutants each file gets: by its candidates, but at least `LEAST`."""
    shares = {file: min(LEAST, count) for file, count in counts.items()}
    while sum(shares.values()) < min(wanted, sum(counts.values())):
        open_files = [file for file in counts if shares[file] < counts[file]]
        shares[max(open_files, key=lambda file: counts[file] / (shares[file] + 1))] += 1
    return shares


def _draw(candidates: list[Candidate], share: int, operators: Counter[str], chance: random.Random) -> list[Candidate]:
    drawn: list[Candidate] = []
    left = list(candidates)
    functions: Counter[str] = Counter()
    while left and len(drawn) < share:
        rarest = min(operators[one.operator] for one in left)
        kinds = sorted({one.operator for one in left if operators[one.operator] == rarest})
        kind = chance.choice(kinds)
        one = chance.choice([one for one in left if one.operator == kind])
        drawn.append(one)
        operators[kind] += 1
        functions[one.function] += 1
        left = [
            other
            for other in left
            if other.line != one.line
            and operators[other.operator] < MOST_OF_ONE_OPERATOR
            and functions[other.function] < MOST_IN_ONE_FUNCTION
        ]
    return sorted(drawn, key=lambda one: (one.line, one.original, one.replacement))
