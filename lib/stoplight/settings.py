"""The settings of the stoplight, and its two presets."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from decimal import Decimal
from typing import Any, NamedTuple

from lib.canonical_json import escaped
from lib.name_patterns import SLUG


class Fault(NamedTuple):
    """One fault: its place below the stoplight object, a sentence, and whether it is only an unknown field."""

    pointer: str
    detail: str
    is_unknown_field: bool = False


class NotSettings(ValueError):
    """The JSON does not describe valid settings."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(f"{fault.pointer}: {fault.detail}" for fault in faults))


@dataclass(frozen=True)
class Weights:
    """The weight of each part of the score; only the proportions matter."""

    quantity: float = 1.0
    diversity: float = 1.0
    creativity: float = 1.0


@dataclass(frozen=True)
class Settings:
    """How a session is scored, and how much a point pays; the defaults are those of the preset `default`.

    Creativity is `(10·d - creativity_zero)·creativity_times - length_penalty·(ideal_length - n)²`, for a command of n
    content words whose mean word edit distance to the corpus is d; diversity is `(10·d - diversity_zero)·
    diversity_times` with d to the earlier commands of the session. Both are kept in [1, 10].

    Attributes:
        preset: The preset from which the other values come unless given.
        weights: Weights of the logarithms of the three parts.
        green, amber: The least scores of these colours of the light.
        quantity_cap: The number of commands from which on more commands do not raise the score.
        creativity_zero, creativity_times, diversity_zero, diversity_times: Turn distances into numbers from 1 to 10.
        ideal_length: The best number of content words of a command.
        length_penalty: Subtracted from the creativity, times the square of the words above or below the ideal.
        first_diversity: Whether the first command, which has no earlier one to differ from, counts in the mean of
            diversity.
        usual_distance, usual_weight: The corpus counts as if it had this many (`usual_weight`) more commands at this
            mean distance, so a young corpus has little influence.
        own_scale: Whether distances are shifted so that the mean distance in the corpus becomes `usual_distance`. Where
            all commands consist of the same few words, honest commands are near to each other.
        normalise: Whether to ignore case, punctuation and Unicode forms.
        unknown_is_joker: Whether a word that nobody knows counts as equal to any word it is compared with.
        known_after: Number of people who must have used a word, outside the list of English words, before it is known.
        word_order: Whether word pairs that do not occur in the corpus lower the score.
        order_low, order_high: Bounds on the share of the session's word pairs that the corpus has, divided by the usual
            share: up to the first the score becomes 0, from the second on it is unchanged.
        odd_low, odd_high: Bounds on the mean oddness of the session's word pairs above the usual: up to the first the
            score is unchanged, from the second on it becomes 0. A pair with half of the chance frequency has 1, with a
            quarter 2.
        copies: Whether a session with many commands near to those of other people has a lower score.
        copies_low, copies_high: Bounds on the share of such commands above the usual share, divided by its greatest
            possible value: up to the first the score is unchanged, from the second on it becomes 0.
        judged: Whether a command counts only after its questions are answered.
        understood: Whether a command counts only if the agent understood something it could do, or the worker says that
            the agent misunderstood it.
        near_duplicate: A command does not count if its word edit distance to another command of the worker, divided by
            the words of the longer one, is at most this; with None all count.
        least_letters: The share of letters and digits below which a command does not count.
        most_unknown: The share of unknown words above which a command does not count.
        per_point, most: Money for a point of the score, and the most money for a session.
        corpus: Slug of the corpus to compare with; None means the project's own.
    """

    preset: str = "default"
    weights: Weights = Weights()
    green: float = 6.5
    amber: float = 5.0
    quantity_cap: int = 10
    creativity_zero: float = 9.4
    creativity_times: float = 16.667
    diversity_zero: float = 6.667
    diversity_times: float = 3.0
    ideal_length: float = 4.0
    length_penalty: float = 1.5
    first_diversity: bool = False
    usual_distance: float = 0.975
    usual_weight: int = 50
    own_scale: bool = True
    normalise: bool = True
    unknown_is_joker: bool = True
    known_after: int = 3
    word_order: bool = True
    order_low: float = 0.25
    order_high: float = 0.6
    odd_low: float = 0.12
    odd_high: float = 0.42
    copies: bool = True
    copies_low: float = 0.5
    copies_high: float = 0.7
    judged: bool = True
    understood: bool = True
    near_duplicate: float | None = 0.2
    least_letters: float = 0.6
    most_unknown: float = 0.5
    per_point: Decimal = Decimal("0.30")
    most: Decimal = Decimal("3.00")
    corpus: str | None = None

    def as_json(self) -> dict[str, Any]:
        """All values as JSON, with money as text; `read_settings` is the inverse."""
        return asdict(self) | {"per_point": str(self.per_point), "most": str(self.most)}


PRESETS: Mapping[str, Settings] = {
    "default": Settings(),
    # The formula as the paper used it: every command counts.
    "paper": Settings(
        preset="paper",
        first_diversity=True,
        usual_weight=0,
        own_scale=False,
        normalise=False,
        unknown_is_joker=False,
        word_order=False,
        copies=False,
        judged=False,
        understood=False,
        near_duplicate=None,
        least_letters=0.0,
        most_unknown=1.0,
    ),
}


class Range(NamedTuple):
    least: float
    most: float
    is_whole: bool = False


