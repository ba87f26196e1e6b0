"""Keys a command on the parse page, for a worker who makes no mistake: with the parser's guess, and blank.

The commands and guesses are those of a real batch (`droidlet_nlu_error_fixture.jsonl`), of which about one guess in
four is right. The worker gets what the page gets, and the keys are counted by the rules of the page
(`frontend/src/tools/parse/state.ts`); `tests/browser/test_parse.py` presses them.
"""

import json
from pathlib import Path
from typing import Any

from annotation.datasets.forms_locate import located
from annotation.tools.parse import steps
from annotation.tools.parse.steps import CONFIRM, after_answer, after_guess, open_steps
from bench.rows import Row
from lib.logical_form.asking.correcting import filled
from lib.logical_form.asking.walk import record_of, walk
from lib.logical_form.normal import same
from lib.logical_form.spans import tokenise
from lib.logical_form.upgrade import upgraded
from lib.logical_form.validate import faults_of

Json = dict[str, Any]
FIXTURE = Path(__file__).resolve().parents[3] / "shared" / "data" / "droidlet_nlu_error_fixture.jsonl"
ON_A_SCREEN = 7
"""Options before “more”; `MOST_SHOWN` of the page."""
MOST_WITH_GUESS, MOST_BLANK = 6.0, 12.0
_ROUNDS = 60


def run() -> list[Row]:
    if not FIXTURE.exists():
        return []
    pairs = list(_pairs())
    guessed = [keys_of(text, true, guess) for text, true, guess in pairs if guess]
    offered = [keys_of(text, true, guess) for text, true, guess in pairs]
    blank = [keys_of(text, true, None) for text, true, _ in pairs]
    right = sum(bool(guess) and same(guess, true) for _, true, guess in pairs)
    return [
        _row(f"with a guess, {right / len(guessed):.0%} of them right", guessed, MOST_WITH_GUESS),
        _row("with a guess where the parser has a valid one", offered, MOST_WITH_GUESS),
        _row("blank", blank, MOST_BLANK),
    ]


def _row(what: str, keys: list[int], most: float) -> Row:
    mean, middle = sum(keys) / len(keys), sorted(keys)[len(keys) // 2]
    note = f"median {middle}, most {max(keys)}"
    case = f"{what}, {len(keys)} commands"
    return Row("parse, keys a command", case, mean, None, note, mean / most, "budget", budget=f"≤ {most:g}")


def _pairs() -> Any:
    """Each command with its true form and the parser's, None where that is not valid."""
    for line in FIXTURE.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row.get("gold") and (true := _form(row["text"], row["gold"])):
            yield row["text"], true, _form(row["text"], row["model"])


def _form(text: str, form: Any) -> Json | None:
    tokens = tokenise(text)
    found: Json = upgraded(located(upgraded(form)[0], tokens)[0])[0]
    return None if faults_of(found, words=len(tokens)) else found


def keys_of(text: str, true: Json, guess: Json | None) -> int:
    """The keys with which a worker who knows the true form gives it."""
    wanted = record_of(true)
    record, hints, keys = dict[str, Any](), dict[str, Any](), 0
    if guess:
        keys += 1
        guessed = record_of(guess)
        if same(guess, true):
            return keys
        parts = steps.parts_in_words(guessed, tokenise(text))
        found = after_guess(guessed, {"wrong": _wrong_part(parts, guessed, wanted)})
        record, hints = filled(found.record, found.hints), dict(found.hints)
    for _ in range(_ROUNDS):
        opened = open_steps(record)
        if not opened:
            return keys
        step = opened[0]
        shown = steps.shown_step({"text": text, "record": record, "hints": hints, "own": True}, step)
        if step.key == CONFIRM:
            keys += 1
            if same(walk(record).form, true):
                return keys
            answers: Json = {"right": False, "wrong": _wrong_part(shown["parts"], record, wanted)}
        else:
            keys += _keys_of_step(shown, wanted[step.key])
            answers = wanted[step.key]
        found = after_answer(record, step.key, {"answers": answers}, hints=hints)
        record, hints = filled(found.record, found.hints), dict(found.hints)
    raise AssertionError(f"{text!r} comes to no end")


def _wrong_part(parts: list[Json], record: Json, wanted: Json) -> str:
    """The first part that is not as it should be."""
    for one in parts:
        step, _, question = one["part"].rpartition("?")
        if record[step].get(question) != wanted.get(step, {}).get(question, _NOTHING if step not in wanted else None):
            return str(one["part"])
    raise AssertionError("no part is wrong")


_NOTHING = object()


def _keys_of_step(shown: Json, wanted: Json) -> int:
    asked = [one for one in shown["questions"] if one["id"] in shown["asks"]]
    told = any(wanted.get(one["id"]) for one in shown["questions"] if not one["only_alone"])
    return sum(_keys(one, wanted.get(one["id"])) for one in asked if not (one["only_alone"] and told))


def _keys(question: Json, value: Any) -> int:
    values = [option["value"] for option in question["options"]]
    match question["kind"]:
        case "text":
            return len(value) + 1
        case "spans":
            return _keys_of_words(value or [])
        case "choice":
            return _place(values.index(value), len(values)) if value else 1
        case "choices" if (value or []) in question["usual"]:
            return 1
        case "choices":
            one_by_one = 1 if question["usual"] else 0
            return one_by_one + sum(_place(values.index(one), len(values)) for one in value or []) + 1
        case _:
            return 1


def _place(index: int, count: int) -> int:
    """One key for an option of the first screen, and one more for each screen before its own."""
    return 1 + (index // ON_A_SCREEN if count > ON_A_SCREEN else 0)


def _keys_of_words(runs: list[list[int]]) -> int:
    """One key for a word, two for words in a row; several runs, and none, end with Enter."""
    each = [1 if first == last else 2 for first, last in runs]
    return sum(each) + (len(runs) != 1)
