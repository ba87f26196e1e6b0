"""`python -m demo.loop --url http://… --key-file FILE`: lets a campaign of simulated people run on a running server.

The server needs the extra `nlu`, and must not have learnt commands before. Options say how often these people err.
"""

import argparse
import asyncio
import json
import logging
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from demo.crowds.parsers import CAREFUL, Kind
from demo.loop.known import Json, KnownCommand, made_up, read_lines
from demo.loop.session_page import Rates
from demo.loop.world import SEED, Plan, World
from lib.splits import SPLITS, same_words, split_of

SPARE = 50
"""Commands more than are wanted: a session that is begun again takes new ones."""


def main() -> None:
    parser = argparse.ArgumentParser("python -m demo.loop", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--url", required=True, help="Of the server: http://…")
    parser.add_argument("--key-file", type=Path, required=True, help="Holds an API key with every scope.")
    parser.add_argument("--commands", type=Path, help="Lines {text, lf} of real commands; else they are made up.")
    parser.add_argument("--first", type=int, default=100, help="Commands that the weak first model learns from.")
    parser.add_argument("--first-tests", type=int, default=150, help="Test items of tranche 0.")
    parser.add_argument("--sessions", type=int, default=20, help="In each iteration.")
    parser.add_argument("--iterations", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--found", type=float, default=Rates.found, help="Share of misunderstood commands marked so.")
    parser.add_argument("--false", type=float, default=Rates.false, help="Share of understood ones marked so.")
    parser.add_argument("--errs", type=float, default=CAREFUL.errs, help="Share of wrong answers in annotation.")
    options = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    later = options.sessions * options.iterations * Plan.length + SPARE
    # About a tenth of all commands are test items, so there are ten times as many to choose these from.
    commands = commands_of(options.commands, 2 * options.first + later, more=10 * options.first_tests)
    first, rest = parted(commands, learnt=options.first, tests=options.first_tests)
    plan = Plan(
        first=first,
        later=rest[:later],
        sessions=options.sessions,
        iterations=options.iterations,
        seeds=options.seeds,
        rates=Rates(options.found, options.false),
        errs=Kind(options.errs, CAREFUL.gives_up, CAREFUL.seconds),
    )
    ended = asyncio.run(_run(World(options.url, options.key_file.read_text().strip(), plan)))
    sys.stdout.write(json.dumps(ended, indent=1) + "\n")


def commands_of(file: Path | None, number: int, *, more: int) -> list[KnownCommand]:
    """Commands of the file in random order, or so many that are made up.

    Args:
        more: How many are made up beside these, of all sentence patterns evenly.
    """
    if file is None:
        return [*made_up(number, seed=SEED), *made_up(more, seed=SEED + 1, evenly=True)]
    known = read_lines(file)
    random.Random(SEED).shuffle(known)
    return known


def parted(
    commands: Sequence[KnownCommand], *, learnt: int, tests: int
) -> tuple[list[KnownCommand], list[KnownCommand]]:
    """The commands of tranche 0, and the others in their order. From the beginning come those to learn from, from the
    end those to test on, so that the commands which are given later have their share of test items."""
    distinct = {same_words(one.text): one for one in reversed(commands)}
    parts: dict[str, list[str]] = {part: [] for part in SPLITS}
    for words in reversed(distinct):
        parts[split_of("nlu", words)].append(words)
    tested = parts["test"][-tests:] if tests else []
    first = {*parts["train"][:learnt], *parts["valid"][: learnt // 8], *tested}
    rest = [distinct[words] for words in reversed(distinct) if words not in first]
    return [distinct[words] for words in reversed(distinct) if words in first], rest


async def _run(world: World) -> Json:
    said = ""

    def told(campaign: Json) -> None:
        nonlocal said
        now = f"{campaign['waiting_for']} Spent: {campaign['spent']['amount']}."
        if now != said:
            said = now
            sys.stderr.write(f"{now}\n")

    try:
        await world.prepare()
        await world.start()
        return await world.run(told=told)
    finally:
        await world.close()


if __name__ == "__main__":
    main()
