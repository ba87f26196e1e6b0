"""The lists of commands by which the ancestor's builds were tried, through the built-in agent, by its own gateway.

What was to be expected of each is in words, so what it managed is printed as a table for a person to read; asserted is
only what a machine can tell: each command comes to a lawful end, and none breaks the agent.
"""

import json
from pathlib import Path

import pytest

from annotation.logical_form.spans import tokenise
from interaction.builder.acts import Ask, CannotDo, Edit, Found, Go, Say, Show
from interaction.builder.mind import Mind
from interaction.worlds import meadow

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "oncall_regression_lists.json"


def lists() -> list[dict[str, list[str]]]:
    if not DATA.exists():
        return []
    found: list[dict[str, list[str]]] = json.loads(DATA.read_text())["lists"]
    return found


def carried_out(mind: Mind, text: str) -> list[str]:
    """What the agent did on a command, in short words, in order; the first choice is taken where it asks."""
    did: list[str] = []
    acting = mind.obey(mind.hear(text), tokenise(text))
    answer: int | None = None
    try:
        while True:
            act = acting.send(answer)
            answer = None
            match act:
                case Say(text=said):
                    did.append(f"“{said}”")
                case Ask(text=asked):
                    did.append(f"asks “{asked}”")
                    answer = 0
                case Edit(changes):
                    did.append(f"{len(changes)} blocks")
                case Found(phrase, voxels):
                    did.append(f"sees {len(voxels)} blocks of “{phrase}”")
                case Show():
                    did.append("points")
                case Go() if not did or did[-1] != "moves":
                    did.append("moves")
    except StopIteration:
        return did
    except CannotDo as reason:
        return [*did, f"cannot: “{reason}”"]


@pytest.mark.skipif(not DATA.exists(), reason="the lists are not beside this checkout")
def test_every_command_of_the_lists_comes_to_an_end(capsys: pytest.CaptureFixture[str]) -> None:
    rows = []
    for one in lists():
        mind = Mind(meadow(3).as_json())
        for text, expected in zip(one["commands"], one["expected"], strict=True):
            did = carried_out(mind, text)
            assert did, f"{text!r}: it did and said nothing"
            rows.append((text, expected, "; ".join(did)))
    with capsys.disabled():
        _show(rows)
    assert len(rows) == 51


def _show(rows: list[tuple[str, str, str]]) -> None:
    print("\n| command | expected | what it did |\n|---|---|---|")  # noqa: T201
    for text, expected, did in rows:
        print(f"| {text} | {expected} | {did[:160]} |")  # noqa: T201
