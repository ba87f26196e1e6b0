"""STOP, RESUME and UNDO: actions about other commands."""

from collections.abc import Sequence

from builder.acting.acts import Acts, CannotDo, Change, Place, Reason, Say
from builder.acting.context import ActionContext
from builder.acting.routines import approach, place_blocks, remove_blocks
from builder.meaning.new_things import text_of
from builder.world.memory import HeardCommand, bounds
from lib.logical_form import Form
from lib.voxels.table import AIR

_KINDS = {
    "build": "BUILD",
    "mak": "BUILD",
    "construct": "BUILD",
    "copy": "BUILD",
    "dig": "DIG",
    "fill": "FILL",
    "destroy": "DESTROY",
    "remov": "DESTROY",
    "spawn": "SPAWN",
    "get": "GET",
    "bring": "GET",
}
_EMPTY_WORDS = frozenset(
    {"that", "this", "it", "the", "last", "previous", "what", "you", "did", "just", "do", "done", "command", "action"}
    | {"thing", "i", "told", "my"}
)


def stop(context: ActionContext, action: Form) -> Acts:
    """Report the stop. The command that ran has already ended when this one starts."""
    yield Say("I have stopped." if context.interrupted else "I am not doing anything now.")


def resume(context: ActionContext, action: Form) -> Acts:
    """Continue the command that was stopped last with its next act."""
    left = context.interrupted
    if left is None:
        raise CannotDo("There is nothing that I could go on with.", Reason.NOTHING_TO_DO)
    context.interrupted = None
    now = context.memory.commands[-1]
    # The two commands become one: undoing this one later also undoes the first part.
    now.undo, left.command.undo = [*now.undo, *left.command.undo], []
    now.made += left.command.made
    yield from left.rest
    left.command.is_done = True


def undo(context: ActionContext, action: Form) -> Acts:
    """Restore the blocks from before the last command that changed blocks, or from before the named command."""
    done = [command for command in context.memory.commands[:-1] if command.undo and command.action != "UNDO"]
    if not done:
        raise CannotDo("There is nothing that I could undo.", Reason.NOTHING_TO_DO)
    said = text_of(action.get("target_action_type"), context.tokens)
    commands = done[::-1] if {"all", "everything"} & set(said.split()) else [_command_meant(done, said.split())]
    for command in commands:
        yield from _restore(context, command.undo)
        command.undo = []
        context.memory.forget(command.made)
    yield Say("I undid it." if len(commands) == 1 else f"I undid all {len(commands)}.")


def _restore(context: ActionContext, changes: Sequence[Change]) -> Acts:
    # If a cell changed several times, the last entry of this list has its original block.
    before: dict[Place, int] = {(x, y, z): block for x, y, z, block in changes}
    yield from approach(context, *bounds(before))
    yield from remove_blocks(context, [place for place, block in before.items() if block == AIR])
    yield from place_blocks(context, {place: block for place, block in before.items() if block != AIR})


def _command_meant(done: Sequence[HeardCommand], said: Sequence[str]) -> HeardCommand:
    """The last command of the named kind; else the last that shares a word with this command; else the last."""
    left = [word for word in said if word not in _EMPTY_WORDS]
    kinds = {kind for word in left for stem, kind in _KINDS.items() if word.startswith(stem)}
    by_kind = [command for command in done if command.action in kinds]
    named = [command for command in by_kind or done if set(left) & set(command.text.lower().split())]
    return (named or by_kind or list(done))[-1]
