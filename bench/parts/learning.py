"""Learning: what more tranches bring on real commands, what re-biasing costs, and how fast a learnt parser answers.

Two files beside the repository hold the commands; without them nothing is measured. Every share is of whole forms that
are right. Seed 0 learns from all examples; the other seeds draw as many with replacement, so their shares are lower.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from statistics import mean, stdev
from time import perf_counter
from typing import Any, NamedTuple

from bench.rows import Row
from learning.trainers.nlu.fitting import Fitting
from learning.trainers.nlu.linear import LinearParserTrainer
from learning.trainers.nlu.settings import LinearSettings
from learning.trainers.protocol import Example, Progress
from lib.canonical_json import canonical
from lib.logical_form.normal import normal, same
from lib.nlu.parser import LearntParser, Weights
from lib.nlu.skeletons import root_of
from lib.splits import Split, same_words, split_of
from lib.statistics.model_gate.rules import Answered, judge, percentile
from lib.statistics.paired_tests import mcnemar
from lib.statistics.replay import POLICIES, Bought, replayed
from tests.support.shared_data import DATA

OLD, LARGE = DATA / "droidlet-nlu" / "commands.jsonl", DATA / "droidlet_lf_large.jsonl"
SEEDS = (0, 1, 2)
PARTS = 5
LATENCY_MS = 20.0
REPLAY_SEEDS = (1, 2)
RECALL, FALSE_MARKS = 316 / 707, 26 / 683
"""How often workers of a real batch marked what the agent had misunderstood, and what it had not."""

Fit = Callable[[Sequence[Example], Sequence[Example], int, bytes | None], bytes]
Answers = list[bool]


class Round(NamedTuple):
    """The new examples of one tranche, by split."""

    train: list[Example]
    valid: list[Example]
    test: list[Example]


class Corpus(NamedTuple):
    """A file of commands in tranches, and how its forms are learnt and compared."""

    name: str
    rounds: list[Round]
    fit: Fit
    load: Callable[[bytes], LearntParser]
    is_correct: Callable[[Any, Any], bool]


def run() -> list[Row]:
    rows: list[Row] = []
    for file, corpus in ((OLD, old_corpus), (LARGE, large_corpus)):
        if not file.exists():
            rows.append(Row("learning", f"skipped: {file.name} is not here", 0.0, None, "", 0.0, ""))
            continue
        rows += _measured(corpus())
        rows += _replays(corpus())
    return rows


# What is measured -----------------------------------------------------------------------------------------------------


def _measured(corpus: Corpus) -> list[Row]:
    first = corpus.rounds[0]
    valid = [one for each in corpus.rounds for one in each.valid]
    tests = {
        "T_0": first.test,
        "T_1…n": [one for each in corpus.rounds[1:] for one in each.test],
        "T_n": [one for each in corpus.rounds for one in each.test],
    }
    rows: list[Row] = []
    answers: dict[str, list[dict[str, Answers]]] = {}

    def add(kind: str, artefacts: Sequence[bytes]) -> None:
        answers[kind] = [
            {name: _answers(corpus, artefact, items) for name, items in tests.items()} for artefact in artefacts
        ]
        rows.extend(_shares(corpus.name, kind, tests, answers[kind], answers["baseline"]))

    baseline = [corpus.fit(first.train, first.valid, seed, None) for seed in SEEDS]
    add("baseline", baseline)
    for number in range(1, len(corpus.rounds) - 1):
        learnt = [one for each in corpus.rounds[: number + 1] for one in each.train]
        add(f"updated to tranche {number}", [corpus.fit(learnt, valid, 0, None)])
    whole = [one for each in corpus.rounds for one in each.train]
    start = perf_counter()
    updated = [corpus.fit(whole, valid, seed, None) for seed in SEEDS]
    seconds = (perf_counter() - start) / len(SEEDS)
    add(f"updated to tranche {len(corpus.rounds) - 1}", updated)
    add(
        "re-biased",
        [corpus.fit(first.train, valid, seed, artefact) for seed, artefact in zip(SEEDS, updated, strict=True)],
    )
    rows.append(_fitting(corpus.name, len(whole), seconds, updated[0]))
    rows.append(_latency(corpus, updated[0], tests["T_n"]))
    rows += _judged(corpus, answers)
    return rows


def _answers(corpus: Corpus, artefact: bytes, items: Sequence[Example]) -> Answers:
    parser = corpus.load(artefact)
    return [corpus.is_correct(parser.parse(one.given).form, one.truth) for one in items]


def _shares(
    name: str,
    kind: str,
    tests: dict[str, list[Example]],
    found: list[dict[str, Answers]],
    baseline: list[dict[str, Answers]],
) -> list[Row]:
    rows = []
    for test, items in tests.items():
        shares = [mean(one[test]) for one in found]
        spread = f" ± {stdev(shares) / len(shares) ** 0.5:.3f}" if len(shares) > 1 else ""
        gained, lost = _differences(baseline[0][test], found[0][test])
        told = "" if kind == "baseline" else f", +{gained} −{lost}, p = {mcnemar(gained, lost):.1g}"
        case = f"{kind} on {test} ({len(items)}): mean of {len(shares)} {mean(shares):.3f}{spread}{told}"
        rows.append(
            Row(f"learning, {name}", case, shares[0], None, "exact", shares[0] / mean(baseline[0][test]), "baseline")
        )
    return rows


def _differences(old: Answers, new: Answers) -> tuple[int, int]:
    pairs = list(zip(old, new, strict=True))
    return sum(b and not a for a, b in pairs), sum(a and not b for a, b in pairs)


def _fitting(name: str, examples: int, seconds: float, artefact: bytes) -> Row:
    case = f"one training of {examples:,} commands, {len(artefact) / 2**20:.1f} MiB"
    return Row(f"learning, {name}", case, seconds, None, "s", 1.0, "itself")


def _latency(corpus: Corpus, artefact: bytes, items: Sequence[Example]) -> Row:
    parser = corpus.load(artefact)
    times = []
    for one in items:
        start = perf_counter()
        parser.parse(one.given)
        times.append((perf_counter() - start) * 1000)
    middle, high = percentile(times, 0.5), percentile(times, 0.95)
    return Row(
        f"learning, {corpus.name}", "one parse", middle, high, "ms", 1.0, "itself", budget=f"p95 ≤ {LATENCY_MS:g}"
    )


def _judged(corpus: Corpus, answers: dict[str, list[dict[str, Answers]]]) -> list[Row]:
    """The gate's verdicts on the updated and the re-biased model against the baseline, and on another seed."""
    kinds = list(answers)
    tested = [one for each in corpus.rounds for one in each.test]
    first = corpus.rounds[0].test
    rows = []
    for kind, old, new in (
        (kinds[-2], answers["baseline"][0], answers[kinds[-2]][0]),
        (kinds[-1], answers["baseline"][0], answers[kinds[-1]][0]),
        ("seed 2 against seed 1", answers[kinds[-2]][1], answers[kinds[-2]][2]),
    ):
        found = judge(_paired(tested, old["T_n"], new["T_n"]), _paired(first, old["T_0"], new["T_0"]), look=1)
        failed = ", ".join(one.rule for one in found.reasons if not one.passed) or "none"
        changed = (found.gained + found.lost) / found.n
        case = f"gate on {kind}: {found.status}, failed rules: {failed}; the share on which they differ"
        rows.append(Row(f"learning, {corpus.name}", case, changed, None, "of items", 1.0, "itself"))
    return rows


