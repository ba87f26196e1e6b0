"""The built-in agent's mind: understands a command and yields the acts that carry it out."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from builder.acting.actions import ACTIONS, COUNT_THEMSELVES
from builder.acting.actions.speech import remember
from builder.acting.acts import Act, Acts, Ask, CannotDo, Change, Edit, Go, Reason, Say
from builder.acting.context import ActionContext, Interrupted
from builder.meaning.repeats import repeats
from builder.parser.sentence import parse
from builder.talking.answers import answer
from builder.world.memory import HeardCommand, Memory
from builder.world.world import World
from lib.logical_form import Form
from lib.logical_form.english.outline import sentence
from lib.logical_form.spans import tokenise
from lib.voxels.scene import Pose

_GREETINGS = frozenset({"hello", "hi", "hey", "hiya", "howdy", "greetings", "morning", "afternoon", "evening"})
_THANKS = frozenset({"thanks", "thank", "thx", "cheers"})
_FAREWELLS = frozenset({"bye", "goodbye"})
_DEEPEST = 8
"""The most levels of events within events that are carried out."""
_MOST_SAID = 1000


class Mind:
    """The agent of one session: its world, its memory, and the command that it carries out.

    Attributes:
        world: The world as the agent believes it to be. It includes the agent's own acts, each from the moment at which
            it is yielded, and the changes that the agent was informed of.
    """

    def __init__(self, scene: Mapping[str, Any], chance: Random | None = None) -> None:
        """
        Args:
            chance: Decides details that the worker left open, such as a colour. Without it every start decides the
                same.

        Raises:
            lib.faults.Invalid: `scene` is not a valid scene.
        """
        self.world = World.of(scene)
        self.memory = Memory()
        self._chance = chance or Random(0)  # noqa: S311 - colours, not secrets
        self._interrupted: Interrupted | None = None
        self._stopping = False

    # Commands and changes by the worker ----------------------------------------------------------------------------

    def understand(self, text: str) -> Form:
        """Parse a command into a form. It is remembered only by `obey`."""
        return parse(tokenise(text))

    def saw_blocks(self, changes: Sequence[Change]) -> None:
        """Take note that the worker placed or destroyed these blocks."""
        placed = [(x, y, z) for x, y, z, block in changes if block and y >= self.world.ground_level]
        self.world.apply(changes)
        if placed:
            self.memory.add_worker_blocks(placed)

    def saw_player(self, pose: Pose) -> None:
        """Take note of the worker's new pose."""
        self.world.player = pose

    def stop(self) -> None:
        """End the present command after the act that runs. A later RESUME command continues it."""
        self._stopping = True

    def sentence_for(self, form: Form, tokens: Sequence[str]) -> str:
        """A sentence about what the agent understood, for the worker to read before the agent acts."""
        said = sentence(form, tokens)
        return f"I understood: {said}"[:_MOST_SAID] if said else "I understood nothing."

    # Carrying out a form ------------------------------------------------------------------------------------------

    def obey(self, form: Form, tokens: Sequence[str]) -> Acts:
        """Carry out a form. The mind's own world has each act done when the act is yielded.

        The acts end early after `stop`, or when the generator is closed. A RESUME command then continues with the next
        act.

        Raises:
            CannotDo: The command cannot be carried out. Acts that are already done stay done.
        """
        self._stopping = False
        command = self.memory.add_command(" ".join(tokens), form, _kind(form))
        context = ActionContext(self.world, self.memory, tokens, self._chance, self._interrupted)
        yield from self._run(self._acts_of(context, form), command, context)

    def _run(self, acts: Acts, command: HeardCommand, context: ActionContext) -> Acts:
        """Does the acts one by one. If they are interrupted, the remaining acts are kept for RESUME."""
        sent: int | None = None
        act: Act | None = None
        try:
            while True:
                act = acts.send(sent)
                self._do(act, command)
                sent = yield act
                if self._stopping:
                    self._interrupted = Interrupted(command, _remaining_acts(acts, act, sent))
                    yield Say("I stopped.")
                    return
        except StopIteration:
            command.is_done = True
            self._interrupted = context.interrupted
        except GeneratorExit:
            if not self._stopping and act is not None:
                self._interrupted = Interrupted(command, _remaining_acts(acts, act, None))
            raise
        except CannotDo:
            self._interrupted = context.interrupted
            raise

    def _do(self, act: Act, command: HeardCommand) -> None:
        if isinstance(act, Go):
            self.world.agent = act.pose
        elif isinstance(act, Edit):
            command.undo[:0] = self.world.apply(act.changes)

    # Kinds of dialogue and steps ------------------------------------------------------------------------

    def _acts_of(self, context: ActionContext, form: Form) -> Acts:
        match form.get("dialogue_type"):
            case "HUMAN_GIVE_COMMAND":
                yield from self._event(context, form, 0)
            case "PUT_MEMORY":
                yield from remember(context, form)
            case "GET_MEMORY" | "GET_CAPABILITIES" | "BOT_CAPABILITIES":
                yield from answer(self.world, self.memory, form, context.tokens)
            case "NOOP":
                yield Say(_reply(context.tokens))
            case _:
                raise CannotDo("I do not know how to do that.", Reason.UNKNOWN_ACTION)

    def _event(self, context: ActionContext, event: Form, depth: int) -> Acts:
        """Runs the steps of an event in order, as many times as its condition says."""
        if depth > _DEEPEST:
            raise CannotDo("That is too much at once for me.", Reason.NOT_UNDERSTOOD)
        if event.get("init_condition"):
            yield Say("I cannot wait for that, so I begin now.")
        how = repeats(event.get("terminate_condition"), context.tokens)
        if how.sentence:
            yield Say(how.sentence)
        control = event.get("spatial_control") or {}
        before = context.next_direction, context.until
        context.next_direction = control.get("direction_information") or context.next_direction
        context.until = how.until or context.until
        steps = event.get("event_sequence") or ()
        if not steps:
            raise CannotDo("I did not understand what I should do.", Reason.NOT_UNDERSTOOD)
        for _ in range(how.times):
            for step in steps:
                yield from (
                    self._event(context, step, depth + 1) if "event_sequence" in step else self._step(context, step)
                )
        context.next_direction, context.until = before

    def _step(self, context: ActionContext, action: Form) -> Acts:
        """Runs one action, as many times as its condition says."""
        kind = str(action.get("action_type"))
        if kind not in ACTIONS:
            raise CannotDo("I do not know how to do that.", Reason.UNKNOWN_ACTION)
        condition = action.get("terminate_condition")
        how = repeats(condition, context.tokens)
        times = 1 if kind in COUNT_THEMSELVES or _repeats_itself(kind, action) else how.times
        if how.sentence and not _repeats_itself(kind, action):
            yield Say(how.sentence)
        for _ in range(times):
            yield from ACTIONS[kind](context, action)


