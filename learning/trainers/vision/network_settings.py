"""The settings of a network. The defaults learn on a processor; kernel 5 and hidden 128 are those of paper 004."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from learning.trainers.protocol import Settings
from lib.canonical_json import escaped
from lib.faults import Fault, Invalid
from lib.vision.network import KERNELS, MOST_HIDDEN, Weights

MOST_ROUNDS = 4000
DEVICES = ("cpu", "cuda")


class NetworkSettings(NamedTuple):
    """The settings of one training.

    Attributes:
        kernel: The side of each convolution.
        hidden: The number of features of a voxel.
        threshold: A voxel is named if its probability is greater.
        rounds: How often each example is seen.
        device: What trains: the processor, or an accelerator.
    """

    kernel: int
    hidden: int
    threshold: float
    rounds: int
    device: str


_RULES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "kernel": (lambda one: type(one) is int and one in KERNELS, "The side of a convolution is 3, 5 or 7."),
    "hidden": (
        lambda one: type(one) is int and 1 <= one <= MOST_HIDDEN,
        f"This is a whole number from 1 to {MOST_HIDDEN}.",
    ),
    "threshold": (
        lambda one: type(one) is float and 0 < one < 1,
        "This is a probability between 0 and 1.",
    ),
    "rounds": (
        lambda one: type(one) is int and 1 <= one <= MOST_ROUNDS,
        f"This is a whole number from 1 to {MOST_ROUNDS}.",
    ),
    "device": (lambda one: one in DEVICES, f"A device is one of {', '.join(DEVICES)}."),
}
_RULES = {**_RULES, "further_rounds": _RULES["rounds"]}
_DEFAULTS = {"kernel": 3, "hidden": 32, "threshold": 0.8, "rounds": 40, "further_rounds": 5, "device": "cpu"}


def read_settings(settings: Settings, before: Weights | None) -> NetworkSettings:
    """The settings, with the defaults for what they leave out.

    Args:
        before: The network to continue; it keeps its kernel and hidden size.

    Raises:
        Invalid: a setting is unknown, out of its bounds, or not that of the network to continue.
    """
    faults = []
    for name, value in settings.items():
        fits, sentence = _RULES.get(name, (lambda one: False, f"The settings of a network are {', '.join(_RULES)}."))
        if not fits(value):
            faults.append(Fault(f"#/{escaped(name)}", sentence))
        elif before is not None and name in ("kernel", "hidden") and value != getattr(before, name):
            faults.append(Fault(f"#/{name}", f"The network to continue has {getattr(before, name)} here."))
    if faults:
        raise Invalid(faults=faults)
    kept = {"kernel": before.kernel, "hidden": before.hidden, "threshold": before.threshold} if before else {}
    known: dict[str, Any] = {**_DEFAULTS, **kept, **settings}
    known["rounds"] = known["further_rounds" if before else "rounds"]
    return NetworkSettings(**{name: known[name] for name in NetworkSettings._fields})
