"""The stoplight: scores of honest sessions and of cheats, and the time of a score over a million commands.

Honest sessions are real ones, from a file beside the repository. Without it only the times are measured.
"""

import random
import resource
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from multiprocessing import get_context
from pathlib import Path
from statistics import median, quantiles
from time import thread_time

from bench.rows import Row, seconds_of
from lib.stoplight.comparison import Comparison
from lib.stoplight.corpus import Index
from lib.stoplight.formula import score_command
from lib.stoplight.settings import PRESETS, Settings
from lib.stoplight.words import content_of, stop_words, words_of
from tests.support.shared_data import PLAYERS, drawn_sessions
from tests.support.stoplight import CHEATS, OF_OTHERS, SAID_MISUNDERSTOOD, UNDERSTOOD, scores_of

COMMANDS, REPEATED, ASKED = 1_000_000, 0.36, 400
WORDS, MEAN_LENGTH = 20_000, 6
SIZES = (0, 500, 2000, 8000)
CHEATS_EACH = 30
MOST_MS, MOST_MB, MOST_LOAD_S = 15.0, 600.0, 30.0
DEFAULT = PRESETS["default"]


def run() -> list[Row]:
    rows = _zipf()
    if not PLAYERS.exists():
        return [*rows, Row("stoplight, cheats", f"skipped: {PLAYERS.name} is not here", 0.0, None, "", 0.0, "")]
    rows += _lifelike()
    for size in SIZES:
        rows += _fare("default", DEFAULT, size)
    return rows + _fare("paper", PRESETS["paper"], 8000)


# Scores --------------------------------------------------------------------------------------------------------------


def _fare(name: str, settings: Settings, size: int) -> list[Row]:
    draw = random.Random(7)
    sessions, others = drawn_sessions(draw, number=60)
    index = Index(normalise=settings.normalise)
    index.extend((text, 1) for text in others[:size])
    honest = [scores_of(one, settings=settings, corpus=index.snapshot)[-1].score for one in sessions]
    green = sum(score >= settings.green for score in honest) / len(honest)
    part, base = f"stoplight, preset {name}, corpus of {size:,}", median(honest)
    rows = [_score_row(part, f"honest, {green:.0%} green, least {min(honest):.2f}", honest, base)]
    for cheat, made in {**CHEATS, **OF_OTHERS}.items():
        # A cheat that copies others takes their earlier commands.
        said = others[:size] if size and cheat in OF_OTHERS else others
        begun = [made(draw, draw.sample(said, 30)) for _ in range(CHEATS_EACH)]
        found = [
            scores_of(one, settings=settings, corpus=index.snapshot, signs=SAID_MISUNDERSTOOD)[-1].score
            for one in begun
        ]
        rows.append(_score_row(part, f"cheat: {cheat}", found, base))
    return rows


def _score_row(part: str, case: str, scores: Sequence[float], base: float) -> Row:
    budget = "" if case.startswith("honest") else f"< {base:.2f}"
    middle = median(scores)
    return Row(part, case, middle, quantiles(scores, n=20)[-1], "of 10", middle / base, "honest", budget=budget)


# Times ---------------------------------------------------------------------------------------------------------------


def _zipf() -> list[Row]:
    """A corpus with Zipf's word frequencies; the most frequent words are stop words."""
    draw = random.Random(1)
    words = [*sorted(stop_words())[:40], *(f"w{number}x" for number in range(WORDS - 40))]
    share = list(accumulate(1 / rank for rank in range(1, WORDS + 1)))

    def command() -> str:
        length = max(1, min(20, round(draw.gauss(MEAN_LENGTH, 2.5))))
        return " ".join(draw.choices(words, cum_weights=share, k=length))

    def commands() -> Iterator[str]:
        said: list[str] = []
        for _ in range(COMMANDS):
            if said and draw.random() < REPEATED:
                yield draw.choice(said)
            else:
                said.append(command())
                yield said[-1]

    return _measured("words by Zipf", commands(), [command() for _ in range(ASKED)])


def _lifelike() -> list[Row]:
    """A corpus of real commands, each with a word or two exchanged for those of another: few words, used again and
    again.

    A new command shares a word with many more commands of this corpus than of the one by Zipf.
    """
    draw = random.Random(2)
    sessions, others = drawn_sessions(draw, number=40)
    texts = [words for words in (words_of(text, normalise=True) for text in others) if words]
    words = [word for text in texts for word in text]

    def command() -> str:
        text = list(draw.choice(texts))
        for _ in range(draw.choice((0, 1, 1, 2))):
            text[draw.randrange(len(text))] = draw.choice(words)
        return " ".join(text)

    return _measured("lifelike", (command() for _ in range(COMMANDS)), [text for one in sessions for text in one])


def _measured(kind: str, commands: Iterable[str], asked: list[str]) -> list[Row]:
    """Runs in a process of its own, so that its memory is that of the index."""
    distinct = set()
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        for text in commands:
            file.write(f"{text}\n")
            distinct.add(hash(text))
        file.flush()
        name = f"stoplight, {COMMANDS:,} commands, {kind}, {len(distinct):,} distinct"
        with get_context("spawn").Pool(1) as process:
            return process.apply(_rows_of, (name, file.name, asked))


def _rows_of(name: str, path: str, asked: Sequence[str]) -> list[Row]:
    before = _most_mb()
    index = Index(normalise=DEFAULT.normalise)
    with Path(path).open() as file:
        load = seconds_of(lambda: index.extend((line, 1) for line in file))
    resident = _resident_mb()
    corpus = index.snapshot
    alone = [seconds_of(partial(_distance, corpus, text)) for text in asked]
    whole = [seconds_of(partial(_score, corpus, text)) for text in asked]
    worked = [_worked(partial(_score, corpus, text)) for text in asked]
    added = [seconds_of(partial(index.add, text)) for text in asked]
    # When sessions are accepted all the time, each score uses another version of the corpus.
    after = []
    for text in asked:
        index.add(text)
        after.append(seconds_of(partial(_score, index.snapshot, text)))
    budget, peak = f"{MOST_MB:.0f} MB", _most_mb()
    return [
        Row(name, "read into an index", load, None, "s", load / MOST_LOAD_S, "budget", budget=f"{MOST_LOAD_S:.0f} s"),
        Row(
            name,
            f"process with it; before: {before:.0f}",
            resident,
            None,
            "MB",
            resident / MOST_MB,
            "budget",
            None,
            budget,
        ),
        Row(name, "most while it was read", peak, None, "MB", peak / MOST_MB, "budget", None, budget),
        *(
            _times(name, case, took)
            for case, took in (
                ("mean distance of a command", alone),
                ("score of a command", whole),
                ("score of a command, processor time alone", worked),
                ("one more command", added),
                ("score of a command, after one more", after),
            )
        ),
    ]


def _times(name: str, case: str, took: Sequence[float]) -> Row:
    ms = [1000 * one for one in took]
    p95 = quantiles(ms, n=20)[-1]
    return Row(name, case, median(ms), p95, "ms", p95 / MOST_MS, "budget, p95", budget=f"{MOST_MS:.0f} ms")


def _distance(corpus: Comparison, text: str) -> float | None:
    return corpus.compared(content_of(words_of(text, normalise=DEFAULT.normalise)), ()).distance


def _score(corpus: Comparison, text: str) -> None:
    score_command(DEFAULT, text, earlier=[], elsewhere=[], signs=UNDERSTOOD, corpus=corpus)


def _worked(act: Callable[[], object]) -> float:
    """The processor time of a call in seconds, which other users of the machine do not change."""
    start = thread_time()
    act()
    return thread_time() - start


def _resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def _most_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
