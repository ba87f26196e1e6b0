"""The inputs of a training run: the examples of its tranches, and a digest of everything that determines its model."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.conf import settings

from learning.data.kinds import kind_of
from learning.models import Item, Training, Tranche
from learning.models.trainings import Kind
from learning.trainers.protocol import Example
from lib.canonical_json import digest
from lib.splits import Split

_CODE = ("learning/trainers", "lib/nlu", "lib/vision", "lib/logical_form", "lib/voxels")
"""The folders whose code decides what a model becomes."""


def learnt_from(kind: str, tranches: Sequence[Tranche]) -> list[Tranche]:
    """Those of the tranches that a model of this kind learns from, in their order. A re-biased one has seen all of
    them before it sees R_0 again."""
    return [one for one in tranches if kind != Kind.BASELINE or one.number == 0]


def items_of(tranches: Iterable[Tranche], split: Split) -> Iterator[Item]:
    """The items of a split in these tranches, each once, with its newest truth. 1 query for each tranche.

    Items whose words were erased are left out.
    """
    numbered = sorted(tranches, key=lambda one: -one.number)
    seen: set[str] = set()
    for tranche in numbered:
        for item in tranche.items.of(split).usable().order_by("pk").iterator(chunk_size=1000):
            if item.item not in seen:
                seen.add(item.item)
                yield item


def examples_of(module: str, items: Iterable[Item]) -> Iterator[Example]:
    """The items as a trainer gets them."""
    kind = kind_of(module)
    return (Example(item.item, kind.to_learn(item.given or {}), item.truth) for item in items)


def inputs_digest(training: Training, *, kind: str, seed: int, tranches: Sequence[Tranche]) -> str:
    """Equal for runs that would make the same model."""
    content: dict[str, Any] = {
        "module": training.module,
        "trainer": training.trainer,
        "kind": kind,
        "seed": seed,
        "settings": training.settings,
        "tranches": [[one.number, one.sha256] for one in learnt_from(kind, tranches)],
        "code": code_version(),
    }
    return digest(content)


@cache
def code_version() -> str:
    """The version of the code that trains: a digest of its files."""
    found = sha256()
    for folder in _CODE:
        for file in sorted(Path(settings.BASE_DIR, folder).rglob("*.py")):
            found.update(f"{file.relative_to(settings.BASE_DIR)}\n".encode() + file.read_bytes())
    return found.hexdigest()[:16]