def _paired(items: Sequence[Example], old: Answers, new: Answers) -> list[Answered]:
    return [Answered(root_of(one.truth), a, b) for one, a, b in zip(items, old, new, strict=True)]


# What other policies of buying annotations would have brought --------------------------------------------------------


def _replays(corpus: Corpus) -> list[Row]:
    """A replay under each policy: every annotation costs 1, and a third of those that were collected can be paid.

    Workers mark what the baseline has wrong, about as often as those of a real batch did. Two seeds of marks and draws.
    """
    first, later = corpus.rounds[0], corpus.rounds[1:4]
    valid = [one for each in corpus.rounds for one in each.valid]
    tests = [one for each in corpus.rounds[1:] for one in each.test]
    known = {one.item: one for each in later for one in each.train}
    start = corpus.fit(first.train, first.valid, 0, None)
    wrong = {item for item, one in known.items() if not corpus.is_correct(_parse(corpus, start, one), one.truth)}
    budget = sum(len(each.train) for each in later) / 3 / len(later)
    rows = []
    for policy in POLICIES[1:]:
        ends = []
        for seed in REPLAY_SEEDS:
            draw = Random(seed)
            marked = {item for item in known if draw.random() < (RECALL if item in wrong else FALSE_MARKS)}
            steps = replayed(
                [[Bought(one.item, 1, one.item in marked) for one in each.train] for each in later],
                policy=policy,
                budget=budget,
                start=start,
                learnt=lambda items: corpus.fit([*first.train, *(known[item] for item in items)], valid, 0, None),
                tested=lambda artefact: mean(_answers(corpus, artefact, tests)),
                sureness=_sureness(corpus, known),
                seed=seed,
            )
            ends.append(steps[-1])
        case = f"replay, {policy}: {mean(one.items for one in ends):.0f} annotations of {len(known)}"
        values = [one.value for one in ends]
        rows.append(Row(f"learning, {corpus.name}", case, mean(values), None, "exact", 1.0, "itself"))
    return rows


