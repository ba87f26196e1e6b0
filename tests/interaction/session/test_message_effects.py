"""The life of a session: the clock, commands, statuses, questions, and when it may be handed in."""

from typing import Any

import pytest

from commands.models import Command
from interaction.session import message_effects, ticks
from interaction.session.refusals import Refusal
from tests.support.sessions import MINIMUM_S, NO, YES, LiveWorker, both, come_in, judged, make_live_project

pytestmark = pytest.mark.django_db
FORM = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "UNDO"}]}


def refused(worker: LiveWorker, kind: str, **body: Any) -> str:
    with pytest.raises(Refusal) as refusal:
        worker.send(kind, **body)
    return str(refusal.value)


def test_no_command_before_the_clock_runs() -> None:
    worker = come_in(make_live_project())
    assert refused(worker, "command", id="c1", text="build") == "Start the clock first."
    worker.send("start")
    assert worker.said("clock") == [{"elapsed_s": 0.0, "minimum_s": MINIMUM_S}]
    assert refused(worker, "start") == "The clock runs already."
    worker.send("command", id="c1", text="build")


def test_statuses_go_forward_only_and_keep_their_times() -> None:
    worker, agent = both()
    worker.send("command", id="c1", text="build a cube")
    agent.send(worker, "status", command="c1", state="received")
    worker.wait(2)
    agent.send(worker, "status", command="c1", state="acting")
    with pytest.raises(Refusal):
        agent.send(worker, "status", command="c1", state="thinking")
    worker.wait(3)
    agent.send(worker, "status", command="c1", state="done")
    with pytest.raises(Refusal):
        agent.send(worker, "status", command="c1", state="failed")
    live = worker.live()
    assert live.received_at
    assert live.acting_at
    assert live.over_at
    assert (live.acting_at - live.received_at).total_seconds() == 2
    assert (live.over_at - live.acting_at).total_seconds() == 3


def test_the_questions_block_the_next_command_until_the_outcome() -> None:
    worker, agent = both()
    worker.send("command", id="c1", text="build a cube")
    assert "not judged" in refused(worker, "command", id="c2", text="build another")
    agent.carry_out(worker, "c1")
    assert "not judged" in refused(worker, "command", id="c2", text="build another")
    worker.send("mark", command="c1", node="done", choice=YES)
    assert worker.said("outcome") == [{"command": "c1", "outcome": "ok"}]
    worker.send("command", id="c2", text="build another")


def test_the_same_command_again_changes_nothing() -> None:
    worker, _ = both()
    first = worker.send("command", id="c1", text="build a cube")
    again = worker.send("command", id="c1", text="build a cube")
    assert (again.seq, again.is_repeat) == (first.seq, True)
    assert Command.objects.count() == 1
    assert len(worker.said("command")) == 1


def test_the_parse_is_shown_in_words_and_the_object_with_its_blocks() -> None:
    worker, agent = both()
    cube: dict[str, Any] = {"phrase": "the cube", "voxels": [[1, 4, 1], [1, 5, 1]]}
    judged(worker, agent, marks=[("done", NO)], form=FORM, **cube)
    understood = worker.said("question")[-1]
    assert (understood["show"], understood["parse"]) == ("parse", "Undo what is being done.")
    worker.send("mark", command="c1", node="understood", choice=YES)
    seen = worker.said("question")[-1]
    assert seen["show"] == "object"
    assert seen["objects"] == [cube]


def test_the_objects_of_one_command_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_effects, "MOST_VOXELS", 5)
    worker, agent = both()
    worker.send("command", id="c1", text="destroy the house")
    voxels = [[1, 4, 1], [1, 5, 1], [1, 6, 1]]
    agent.send(worker, "objects", command="c1", phrase="the house", voxels=voxels)
    with pytest.raises(Refusal, match="at most 5 voxels"):
        agent.send(worker, "objects", command="c1", phrase="the other house", voxels=voxels)
    # A later message about the same phrase replaces the earlier one.
    agent.send(worker, "objects", command="c1", phrase="the house", voxels=voxels[:2])
    agent.send(worker, "objects", command="c1", phrase="the other house", voxels=voxels)
    found = worker.command().objects_found
    assert {one["phrase"]: len(one["voxels"]) for one in found} == {"the house": 2, "the other house": len(voxels)}


