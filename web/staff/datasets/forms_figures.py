"""The plots of a project's logical forms: coverage, words, disagreements, the agent's parse, marks."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from annotation.datasets.forms import agent_agrees, forms_of, known_commands
from annotation.datasets.forms_counts import Known, Share, StepAnswer, Tally, all_keys, disputes, tally, values_of
from annotation.models import Annotation, Project
from lib.logical_form.grammar.values import RARE, USUAL
from lib.plots.intervals import Measured, interval_plot
from lib.statistics.intervals import wilson
from web.staff.figure_files import Figure

NEWEST = 5000
"""The number of newest commands that are read. Comparing so many parses takes about two seconds."""
NEWEST_ANSWERS = 20_000
MOST_ROWS = 30
MOST_WORDS = 10
_SLOTS = {option.value: option.label for option in (*USUAL, *RARE)}


class Overview(NamedTuple):
    """The counts of the page, and its plots by their names in the address."""

    tally: Tally
    figures: dict[str, Figure]


def overview(project: Project) -> Overview:
    """Counts and plots of the newest commands. 2 queries."""
    counts = tally(known_forms(project))
    figures = {name: make() for name, make in figures_of(project, counts=counts).items()}
    return Overview(counts, {name: figure for name, figure in figures.items() if not figure.is_empty})


def figures_of(project: Project, *, counts: Tally | None = None) -> Mapping[str, Callable[[], Figure]]:
    """All plots by name. Each is computed when it is called: 1 query, or none if the counts are given."""

    def counted() -> Tally:
        return tally(known_forms(project)) if counts is None else counts

    found: dict[str, Callable[[], Figure]] = {
        "marks": lambda: _marks(counted()),
        "agent": lambda: _agent(counted()),
        "dialogue-types": lambda: _coverage(
            "Dialogue types", counted().types, set(values_of("dialogue_type")), counted().n
        ),
        "actions": lambda: _coverage("Actions", counted().actions, set(values_of("action_type")), counted().n),
        "keys": lambda: _coverage("Keys", counted().keys, all_keys(), counted().n),
        "disagreements": partial(_disagreements, project),
    }
    found["words"] = lambda: _words(counted())
    return found


class Slot(NamedTuple):
    """A property of forms, and the words that express it most often, with their counts and the number of spellings."""

    name: str
    label: str
    words: list[tuple[str, int]]
    n: int
    spellings: int


def slots_of(counts: Tally) -> list[Slot]:
    """The properties that words express, the most frequent first."""
    found = [
        Slot(name, _SLOTS.get(name, ""), _by_count(words)[:MOST_WORDS], words.total(), len(words))
        for name, words in counts.words.items()
    ]
    return sorted(found, key=lambda slot: (-slot.n, slot.name))


def _by_count(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def known_forms(project: Project) -> Iterator[Known]:
    """The newest commands with a known form, at most NEWEST. 1 query."""
    for task in known_commands(project).order_by("-pk")[:NEWEST]:
        forms, payload = forms_of(task), task.payload
        agrees = agent_agrees(payload["text"], payload.get("form"), forms)
        yield Known(payload["text"], forms[0], agrees, payload.get("marked"))


def _coverage(title: str, counts: Counter[str], known: set[str], n: int) -> Figure:
    shown = _by_count(counts)
    missing = sorted(known - set(counts))
    absent = [(name, 0) for name in missing] if n else []
    never = f" Never yet: {', '.join(missing)}." if missing else " All that the grammar has are there."
    more = f" The {MOST_ROWS} most frequent; the file has all." if len(shown) > MOST_ROWS else ""
    measured = [Measured(name, count / n, *wilson(count, n)) for name, count in shown[:MOST_ROWS]]
    return Figure(
        title,
        f"In how many of {n} command{'s' * (n != 1)} each is, with 95 % intervals.{more}{never}",
        interval_plot(measured),
        ["name", "commands", "of", "share", "low", "high"],
        [[name, count, n, count / n, *wilson(count, n)] for name, count in (*shown, *absent)],
    )


def _words(counts: Tally) -> Figure:
    rows = [(slot, words, count) for slot in slots_of(counts) for words, count in slot.words]
    shown = sorted(rows, key=lambda row: -row[2])[:MOST_ROWS]
    return Figure(
        "Most frequent words",
        f"The {MOST_ROWS} most frequent, as shares of all words for the same property, with 95 % intervals.",
        interval_plot([_measured(f"{slot.name}: {words}", Share(count, slot.n)) for slot, words, count in shown]),
        ["slot", "words", "times", "of"],
        [[slot.name, words, count, slot.n] for slot, words, count in rows],
    )


def _disagreements(project: Project) -> Figure:
    """Disagreements between answers, by step.

    Consensus is not used, because steps have none where one worker answers a whole command. 1 query.
    """
    rows = Annotation.objects.counting().filter(project=project, task__part_of__is_reference=False)
    newest = rows.order_by("-number").values_list("task__part_of_id", "task__step__key", "worker_id", "answer")
    said = (
        StepAnswer(command, step, worker, answer)
        for command, step, worker, answer in newest[:NEWEST_ANSWERS].iterator()
        if command is not None
    )
    found = sorted(disputes(said).items(), key=lambda item: (-item[1].part / item[1].n, -item[1].n, item[0]))
    shown = [_measured(name, share) for name, share in found[:MOST_ROWS]]
    return Figure(
        "Disagreements by step",
        "Of the steps that several workers answered, those that they did not all answer alike, with 95 % intervals; "
        f"the newest {NEWEST_ANSWERS:,} answers.",
        interval_plot(shown),
        ["step", "differ", "of", "share", "low", "high"],
        [[name, share.part, share.n, share.part / share.n, *wilson(*share)] for name, share in found],
    )


def _agent(counts: Tally) -> Figure:
    parts = sorted(counts.agent.items(), key=lambda item: (-item[1].n, item[0]))
    every = Share(sum(share.part for _, share in parts), sum(share.n for _, share in parts))
    shown = [("all", every), *parts] if parts else []
    return Figure(
        "The agent's parse",
        "How often it means what the known form means, by the dialogue type of that form, with 95 % intervals.",
        interval_plot([_measured(name, share) for name, share in shown]),
        ["dialogue_type", "same", "of", "share", "low", "high"],
        [[name, share.part, share.n, share.part / share.n, *wilson(*share)] for name, share in shown],
    )


def _marks(counts: Tally) -> Figure:
    shown = [(name, share) for name, share in (("precision", counts.precision), ("recall", counts.recall)) if share.n]
    return Figure(
        "Marks of wrong parses",
        f"Precision: of {counts.precision.n} parses marked as wrong {counts.precision.part} are. Recall: of "
        f"{counts.recall.n} parses that are wrong {counts.recall.part} were marked. With 95 % Wilson intervals.",
        interval_plot([_measured(name, share) for name, share in shown]),
        ["measure", "part", "of", "share", "low", "high"],
        [[name, share.part, share.n, share.part / share.n, *wilson(*share)] for name, share in shown],
    )


def _measured(label: str, share: Share) -> Measured:
    return Measured(label, share.part / share.n, *wilson(*share), n=share.n)
