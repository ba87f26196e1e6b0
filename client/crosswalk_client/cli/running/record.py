"""`crosswalk record`: scenarios whose context is kept as a recipe."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from typing import TYPE_CHECKING

from crosswalk_client.cli.common import Subparsers, client_of, command, told_if_missing
from crosswalk_client.cli.output import Fault, result
from crosswalk_client.cli.running.works import ADAPTER, add_keys, import_from_here, named_value

if TYPE_CHECKING:
    from crosswalk_client.runner.recipe import Recipe

KEYBOARD = "keyboard"


def add_to(commands: Subparsers, common: ArgumentParser) -> None:
    made = command(
        commands,
        common,
        "record",
        record,
        help="make a scenario: somebody plays the context in an environment, which is kept as a recipe",
        examples="""
            crosswalk record MiniGrid-Empty-8x8-v0 --import minigrid --steps 5 --seed 3 --suite rooms \\
                --scenario corner --instruction "go to the green square" --continuation-s 10
            crosswalk record BabyAI-GoToRedBall-v0 --import minigrid --policy keyboard --suite rooms \\
                --scenario ball --instruction "go to the red ball" --continuation-s 10 --freeze v1

            At the keyboard Return ends the context: there the agent takes over. Escape gives up.
        """,
    )
    made.add_argument("environment", help="the name under which Gymnasium makes it")
    made.add_argument(
        "--import",
        dest="imports",
        action="append",
        default=[],
        metavar="MODULE",
        help="imported first, so that Gymnasium knows the environment; may be repeated",
    )
    made.add_argument(
        "--argument", type=named_value, action="append", default=[], metavar="NAME=JSON", help="of the environment"
    )
    made.add_argument("--wrapper", action="append", default=[], metavar="MODULE:CLASS", help="the innermost first")
    made.add_argument(
        "--policy", default="random", metavar="MODULE:CLASS", help="who plays: a class, `keyboard` or `random` (random)"
    )
    made.add_argument("--steps", type=int, help="of the context; at the keyboard the most, and may be left out")
    made.add_argument("--seed", type=int, default=0, help="of the environment (0)")
    made.add_argument("--fps", type=float, default=10.0, help="steps a second of the recording (10)")
    made.add_argument("--suite", required=True, help="the suite that gets the scenario")
    made.add_argument("--scenario", required=True, metavar="K", help="the name of the scenario")
    made.add_argument("--instruction", required=True, help="what the agent is told to do")
    made.add_argument(
        "--continuation-s", type=float, required=True, metavar="SECONDS", help="how long the agent goes on"
    )
    made.add_argument("--category", default="recorded", help="for rankings by category (recorded)")
    made.add_argument("--skill", default="recorded", help="for rankings by skill (recorded)")
    made.add_argument("--freeze", metavar="VERSION", help="freeze the suite's scenarios as this version")
    made.add_argument("--adapter", default=ADAPTER, metavar="MODULE:CLASS", help="for other environments")
    add_keys(made)


def record(asked: Namespace) -> int:
    from crosswalk_client.runner.recipe import IN_METADATA

    import_from_here()
    if asked.policy != KEYBOARD and asked.steps is None:
        raise Fault("Say with --steps how many steps the context has.")
    recipe = _recipe(asked)
    with client_of(asked) as client, told_if_missing(client, "scenarios", suite=asked.suite):
        made = client.suites.put_scenario(
            asked.suite,
            asked.scenario,
            instruction=asked.instruction,
            category=asked.category,
            skill=asked.skill,
            takeover_s=len(recipe.actions) / recipe.fps,
            continuation_s=asked.continuation_s,
            metadata={IN_METADATA: recipe.as_json()},
        )
        if asked.freeze:
            client.suites.put_version(asked.suite, asked.freeze)
    result(asked, made, f"{asked.scenario}: {len(recipe.actions)} steps of context, replayed and equal.")
    return 0


def _recipe(asked: Namespace) -> Recipe:
    """The recipe, as the policy or the person plays it.

    Raises:
        Fault: it cannot be kept, in a sentence.
    """
    from crosswalk_client.runner import keyboard, recording
    from crosswalk_client.runner.recipe import Unusable

    try:
        with ExitStack() as opened:
            policy: str | keyboard.Person = asked.policy
            if policy == KEYBOARD:
                keys = keyboard.keys_of(asked.environment, given=dict(asked.keys), idle=asked.idle)
                screen = opened.enter_context(keyboard.window())
                policy = keyboard.Person(screen, keys, asked.instruction, asked.fps)
            return recording.record(
                asked.environment,
                policy=policy,
                steps=asked.steps,
                seed=asked.seed,
                fps=asked.fps,
                imports=asked.imports,
                arguments=dict(asked.argument),
                wrappers=asked.wrapper,
                instruction=asked.instruction,
                adapter_class=asked.adapter,
            )
    except keyboard.GivenUp:
        raise Fault("Nothing is kept: Escape was pressed.") from None
    except Unusable as error:
        raise Fault(str(error)) from None