def _parse(corpus: Corpus, artefact: bytes, one: Example) -> Any:
    return _parser_of(corpus, artefact).parse(one.given).form


def _sureness(corpus: Corpus, known: dict[str, Example]) -> Callable[[bytes, str], float]:
    return lambda artefact, item: _parser_of(corpus, artefact).parse(known[item].given).score


def _parser_of(corpus: Corpus, artefact: bytes) -> LearntParser:
    """The parser of an artefact; only that of the last one is kept."""
    if _LAST.get("artefact") is not artefact:
        _LAST.update(artefact=artefact, parser=corpus.load(artefact))
    parser: LearntParser = _LAST["parser"]
    return parser


_LAST: dict[str, Any] = {}


# The two files --------------------------------------------------------------------------------------------------------


def large_corpus() -> Corpus:
    """Today's grammar after reading, in five parts in the order of the file."""
    trainer = LinearParserTrainer()
    rows = _lines(LARGE)
    size = -(-len(rows) // PARTS)
    examples = [
        (number // size, Example(row["text"], row["text"], normal(row["lf"]))) for number, row in enumerate(rows)
    ]

    def fit(train: Sequence[Example], valid: Sequence[Example], seed: int, start: bytes | None) -> bytes:
        return trainer.fit(train, valid, seed=seed, settings={}, start=start, told=_silent)

    return Corpus("today's grammar, five parts", _rounds(examples), fit, LearntParser.of, same)


def old_corpus() -> Corpus:
    """The grammar of 2019, in its three rounds of collection."""
    examples = [
        (row["tranche"], Example(same_words(row["command"]), row["command"], _with_sentences(row["tree"])))
        for row in _lines(OLD)
    ]

    def fit(train: Sequence[Example], valid: Sequence[Example], seed: int, start: bytes | None) -> bytes:
        fitting = Fitting(settings=LinearSettings(), seed=seed, told=_silent, is_correct=_equal, is_whole=_is_anything)
        return (fitting.continued if start else fitting.fitted)(train, valid, start or b"").to_bytes()

    return Corpus("grammar of 2019, three rounds", _rounds(examples), fit, _old_parser, _equal)


def _old_parser(artefact: bytes) -> LearntParser:
    return LearntParser(Weights.of(artefact), _is_anything)


def _rounds(examples: Sequence[tuple[int, Example]]) -> list[Round]:
    """The examples by tranche and split; of a command that comes again only the first form."""
    rounds = [Round([], [], []) for _ in range(1 + max(number for number, _ in examples))]
    seen = set()
    for number, example in examples:
        unit = same_words(example.given)
        if unit not in seen:
            seen.add(unit)
            split: Split = split_of("nlu", unit)
            getattr(rounds[number], split).append(example)
    return rounds


def _with_sentences(tree: Any) -> Any:
    """A tree of 2019 with spans as today and with the action as a value, so that it is taken apart as today's are."""
    ((action, parts),) = [(name, part) for name, part in tree.items() if name != "repeat"]
    repeated = {"repeat": _spans(tree["repeat"])} if "repeat" in tree else {}
    return {"event_sequence": [{"action_type": action, **_spans(parts)}], **repeated}


def _spans(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _spans(part) for name, part in value.items()}
    if isinstance(value, list) and len(value) == 2 and all(type(place) is int for place in value):
        return [0, value]
    return [_spans(part) for part in value] if isinstance(value, list) else value


def _lines(file: Path) -> list[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        return [row for row in map(json.loads, lines) if "_meta" not in row]


def _equal(form: Any, truth: Any) -> bool:
    return canonical(form) == canonical(truth)


def _is_anything(form: Any, words: int) -> bool:
    return True


def _silent(progress: Progress) -> None:
    pass
