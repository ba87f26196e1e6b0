"""The trainers that this server knows: its own, and those of installed packages.

A package adds a trainer with an entry point of the group `crosswalk.trainers`, whose object is a class that needs no
arguments and does what `protocol.Trainer` says.
"""

from functools import cache
from importlib.metadata import entry_points

from learning.trainers.nlu.linear import LinearParserTrainer
from learning.trainers.protocol import Trainer
from learning.trainers.vision.linear import LinearEyeTrainer
from learning.trainers.vision.network import NetworkTrainer
from lib.faults import NotFound

GROUP = "crosswalk.trainers"


def modules() -> list[str]:
    """The modules that have a trainer, in the order of their names."""
    return sorted({trainer.module for trainer in trainers()})


@cache
def trainers() -> tuple[Trainer, ...]:
    """All trainers. The first one of a module is its default."""
    added: list[Trainer] = [point.load()() for point in sorted(entry_points(group=GROUP), key=lambda one: one.name)]
    return (*_own(), *added)


def trainer_for(module: str, name: str | None = None) -> Trainer:
    """The trainer of this name, or the default one of the module.

    Raises:
        NotFound: there is none.
    """
    for trainer in trainers():
        if trainer.module == module and name in (None, trainer.name):
            return trainer
    known = ", ".join(f"{trainer.module}/{trainer.name}" for trainer in trainers()) or "none"
    raise NotFound(
        "There is no trainer {name!r} of {module!r}; there is {known}.", name=name, module=module, known=known
    )


def _own() -> list[Trainer]:
    return [LinearParserTrainer(), LinearEyeTrainer(), NetworkTrainer()]