def _repeats_itself(kind: str, action: Form) -> bool:
    """True if an endless action is one endless act, such as following, and not the same action again and again."""
    never = (action.get("terminate_condition") or {}).get("condition_type") == "NEVER"
    return never and (kind == "RESUME" or (kind == "MOVE" and "reference_object" in (action.get("location") or {})))


def _kind(form: Form) -> str:
    """The type of the first action, or the type of the dialogue where there is no action."""
    steps = form.get("event_sequence") or ()
    while steps and isinstance(steps[0], dict) and "event_sequence" in steps[0]:
        steps = steps[0]["event_sequence"]
    first = steps[0] if steps and isinstance(steps[0], dict) else {}
    return str(first.get("action_type") or form.get("dialogue_type"))


def _remaining_acts(acts: Acts, act: Act, sent: int | None) -> Acts:
    """The acts that follow an interrupted act. An unanswered question is asked again."""
    if isinstance(act, Ask) and sent is None:
        sent = yield act
    while True:
        try:
            following = acts.send(sent)
        except StopIteration:
            return
        sent = yield following


def _reply(tokens: Sequence[str]) -> str:
    """The answer to words that are not a command."""
    said = {word.lower().strip(".,!?") for word in tokens}
    if said & _GREETINGS:
        return "Hello! What shall I do?"
    if said & _THANKS:
        return "You are welcome."
    if said & _FAREWELLS:
        return "Goodbye!"
    return "I did not understand that as a command."