RANGES: Mapping[str, Range] = {
    "green": Range(0, 10),
    "amber": Range(0, 10),
    "quantity_cap": Range(2, 1000, True),
    "creativity_zero": Range(0, 10),
    "creativity_times": Range(0, 1000),
    "diversity_zero": Range(0, 10),
    "diversity_times": Range(0, 1000),
    "ideal_length": Range(0, 50),
    "length_penalty": Range(0, 100),
    "usual_distance": Range(0, 1),
    "usual_weight": Range(0, 1_000_000, True),
    "known_after": Range(1, 1_000_000, True),
    "order_low": Range(0, 1),
    "order_high": Range(0.01, 1),
    "odd_low": Range(0, 10),
    "odd_high": Range(0.01, 10),
    "copies_low": Range(0, 1),
    "copies_high": Range(0.01, 1),
    "near_duplicate": Range(0, 1),
    "least_letters": Range(0, 1),
    "most_unknown": Range(0, 1),
}
FLAGS = tuple(field.name for field in fields(Settings) if field.type is bool)
MONEY = ("per_point", "most")
PARTS = tuple(field.name for field in fields(Weights))
MOST_WEIGHT = 100.0
MONEY_FORM = re.compile(r"[0-9]{1,6}(\.[0-9]{1,4})?")
MOST_MONEY_FORM = re.compile(r"[0-9]{1,6}(\.[0-9]{1,2})?")


def read_settings(raw: Mapping[str, Any] | None) -> Settings:
    """The settings in `raw` (parsed JSON): a preset, and the values that differ from it.

    Raises:
        NotSettings: with all faults; their pointers begin below the stoplight object.
    """
    faults: list[Fault] = []
    if raw is None:
        return PRESETS["default"]
    if not isinstance(raw, Mapping):
        raise NotSettings([Fault("", "Give an object.")])
    preset = raw.get("preset", "default")
    if not isinstance(preset, str) or preset not in PRESETS:
        faults.append(Fault("/preset", f"Use one of {', '.join(PRESETS)}."))
        preset = "default"
    base = PRESETS[preset]
    read = {
        name: _value(name, value, base, faults)
        for name, value in raw.items()
        if name != "preset" and _is_field(name, faults)
    }
    found = base if faults else replace(base, **read)
    if not faults:
        _compare(found, faults)
    if faults:
        raise NotSettings(faults)
    return found


def _is_field(name: object, faults: list[Fault]) -> bool:
    if name in RANGES or name in FLAGS or name in MONEY or name in ("weights", "corpus"):
        return True
    faults.append(Fault(f"/{escaped(name)}", f"There is no field {name!r} here.", True))
    return False


def _value(name: str, value: Any, base: Settings, faults: list[Fault]) -> Any:
    """The value as the settings store it; after a fault the return value has no meaning."""
    if name == "weights":
        return _weights(value, base.weights, faults)
    if name in FLAGS:
        if not isinstance(value, bool):
            faults.append(Fault(f"/{name}", "Say true or false."))
        return value
    if name in MONEY:
        return _money(name, value, faults)
    if name == "corpus":
        if value is not None and not (isinstance(value, str) and re.fullmatch(SLUG, value)):
            faults.append(Fault("/corpus", "Name a corpus by its slug, or say null for the project's own."))
        return value
    if name == "near_duplicate" and value is None:
        return None
    return _number(f"/{name}", value, RANGES[name], faults)


def _number(pointer: str, value: Any, within: Range, faults: list[Fault]) -> float | int:
    kind = "whole number" if within.is_whole else "number"
    allowed = int if within.is_whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, allowed) or not within.least <= value <= within.most:
        faults.append(Fault(pointer, f"Give a {kind} from {within.least:g} to {within.most:g}."))
        return 0
    return value if within.is_whole else float(value)


def _weights(value: Any, base: Weights, faults: list[Fault]) -> Weights:
    if not isinstance(value, Mapping):
        faults.append(Fault("/weights", "Give an object."))
        return base
    for name in value:
        if name not in PARTS:
            faults.append(Fault(f"/weights/{escaped(name)}", f"There is no field {name!r} here.", True))
    read = {
        name: float(_number(f"/weights/{name}", value[name], Range(0, MOST_WEIGHT), faults))
        for name in PARTS
        if name in value
    }
    found = replace(base, **read)
    if not faults and not sum(asdict(found).values()):
        faults.append(Fault("/weights", "One of them must be more than 0."))
    return found


def _money(name: str, value: Any, faults: list[Fault]) -> Decimal:
    form, places = (MONEY_FORM, 4) if name == "per_point" else (MOST_MONEY_FORM, 2)
    if not isinstance(value, str) or not form.fullmatch(value):
        faults.append(Fault(f"/{name}", f'Give money as text with {places} decimal places at most, as "0.30".'))
        return Decimal(0)
    return Decimal(value)


def _compare(found: Settings, faults: list[Fault]) -> None:
    if found.amber > found.green:
        faults.append(Fault("/amber", "Amber begins below green."))
    if found.order_low >= found.order_high:
        faults.append(Fault("/order_low", "This must be less than `order_high`."))
    if found.odd_low >= found.odd_high:
        faults.append(Fault("/odd_low", "This must be less than `odd_high`."))
    if found.copies_low >= found.copies_high:
        faults.append(Fault("/copies_low", "This must be less than `copies_high`."))
