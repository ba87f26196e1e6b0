"""One round of measurements of one product."""

import statistics
import threading
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from time import perf_counter

from bench.peers.product import Annotator, Product

BATCH = 1000
CALLS = ("next", "draft", "submit")


@dataclass
class Work:
    """The calls of some annotators who worked at once.

    Attributes:
        seconds: Of each call, by its kind.
        errors: How often each call failed, by kind and status.
        twice: Tasks that were given to two annotators.
    """

    annotators: int
    seconds: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in CALLS})
    errors: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    given: dict[object, set[int]] = field(default_factory=lambda: defaultdict(set))
    wall_s: float = 0.0

    @property
    def answers_a_second(self) -> float:
        return len(self.seconds["submit"]) / self.wall_s

    @property
    def twice(self) -> int:
        return sum(len(to) > 1 for to in self.given.values())


def posted(product: Product, project: str, number: int, *, first: int = 0) -> float:
    """Post tasks in batches; tasks a second."""
    began = perf_counter()
    for start in range(first, first + number, BATCH):
        product.post(project, start, min(BATCH, first + number - start))
    return number / (perf_counter() - began)


def worked(people: Iterable[Annotator], cycles: int) -> Work:
    """Let each annotator take, draft and submit `cycles` tasks without a pause."""
    crew = list(people)
    work, lock, together = Work(len(crew)), threading.Lock(), threading.Barrier(len(crew) + 1)

    def note(kind: str, status: int, seconds: float) -> None:
        with lock:
            if 200 <= status < 300:
                work.seconds[kind].append(seconds)
            else:
                work.errors[f"{kind} {status}"] += 1

    def run(number: int, annotator: Annotator) -> None:
        together.wait()
        for _ in range(cycles):
            status, seconds, task = annotator.next()
            note("next", status, seconds)
            if task is None:
                continue
            with lock:
                work.given[task].add(number)
            note("draft", *annotator.draft(task))
            note("submit", *annotator.submit(task))

    threads = [threading.Thread(target=run, args=one) for one in enumerate(crew)]
    for thread in threads:
        thread.start()
    together.wait()
    began = perf_counter()
    for thread in threads:
        thread.join()
    work.wall_s = perf_counter() - began
    return work


def quantile(values: list[float], share: float) -> float:
    """The value below which this share lies, in milliseconds."""
    if len(values) < 2:
        return statistics.fmean(values) * 1000 if values else 0.0
    return statistics.quantiles(values, n=1000, method="inclusive")[min(998, round(share * 1000) - 1)] * 1000