def test_going_back_asks_the_question_before_again() -> None:
    worker, agent = both()
    judged(worker, agent, marks=())
    assert "first question" in refused(worker, "back", command="c1")
    worker.send("mark", command="c1", node="done", choice=NO)
    assert worker.said("question")[-1]["can_go_back"]
    worker.send("back", command="c1")
    assert worker.said("question")[-1]["node"] == "done"
    assert worker.command().path == []
    worker.send("mark", command="c1", node="done", choice=YES)
    assert worker.command().outcome == "ok"
    assert "not open" in refused(worker, "back", command="c1")


def test_words_are_kept_where_a_choice_asks_for_them() -> None:
    worker, agent = both(tree="rate")
    worker.send("command", id="c1", text="dance")
    agent.carry_out(worker, "c1", state="failed", reason="cannot")
    assert "few words" in refused(worker, "mark", command="c1", node="done", choice=2)
    worker.send("mark", command="c1", node="done", choice=2, text="  it went behind the wall ")
    command = worker.command()
    assert (command.outcome, command.feedback) == ("other_error", "it went behind the wall")
    assert command.path == [{"node": "done", "choice": 2, "text": "it went behind the wall"}]


def test_empty_texts_are_as_good_as_none() -> None:
    worker, agent = both()
    worker.send("command", id="c1", text="build a cube")
    agent.send(worker, "status", command="c1", state="done", reason="")
    worker.send("mark", command="c1", node="done", choice=YES, text="")
    assert worker.command().outcome == "ok"


def test_an_answer_to_a_question_that_is_not_open_is_refused() -> None:
    worker, agent = both()
    assert "not open" in refused(worker, "mark", command="c1", node="done", choice=YES)
    worker.send("command", id="c1", text="dance")
    assert "come to an end" in refused(worker, "mark", command="c1", node="done", choice=YES)
    agent.carry_out(worker, "c1")
    assert "'done'" in refused(worker, "mark", command="c1", node="what", choice=YES)
    assert "from 0 to 1" in refused(worker, "mark", command="c1", node="done", choice=7)


def test_an_agents_question_is_answered_once() -> None:
    worker, agent = both()
    with pytest.raises(Refusal):
        agent.send(worker, "ask", question="q0", text="This one?", choices=["Yes", "No"])
    worker.send("command", id="c1", text="destroy the cube")
    agent.send(worker, "status", command="c1", state="received")
    agent.send(worker, "ask", question="q1", text="This one?", choices=["Yes", "No"], point=[[1, 4, 1], [2, 5, 2]])
    assert "does not ask" in refused(worker, "choose", question="q0", choice=0)
    assert "from 0 to 1" in refused(worker, "choose", question="q1", choice=2)
    worker.send("choose", question="q1", choice=1)
    assert "not any more" in refused(worker, "choose", question="q1", choice=0)


def test_it_may_be_handed_in_when_time_is_up_and_a_command_is_judged() -> None:
    worker, agent = both()
    judged(worker, agent)
    worker.wait(MINIMUM_S)
    ticks.tick(at=worker.at)
    assert worker.said("may_finish") == [{"allowed": True}]
    worker.send("command", id="c2", text="dance")
    assert worker.said("may_finish")[-1] == {"allowed": False}
    assert "something to do" in refused(worker, "finish")
    agent.carry_out(worker, "c2")
    worker.send("mark", command="c2", node="done", choice=YES)
    assert worker.said("may_finish")[-1] == {"allowed": True}


def test_time_alone_is_not_enough_nor_is_a_forged_clock() -> None:
    worker, agent = both()
    judged(worker, agent)
    assert "something to do" in refused(worker, "finish")
    with pytest.raises(Refusal, match="no message 'clock'"):
        worker.send("clock", elapsed_s=10_000, minimum_s=0)
    with pytest.raises(Refusal, match="no message 'may_finish'"):
        worker.send("may_finish", allowed=True)
    assert worker.said("may_finish") == []
