"""`docs/live.md` says of the sockets what the code does: every message with its fields, every code, every limit."""

import re

import pytest

from config.serving import SOCKETS
from interaction.agents import matching
from interaction.models import Session
from interaction.session import deadlines, messages
from interaction.session.messages import FROM, TO_AGENTS, Role
from interaction.session.refusals import Refusal
from tests.support.sessions import MINIMUM_S, NO, LiveWorker, both, make_live_project
from tests.support.shared_data import ROOT
from web.sockets import connection
from web.sockets.agent import MOST_CAPACITY, AgentConnection
from web.sockets.worker import WorkerConnection

LIVE = (ROOT / "docs/live.md").read_text()
HEADINGS = {
    Role.WORKER: "Messages of the worker",
    Role.AGENT: "Messages of the agent",
    Role.SERVER: "Messages of the server",
}
CODE = re.compile(r"`([^`]+)`")


def section(heading: str) -> str:
    return LIVE.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def rows(heading: str) -> dict[str, list[str]]:
    """The rows of a section's table by what stands in their first cell, without its marks."""
    lines = [row for row in section(heading).splitlines() if row.startswith("| ")]
    cells = [[cell.strip() for cell in row.removeprefix("|").removesuffix("|").split("|")] for row in lines]
    return {cell[0].strip("`"): cell[1:] for cell in cells[1:]}


EVERY = [(role, kind) for role, kinds in FROM.items() for kind in kinds]


@pytest.mark.parametrize("role", list(FROM))
def test_every_type_of_a_side_has_a_row_and_no_row_is_invented(role: Role) -> None:
    assert list(rows(HEADINGS[role])) == list(FROM[role])


@pytest.mark.parametrize(("role", "kind"), EVERY)
def test_a_row_has_the_meaning_and_the_fields_of_the_message(role: Role, kind: str) -> None:
    row, message = rows(HEADINGS[role])[kind], FROM[role][kind]
    assert row[1].startswith(message.means)
    if message.body is not None:
        fields = {name if field.required else f"{name}?" for name, field in message.body().fields.items()}
        assert set(CODE.findall(row[0])) == fields


def server_said(worker: LiveWorker) -> dict[str, list[set[str]]]:
    return {kind: [set(body) for body in worker.said(kind)] for kind in FROM[Role.SERVER] if kind != "status"}


@pytest.mark.django_db
def test_messages_of_the_server_have_the_fields_of_their_rows() -> None:
    """A session in which the server says everything that it can say."""
    worker, agent = both(make_live_project(prompts=["Ask for a tower"]))
    for name, mark in (("c1", NO), ("c2", 0)):
        worker.send("command", id=name, text="build a cube")
        agent.send(worker, "status", command=name, state="received")
        agent.send(worker, "parse", command=name, form={"dialogue_type": "NOOP"})
        agent.send(worker, "objects", command=name, phrase="a cube", voxels=[])
        agent.send(worker, "status", command=name, state="failed", reason="cannot")
        while worker.command().outcome == "":
            question = worker.said("question")[-1]
            told = {"text": "so"} if question["choices"][mark]["text"] else {}
            worker.send("mark", command=name, node=question["node"], choice=mark, **told)
            mark = 0
    worker.wait(MINIMUM_S)
    worker.send("reflect", usability=1, performance=1, feedback="")
    worker.send("finish")
    table = rows(HEADINGS[Role.SERVER])
    for kind, said in server_said(worker).items():
        named = set(CODE.findall(table[kind][0]))
        needed = {name for name in named if not name.endswith("?")}
        assert said, f"the server never said {kind}"
        for body in said:
            assert needed <= body <= {name.removesuffix("?") for name in named}, kind


def test_the_events_that_agents_receive_are_listed() -> None:
    text = section("What each side sees")
    of_the_worker, of_the_server = text.split("from the worker")[1].split("from the server")
    assert set(CODE.findall(of_the_worker)) == TO_AGENTS[Role.WORKER]
    assert set(CODE.findall(of_the_server)) == TO_AGENTS[Role.SERVER]


def test_every_error_and_close_code_has_a_row() -> None:
    codes = {kind.code for kind in (Refusal, *Refusal.__subclasses__())}
    assert set(rows("Errors")) == codes
    ours = {connection.BAD_TOKEN, connection.NOT_YOURS, connection.NO_HELLO, connection.REPLACED, connection.ENDED}
    assert {int(code) for code in rows("Close codes")} == ours | {connection.FLOODED, connection.LATER}


def test_every_reason_of_an_end_has_a_row() -> None:
    assert list(rows("How a session ends")) == Session.Reason.values


def test_every_field_of_the_state_has_a_row() -> None:
    named = {name for row in rows("The first frames") for name in re.findall(r"\w+", row)}
    assert named == {"phase", "reason", "elapsed_s", "minimum_s", "may_finish", "agent", "evaluation", "light"}


@pytest.mark.parametrize(
    ("heading", "said"),
    [
        ("Limits", f"{WorkerConnection.most_characters:,}"),
        ("Limits", f"{AgentConnection.most_characters:,}"),
        ("The first frames", f"1 to {MOST_CAPACITY}"),
        ("The first frames", f"within {connection.HELLO_S:.0f} seconds"),
        ("Silence", f"| {deadlines.STOPPING.seconds} seconds"),
        ("Silence", f"| {deadlines.MOST_SILENCES} silences"),
        ("Silence", f"| {deadlines.SILENCES_WITHOUT_AGENT} silences"),
        ("Silence", f"lost its line | {matching.GRACE.seconds} seconds"),
        ("Silence", f"socket | {matching.SILENT.seconds} seconds"),
        ("Messages of the worker", f"1 to {messages.MOST_COMMAND} characters"),
        ("Messages of the agent", f"Up to {messages.MOST_SAID} characters"),
        ("Messages of the agent", f"at most {messages.MOST_CHANGES}"),
        ("Messages of the agent", f"At most {messages.MOST_VOXELS} voxels"),
        ("Messages of the agent", f"1 to {messages.MOST_CHOICES} choices"),
    ],
)
def test_limits_are_those_of_the_code(heading: str, said: str) -> None:
    assert said in section(heading)


def test_hooks_of_the_page_are_there() -> None:
    folders = (ROOT / "frontend/src/tools/interaction", ROOT / "frontend/src/work/view")
    source = "".join(file.read_text() for folder in folders for file in folder.rglob("*.tsx"))
    hooks = set(re.findall(r"data-[a-z-]+", section("The page")))
    assert {hook for hook in hooks if not re.search(rf"\b{hook}\b", source)} == set()


@pytest.mark.parametrize("page", ["Dockerfile", "docs/operations.md"])
def test_servers_elsewhere_take_sockets_as_ours_does(page: str) -> None:
    text = re.sub(r'[",\\\s]+', " ", (ROOT / page).read_text())
    assert " ".join(SOCKETS) in text
