"""Plays the sessions of simulated workers with the built-in agent's real mind, on a simulated clock."""

import random
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from annotation.models import Enrolment
from annotation.scene_store import scene_named
from annotation.work.claims import claim_next
from annotation.work.enrolments import make_link
from builder.acting.acts import Act, Ask, CannotDo, Edit, Found, Go, Say, Show
from builder.mind import Mind
from interaction.agents import matching
from interaction.models import AgentProcess, Event, LiveCommand, Session
from interaction.session import message_effects, opening, ticks
from interaction.session.commands import tree_of
from interaction.session.event_log import Role, Sender
from lib.logical_form.spans import tokenise
from lib.trees.tree import OK, Tree

BETWEEN_S, ACT_S = 30.0, 0.15
SEED = 4
RIGHT: Final = 0.7
"""The probability that a worker calls a command done if the agent thinks so."""
WRONG: Final = {"nlu_error": 4, "vision_error": 2, "task_error": 3, "capability_error": 2, "memory_error": 1}
"""The other outcomes with their weights."""


class PlayedSession:
    """One session. Both sides send messages, and the time passes between them."""

    def __init__(self, enrolment: Enrolment, process: AgentProcess, *, chance: random.Random, at: datetime) -> None:
        self.at = at
        hold = claim_next(enrolment=enrolment, at=at, chance=chance.random)
        if hold is None:
            raise LookupError("no session is left for the demo")
        token = make_link(enrolment=enrolment, by="system", at=at).token
        seat = opening.join(token=token, assignment=hold.public_id, resume="demo", at=at)
        self.session = seat.session
        self._senders = {Role.WORKER: seat.sender, Role.AGENT: Sender(Role.AGENT, process.epoch, process.pk)}
        self._cseqs = dict.fromkeys(self._senders, 0)

    def send(self, role: Role, kind: str, /, **body: Any) -> None:
        self._cseqs[role] += 1
        sender = self._senders[role]
        message_effects.take(self.session.pk, sender, cseq=self._cseqs[role], kind=kind, body=body, at=self.at)

    def wait(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)

    def question(self) -> dict[str, Any] | None:
        """The open question, if there is one."""
        last = Event.objects.filter(session=self.session, type__in=["question", "outcome"]).order_by("-seq").first()
        return last.body if last is not None and last.type == "question" else None


def play_session(
    enrolment: Enrolment, process: AgentProcess, commands: Sequence[str], chance: random.Random, *, at: datetime
) -> None:
    play = PlayedSession(enrolment, process, chance=chance, at=at)
    mind = Mind(scene_named(play.session.scene.digest).as_json(), random.Random(SEED))
    play.send(Role.WORKER, "start")
    for number, text in enumerate(commands):
        play.wait(chance.uniform(0.5, 1.5) * BETWEEN_S)
        carry_out(play, mind, name=f"c{number + 1}", text=text)
        _answer_questions(play, name=f"c{number + 1}", chance=chance)
    minimum = play.session.minimum_s
    started = Session.objects.get(pk=play.session.pk).started_at or play.at
    play.at = max(play.at, started + timedelta(seconds=minimum + 5))
    matching.note_heartbeat(process, at=play.at)
    ticks.tick_session(Session.objects.get(pk=play.session.pk), at=play.at)
    play.send(Role.WORKER, "reflect", usability=chance.randint(4, 7), performance=chance.randint(3, 5), feedback="")
    play.send(Role.WORKER, "finish")


def carry_out(play: PlayedSession, mind: Mind, *, name: str, text: str) -> None:
    play.send(Role.WORKER, "command", id=name, text=text)
    for state in ("received", "thinking"):
        play.wait(ACT_S)
        play.send(Role.AGENT, "status", command=name, state=state)
    tokens = tokenise(text)
    form = mind.understand(text)
    play.send(Role.AGENT, "parse", command=name, form=form, version="builder-1")
    play.send(Role.AGENT, "say", text=mind.sentence_for(form, tokens))
    play.send(Role.AGENT, "status", command=name, state="acting")
    acts = mind.obey(form, tokens)
    answer: int | None = None
    try:
        while True:
            act = acts.send(answer)
            play.wait(ACT_S)
            answer = _send_act(play, act, name=name)
    except StopIteration:
        play.send(Role.AGENT, "status", command=name, state="done")
    except CannotDo as error:
        play.send(Role.AGENT, "say", text=str(error))
        play.send(Role.AGENT, "status", command=name, state="failed", reason=error.reason)


def _send_act(play: PlayedSession, act: Act, *, name: str) -> int | None:
    match act:
        case Say(text):
            play.send(Role.AGENT, "say", text=text)
        case Go(pose):
            play.send(Role.AGENT, "pose", **pose._asdict())
        case Edit(changes):
            play.send(Role.AGENT, "blocks", changes=[list(change) for change in changes])
        case Show(low, high):
            play.send(Role.AGENT, "point", box=[list(low), list(high)])
        case Found(phrase, voxels):
            play.send(Role.AGENT, "objects", command=name, phrase=phrase, voxels=[list(voxel) for voxel in voxels])
        case Ask(text, choices):
            asked = f"{name}-q{play.session.pk}-{play.at.timestamp():.2f}"
            play.send(Role.AGENT, "ask", question=asked, text=text, choices=list(choices))
            play.wait(3)
            play.send(Role.WORKER, "choose", question=asked, choice=0)
            return 0
    return None


def _answer_questions(play: PlayedSession, *, name: str, chance: random.Random) -> None:
    """Answers the open questions until there is an outcome. A command that the agent refused is never called done."""
    failed = LiveCommand.objects.get(session=play.session, name=name).status == LiveCommand.Status.FAILED
    is_right = not failed and chance.random() < RIGHT
    meant = OK if is_right else chance.choices(list(WRONG), list(WRONG.values()))[0]
    tree = tree_of(play.session)
    while (question := play.question()) is not None:
        play.wait(chance.uniform(2, 5))
        choices = tree.nodes[question["node"]].choices
        leading = [
            number
            for number, choice in enumerate(choices)
            if choice.outcome == meant or (choice.next is not None and meant in set(_outcomes(tree, choice.next)))
        ]
        wordless = [number for number, choice in enumerate(choices) if not choice.has_text]
        answer = leading[-1] if leading else chance.choice(wordless)
        play.send(Role.WORKER, "mark", command=name, node=question["node"], choice=answer)


def _outcomes(tree: Tree, name: str) -> Iterator[str]:
    """All outcomes that can follow from a node."""
    node = tree.nodes[name]
    if node.otherwise is not None:
        yield from _outcomes(tree, node.otherwise)
    for choice in node.choices:
        if choice.next is not None:
            yield from _outcomes(tree, choice.next)
        elif choice.outcome is not None:
            yield choice.outcome
