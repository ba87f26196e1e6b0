"""What a process of an agent is given: which sessions are its own, and each as it must know it."""

from typing import Any, NamedTuple

from annotation.voxels.mask import Size
from interaction.commands import open_command
from interaction.log import Role, Sender
from interaction.models import AgentProcess, Session
from interaction.worlds import scene_at


class Given(NamedTuple):
    """A session as it is handed to a process.

    Attributes:
        world: The scene as of event `have`; the process is told of the events after it.
    """

    session: int
    sender: Sender
    size: Size
    world: dict[str, Any]
    capabilities: list[str]
    have: int
    last_cseq: int


def standing_of(process: AgentProcess) -> dict[str, int] | None:
    """The sessions of this process, and how far their logs go; None if another connection has its place. 2 queries."""
    if AgentProcess.objects.values_list("epoch", flat=True).get(pk=process.pk) != process.epoch:
        return None
    return dict(Session.objects.unended().filter(process=process).values_list("public_id", "last_seq"))


def assignment_of(process: AgentProcess, public_id: str) -> Given | None:
    """The session for this process; None if it is not its own any more.

    A command that is not over is told again, with the world as it was before: whoever has begun it knows what they
    have done, and whoever has not must still do it.
    """
    session = Session.objects.unended().filter(process=process, public_id=public_id).select_related("scene").first()
    if session is None:
        return None
    command = open_command(session)
    have = command.place - 1 if command is not None and not command.is_over else session.last_seq
    scene = scene_at(session, have)
    return Given(
        session.pk,
        Sender(Role.AGENT, process.epoch, process.pk),
        scene.size,
        scene.as_json(),
        session.capabilities,
        have,
        session.agent_cseq,
    )


def reason_of(session: int) -> str:
    """Why a session is no longer a process's."""
    return Session.objects.values_list("reason", flat=True).get(pk=session) or "given_to_another"
