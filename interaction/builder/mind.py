"""The built-in agent's mind: what it hears it reads, and what it understood it does, act by act."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from annotation.logical_form import Form
from annotation.logical_form.spans import tokenise
from annotation.logical_form.words import sentence
from annotation.voxels.scene import Pose
from interaction.builder.actions import ACTIONS, COUNT_THEMSELVES
from interaction.builder.actions.tag import remember
from interaction.builder.acts import Act, Acting, Ask, CannotDo, Change, Edit, Go, Say, Why
from interaction.builder.answers import answer
from interaction.builder.memory import Heard, Memory
from interaction.builder.parser import parse
from interaction.builder.repeats import repeats
from interaction.builder.situation import Interrupted, Situation
from interaction.builder.world import World

_GREETINGS = frozenset({"hello", "hi", "hey", "hiya", "howdy", "greetings", "morning", "afternoon", "evening"})
_THANKS = frozenset({"thanks", "thank", "thx", "cheers"})
_FAREWELLS = frozenset({"bye", "goodbye"})
_DEEPEST = 8
"""Events within events: nobody says more."""
_MOST_SAID = 1000


class Mind:
    """One session's agent: its world, its memory, and what it is doing.

    Attributes:
        world: As the agent believes it to be: every act of its own is in it once it is yielded, and what it was told.
    """

    def __init__(self, scene: Mapping[str, Any], chance: Random | None = None) -> None:
        """
        Args:
            chance: Decides what nobody said, such as a colour; the same from start to start if it is not given.

        Raises:
            common.errors.Invalid: `scene` is no scene as JSON.
        """
        self.world = World.of(scene)
        self.memory = Memory()
        self._chance = chance or Random(0)  # noqa: S311 - colours, not secrets
        self._interrupted: Interrupted | None = None
        self._stopping = False

    # What it perceives -----------------------------------------------------------------------------------------

    def hear(self, text: str) -> Form:
        """What a command asks for, by the parser. `obey` is what remembers it."""
        return parse(tokenise(text))

    def saw_blocks(self, changes: Sequence[Change]) -> None:
        """The worker placed or destroyed these blocks."""
        placed = [(x, y, z) for x, y, z, block in changes if block and y >= self.world.ground_level]
        self.world.apply(changes)
        if placed:
            self.memory.worker_placed(placed)

    def saw_player(self, pose: Pose) -> None:
        """The worker stands and looks so now."""
        self.world.player = pose

    def stop(self) -> None:
        """What it does ends after the act that runs; it can be taken up again by a command."""
        self._stopping = True

    def in_words(self, form: Form, tokens: Sequence[str]) -> str:
        """What it understood, as one sentence, to be said before it acts."""
        said = sentence(form, tokens)
        return f"I understood: {said}"[:_MOST_SAID] if said else "I understood nothing."

    # What it does ----------------------------------------------------------------------------------------------

    def obey(self, form: Form, tokens: Sequence[str]) -> Acting:
        """Do what a form asks for. Each act is done in its own world when it is yielded.

        Ends early after `stop`; closing the generator does the same. Either way a command that says to resume goes on
        with the very next act.

        Raises:
            CannotDo: it cannot; what was done until then stays.
        """
        self._stopping = False
        heard = self.memory.heard(" ".join(tokens), form, _kind(form))
        here = Situation(self.world, self.memory, tokens, self._chance, self._interrupted)
        yield from self._driven(self._whole(here, form), heard, here)

    def _driven(self, acting: Acting, heard: Heard, here: Situation) -> Acting:
        """The acts, done; what is left of them is kept when they are broken off."""
        sent: int | None = None
        act: Act | None = None
        try:
            while True:
                act = acting.send(sent)
                self._do(act, heard)
                sent = yield act
                if self._stopping:
                    self._interrupted = Interrupted(heard, _rest(acting, act, sent))
                    yield Say("I stopped.")
                    return
        except StopIteration:
            heard.is_done = True
            self._interrupted = here.interrupted
        except GeneratorExit:
            if not self._stopping and act is not None:
                self._interrupted = Interrupted(heard, _rest(acting, act, None))
            raise
        except CannotDo:
            self._interrupted = here.interrupted
            raise

    def _do(self, act: Act, heard: Heard) -> None:
        if isinstance(act, Go):
            self.world.agent = act.pose
        elif isinstance(act, Edit):
            heard.undo[:0] = self.world.apply(act.changes)

    # The form --------------------------------------------------------------------------------------------------

    def _whole(self, here: Situation, form: Form) -> Acting:
        match form.get("dialogue_type"):
            case "HUMAN_GIVE_COMMAND":
                yield from self._event(here, form, 0)
            case "PUT_MEMORY":
                yield from remember(here, form)
            case "GET_MEMORY" | "GET_CAPABILITIES" | "BOT_CAPABILITIES":
                yield from answer(self.world, self.memory, form, here.tokens)
            case "NOOP":
                yield Say(_reply(here.tokens))
            case _:
                raise CannotDo("I do not know how to do that.", Why.UNKNOWN_ACTION)

    def _event(self, here: Situation, event: Form, depth: int) -> Acting:
        """Things that belong together, one after the other, as often as is said."""
        if depth > _DEEPEST:
            raise CannotDo("That is too much at once for me.", Why.NOT_UNDERSTOOD)
        if event.get("init_condition"):
            yield Say("I cannot wait for that, so I begin now.")
        how = repeats(event.get("terminate_condition"), here.tokens)
        if how.sentence:
            yield Say(how.sentence)
        control = event.get("spatial_control") or {}
        before = here.next_goes, here.until
        here.next_goes = control.get("direction_information") or here.next_goes
        here.until = how.until or here.until
        steps = event.get("event_sequence") or ()
        if not steps:
            raise CannotDo("I did not understand what I should do.", Why.NOT_UNDERSTOOD)
        for _ in range(how.times):
            for step in steps:
                yield from self._event(here, step, depth + 1) if "event_sequence" in step else self._step(here, step)
        here.next_goes, here.until = before

    def _step(self, here: Situation, action: Form) -> Acting:
        """One action, as often as is said."""
        kind = str(action.get("action_type"))
        if kind not in ACTIONS:
            raise CannotDo("I do not know how to do that.", Why.UNKNOWN_ACTION)
        condition = action.get("terminate_condition")
        how = repeats(condition, here.tokens)
        times = 1 if kind in COUNT_THEMSELVES or _goes_on_itself(kind, action) else how.times
        if how.sentence and not _goes_on_itself(kind, action):
            yield Say(how.sentence)
        for _ in range(times):
            yield from ACTIONS[kind](here, action)


def _goes_on_itself(kind: str, action: Form) -> bool:
    """Following somebody has no end; it is not walking there again and again."""
    never = (action.get("terminate_condition") or {}).get("condition_type") == "NEVER"
    return never and (kind == "RESUME" or (kind == "MOVE" and "reference_object" in (action.get("location") or {})))


def _kind(form: Form) -> str:
    """The type of the first action, else of the dialogue."""
    steps = form.get("event_sequence") or ()
    while steps and isinstance(steps[0], dict) and "event_sequence" in steps[0]:
        steps = steps[0]["event_sequence"]
    first = steps[0] if steps and isinstance(steps[0], dict) else {}
    return str(first.get("action_type") or form.get("dialogue_type"))


def _rest(acting: Acting, act: Act, sent: int | None) -> Acting:
    """What is left of acts that were broken off after this one; a question that was not answered is asked again."""
    if isinstance(act, Ask) and sent is None:
        sent = yield act
    while True:
        try:
            following = acting.send(sent)
        except StopIteration:
            return
        sent = yield following


def _reply(tokens: Sequence[str]) -> str:
    """To what is no command."""
    said = {word.lower().strip(".,!?") for word in tokens}
    if said & _GREETINGS:
        return "Hello! What shall I do?"
    if said & _THANKS:
        return "You are welcome."
    if said & _FAREWELLS:
        return "Goodbye!"
    return "I did not understand that as a command."
