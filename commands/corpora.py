"""Corpora in the database, and the indices of them in the memory of this process.

A corpus is a list of commands, numbered in the order in which they were entered; its version is the last number. A
process reads it into an index once, and later only the new commands. Processes at the same version have the same
commands, and compute the same score.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from threading import Lock, RLock
from typing import Final, NamedTuple

from django.db import transaction
from django.db.models import OuterRef, Subquery

from commands.models import Corpus, CorpusCommand
from lib.stoplight.comparison import Comparison
from lib.stoplight.corpus import Index, Snapshot
from lib.stoplight.settings import Settings

MOST_HELD: Final = 16
MOST_COMMANDS: Final = 1_500_000
"""The limits of the memory: indices of corpora, and distinct commands in all of them; the last used index stays."""
READ_AT_ONCE: Final = 10_000


def enter(*, slug: str, texts: Sequence[tuple[str, int | None]], at: datetime) -> int:
    """Append commands to the corpus, each with the primary key of its row, if it has one. Returns the new version.

    A command whose key is in the corpus already is skipped.

    Locks: the corpus, until the caller's transaction ends; so numbers follow the order of commits.
    """
    with transaction.atomic():
        Corpus.objects.get_or_create(slug=slug)
        corpus = Corpus.objects.select_for_update().get(slug=slug)
        entered = CorpusCommand.objects.filter(corpus=corpus, command__in={pk for _, pk in texts if pk is not None})
        known: set[int | None] = set(entered.values_list("command_id", flat=True))
        fresh: list[tuple[str, int | None]] = []
        for text, pk in texts:
            if pk is None or pk not in known:
                fresh.append((text, pk))
                known.add(pk)
        CorpusCommand.objects.bulk_create(
            CorpusCommand(corpus=corpus, number=number, text=text, command_id=pk)
            for number, (text, pk) in enumerate(fresh, start=corpus.version + 1)
        )
        corpus.version += len(fresh)
        corpus.save(update_fields=["version"])
    return corpus.version


def warm(slug: str, settings: Settings) -> None:
    """Load the index of this process, if it is not loaded. One thread loads, others wait.

    Call outside a transaction: a corpus of a million commands takes seconds.
    """
    if _held_for(slug, settings).kept is None:
        comparison(slug, settings)


def comparison(slug: str, settings: Settings) -> tuple[Comparison, int]:
    """The corpus as it is now, and its version: exactly the commands up to that number that are not erased.

    Costs: 1 query if nothing is new; else 3 more, and the time to read the new commands. Do not call it in a
    transaction that has entered commands, since the index would keep uncommitted ones.
    """
    held = _held_for(slug, settings)
    kept = held.kept
    state = _state(slug, kept)
    if state is None:
        return _none_yet(*_kind(settings)).snapshot, 0
    if kept is None or not kept.is_at(state):
        with held.loading:
            # Another thread may have loaded it meanwhile.
            kept = held.kept
            state = _state(slug, kept) or state
            if kept is None or not kept.is_at(state):
                kept = held.kept = _loaded(held.index_for(kept, state), kept, state)
        _make_room(held)
    return kept.snapshot, kept.snapshot.version


def comparison_at(slug: str, settings: Settings, version: int) -> Comparison:
    """The corpus as it was at a version, except for texts erased since. Costs: mostly reads all of it."""
    kept = _held_for(slug, settings).kept
    state = _state(slug, kept)
    if state is None or version == 0:
        return _none_yet(*_kind(settings)).snapshot
    if kept is not None and kept.snapshot.version == version and kept.is_at(state):
        return kept.snapshot
    index = _empty_index(settings)
    return _extended(index, state.corpus, upto=min(version, state.version))


def forget() -> None:
    """Drop all indices, so that they are loaded again."""
    with _holding:
        _all_held.clear()


class _State(NamedTuple):
    """The state of a corpus in the database, with the row at the version of this process's index."""

    corpus: int
    version: int
    generation: int
    row: int | None
    text: str | None


@dataclass(frozen=True)
class _Kept:
    """The state up to which this process has read the corpus, to recognise whether the corpus is still the same."""

    snapshot: Snapshot
    corpus: int
    generation: int
    row: int | None
    text: str | None

    def is_part_of(self, state: _State) -> bool:
        """True if only new commands have come since. False for a database that was restored from a backup."""
        return (
            (self.corpus, self.generation, self.row, self.text)
            == (state.corpus, state.generation, state.row, state.text)
        ) and self.snapshot.version <= state.version

    def is_at(self, state: _State) -> bool:
        return self.is_part_of(state) and self.snapshot.version == state.version


@dataclass
class _Held:
    """The index of one corpus, shared by settings that split texts into words alike."""

    settings: Settings
    index: Index | None = None
    kept: _Kept | None = None
    loading: Lock = field(default_factory=Lock)

    def index_for(self, kept: _Kept | None, state: _State) -> Index:
        """The index that can be extended to that state, or a new one."""
        if self.index is None or kept is None or not kept.is_part_of(state):
            self.index = _empty_index(self.settings)
        return self.index


_holding = RLock()
_all_held: OrderedDict[tuple[str, bool, bool], _Held] = OrderedDict()


def _kind(settings: Settings) -> tuple[bool, bool]:
    return settings.normalise, settings.word_order


def _held_for(slug: str, settings: Settings) -> _Held:
    with _holding:
        key = (slug, *_kind(settings))
        held = _all_held.setdefault(key, _Held(settings))
        _all_held.move_to_end(key)
        return held


def _make_room(used: _Held) -> None:
    """Drop the indices that were not used for longest, beyond the limits."""
    with _holding:
        for key, held in list(_all_held.items()):
            if len(_all_held) <= MOST_HELD and sum(_distinct(one) for one in _all_held.values()) <= MOST_COMMANDS:
                return
            if held is not used:
                del _all_held[key]


def _distinct(held: _Held) -> int:
    return sum(segment.size for segment in held.kept.snapshot.segments) if held.kept else 0


@cache
def _none_yet(normalise: bool, with_pairs: bool) -> Index:
    return Index(normalise=normalise, with_pairs=with_pairs)


def _empty_index(settings: Settings) -> Index:
    normalise, with_pairs = _kind(settings)
    return Index(normalise=normalise, with_pairs=with_pairs)


def _state(slug: str, kept: _Kept | None) -> _State | None:
    """The state of the corpus; None where there is none yet. 1 query."""
    version = kept.snapshot.version if kept else 0
    last = CorpusCommand.objects.filter(corpus=OuterRef("pk"), number=version)
    rows = Corpus.objects.filter(slug=slug).annotate(
        last_row=Subquery(last.values("pk")), last_text=Subquery(last.values("text"))
    )
    found = rows.values_list("pk", "version", "generation", "last_row", "last_text").first()
    return None if found is None else _State(*found)


def _loaded(index: Index, kept: _Kept | None, state: _State) -> _Kept:
    """Extend the index, which is empty or at the kept version, by the new commands."""
    snapshot = _extended(index, state.corpus, upto=state.version)
    last = CorpusCommand.objects.filter(corpus=state.corpus, number=state.version).values_list("pk", "text").first()
    row, text = last or (None, None)
    return _Kept(snapshot, state.corpus, state.generation, row, text)


def _extended(index: Index, corpus: int, *, upto: int) -> Snapshot:
    new = CorpusCommand.objects.filter(corpus=corpus, number__gt=index.version, number__lte=upto).exclude(text="")
    texts = new.order_by("number").values_list("text", "command__worker").iterator(chunk_size=READ_AT_ONCE)
    return index.extend(((text, 1, worker) for text, worker in texts), version=upto)
