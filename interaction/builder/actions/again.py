"""What concerns commands themselves: stopping, going on, undoing."""

from collections.abc import Sequence

from annotation.logical_form import Form
from annotation.voxels.table import AIR
from interaction.builder.acts import Acting, CannotDo, Change, Place, Say, Why
from interaction.builder.memory import Heard, bounds
from interaction.builder.situation import Situation
from interaction.builder.wanted import words
from interaction.builder.working import approach, put, take_away

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
_SAYS_NOTHING = frozenset(
    {"that", "this", "it", "the", "last", "previous", "what", "you", "did", "just", "do", "done", "command", "action"}
    | {"thing", "i", "told", "my"}
)


def stop(here: Situation, action: Form) -> Acting:
    """Nothing runs any more by the time the word is heard."""
    yield Say("I have stopped." if here.interrupted else "I am not doing anything now.")


def resume(here: Situation, action: Form) -> Acting:
    """Go on with what was stopped last, from where it was."""
    left = here.interrupted
    if left is None:
        raise CannotDo("There is nothing that I could go on with.", Why.NOTHING_TO_DO)
    here.interrupted = None
    now = here.memory.commands[-1]
    # It is one piece of work: undoing this command later takes back all of it.
    now.undo, left.command.undo = [*now.undo, *left.command.undo], []
    now.made += left.command.made
    yield from left.rest
    left.command.is_done = True


def undo(here: Situation, action: Form) -> Acting:
    """Put back the blocks as they were before the last command that changed some, or the one that is named."""
    done = [command for command in here.memory.commands[:-1] if command.undo and command.action != "UNDO"]
    if not done:
        raise CannotDo("There is nothing that I could undo.", Why.NOTHING_TO_DO)
    said = words(action.get("target_action_type"), here.tokens)
    commands = done[::-1] if {"all", "everything"} & set(said.split()) else [_meant(done, said.split())]
    for command in commands:
        yield from _put_back(here, command.undo)
        command.undo = []
        here.memory.forget(command.made)
    yield Say("I undid it." if len(commands) == 1 else f"I undid all {len(commands)}.")


def _put_back(here: Situation, changes: Sequence[Change]) -> Acting:
    # Where a cell changed several times the last of these changes is how it was at first.
    before: dict[Place, int] = {(x, y, z): block for x, y, z, block in changes}
    yield from approach(here, *bounds(before))
    yield from take_away(here, [place for place, block in before.items() if block == AIR])
    yield from put(here, {place: block for place, block in before.items() if block != AIR})


def _meant(done: Sequence[Heard], said: Sequence[str]) -> Heard:
    """The last command of the kind that is named, else the last with a word of what is said, else the last."""
    left = [word for word in said if word not in _SAYS_NOTHING]
    kinds = {kind for word in left for stem, kind in _KINDS.items() if word.startswith(stem)}
    by_kind = [command for command in done if command.action in kinds]
    named = [command for command in by_kind or done if set(left) & set(command.text.lower().split())]
    return (named or by_kind or list(done))[-1]
