"""Commands with their true forms, as simulated workers know them."""

import json
import random
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from lib.logical_form.asking.walk import record_of
from lib.logical_form.english.outline import sentence
from lib.logical_form.normal import normal
from lib.logical_form.spans import tokenise
from lib.logical_form.upgrade import upgraded
from lib.logical_form.validate import faults_of
from lib.splits import same_words

Json = dict[str, Any]


class KnownCommand(NamedTuple):
    """A command and what it truly means."""

    text: str
    form: Json


class Truths:
    """The meaning of each command, by its text in any case and spacing."""

    def __init__(self, commands: Sequence[KnownCommand]) -> None:
        self._commands = commands

    def form_of(self, text: str) -> Json:
        return self._forms[same_words(text)]

    def sentence_of(self, text: str) -> str:
        """The words of an agent that has understood the command."""
        return sentence(self.form_of(text), tokenise(text))

    def record_of(self, text: str) -> dict[str, Json]:
        """The right answer to each step of annotation, by the step's key."""
        return record_of(self.form_of(text))

    @cached_property
    def _forms(self) -> dict[str, Json]:
        return {same_words(one.text): one.form for one in self._commands}


def read_lines(file: Path) -> list[KnownCommand]:
    """The commands of a file of lines `{"text", "lf"}`, each text once, in normal form and today's grammar.

    Those that no annotator could have given are left out: their form is no valid one of their words.
    """
    found: dict[str, KnownCommand] = {}
    for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        if "text" not in row:
            continue
        form = normal(upgraded(row["lf"])[0])
        if not faults_of(form, words=len(tokenise(row["text"]))):
            found.setdefault(same_words(row["text"]), KnownCommand(row["text"], form))
    return list(found.values())


# Commands of our own -------------------------------------------------------------------------------------------------

_COLOURS = ("red", "blue", "green", "yellow", "white", "black", "orange", "purple", "pink", "grey")
_SIZES = ("small", "big", "tall", "tiny", "huge", "wide", "narrow", "large")
_THINGS = (
    *("cube", "tower", "house", "wall", "sphere", "pyramid", "fence", "bridge", "ring", "box", "column", "platform"),
    *("castle", "arch", "dome", "tree", "barn", "gate", "hut", "statue", "well", "bench", "boat", "shed"),
)
_MOBS = ("sheep", "cow", "pig", "chicken", "rabbit")
_SIDES = {"left of": "LEFT", "right of": "RIGHT", "above": "UP", "behind": "BACK", "near": "NEAR"}


def made_up(number: int, *, seed: int, evenly: bool = False) -> list[KnownCommand]:
    """Different commands from sentence patterns.

    The patterns come up one after the other, so that an agent which learnt from the first commands knows the later ones
    less and less; `evenly` draws from all of them from the beginning.
    """
    draw, found = random.Random(f"made-up:{seed}"), dict[str, KnownCommand]()
    while len(found) < number:
        share = 1.0 if evenly else min(1.0, 1.3 * len(found) / number)
        known = 2 + round((len(_PATTERNS) - 2) * share)
        one = _made(draw.choice(_PATTERNS[:known]), draw)
        found.setdefault(same_words(one.text), one)
    return list(found.values())


def _made(pattern: str, draw: random.Random) -> KnownCommand:
    """One command of a pattern. Words in braces are drawn; their places are the spans of the form."""
    kinds = {"c": _COLOURS, "s": _SIZES, "t": _THINGS, "m": _MOBS, "r": tuple(_SIDES), "u": _THINGS, "d": _COLOURS}
    action, words = pattern.split(": ", 1)
    text, places = list[str](), dict[str, tuple[int, int]]()
    drawn = dict[str, str]()
    for word in words.split():
        name = word.strip("{}")
        if word.startswith("{"):
            drawn[name] = draw.choice(kinds[name])
            word = drawn[name]
            places[name] = (len(text), len(text) + len(word.split()) - 1)
        text += word.split()
    return KnownCommand(" ".join(text), normal(_form(action, places, drawn)))


def _form(action: str, places: dict[str, tuple[int, int]], drawn: dict[str, str]) -> Json:
    thing = _thing(places, "m" if action == "SPAWN" else "t", "c", "s")
    step: Json = {"action_type": action}
    if "r" in places:
        step["location"] = {"relative_direction": _SIDES[drawn["r"]], "reference_object": _thing(places, "u", "d")}
    elif action == "MOVE":
        step["location"] = {"reference_object": thing}
    if action in ("BUILD", "DIG"):
        step["schematic"] = thing
    elif action in ("DESTROY", "SPAWN"):
        step["reference_object"] = thing
    return {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [step]}


def _thing(places: dict[str, tuple[int, int]], name: str, colour: str = "", size: str = "") -> Json:
    slots = (("has_name", name), ("has_colour", colour), ("has_size", size))
    clauses = [{"pred_text": slot, "obj_text": [0, list(places[key])]} for slot, key in slots if key in places]
    return {"filters": {"where_clause": {"AND": clauses}}} if clauses else {}


_PATTERNS = (
    "BUILD: build a {c} {t}",
    "MOVE: go to the {t}",
    "BUILD: make a {s} {t}",
    "DESTROY: destroy the {c} {t}",
    "BUILD: build a {s} {c} {t}",
    "SPAWN: spawn a {m}",
    "MOVE: walk over to the {c} {t}",
    "BUILD: please put up a {t} {r} the {u}",
    "DESTROY: get rid of the {s} {t}",
    "MOVE: stand {r} the {u}",
    "BUILD: i want a {c} {t} {r} the {d} {u}",
    "SPAWN: bring me a {m} {r} the {u}",
    "DESTROY: tear down that {t} now",
    "DIG: dig a {s} {t}",
    "BUILD: can you make me a {s} {c} {t} {r} the {u}",
    "DIG: make a {s} {t} in the ground {r} the {u}",
)
