"""The mind as a whole: sequences, repeats, questions, stopping and resuming, and undoing."""

import pytest

from builder.acting.acts import Ask, CannotDo, Edit, Go, Say
from builder.mind import Mind
from tests.support.builder_worlds import GROUND, acting, built, command, cube, found, said, scene, tell, things_left
from tests.support.forms import action, span, thing, times

LARGE = (24, 16, 24)
HOUSE = "build a house"
DESTROY = command(action("DESTROY", reference_object=thing(name=2)))


def house() -> Mind:
    mind = Mind(scene(size=LARGE))
    tell(mind, HOUSE)
    return mind


def test_a_command_becomes_a_form_a_sentence_and_blocks() -> None:
    mind = Mind(scene())
    form = mind.understand("build a small red cube")
    assert form["event_sequence"][0]["action_type"] == "BUILD"
    assert mind.sentence_for(form, ["build", "a", "small", "red", "cube"]).startswith("I understood: Build")
    tell(mind, "build a small red cube")
    assert len(built(mind.world)) == 8


@pytest.mark.parametrize(
    ("words", "reply"),
    [
        ("Hello!", "Hello!"),
        ("thank you", "You are welcome."),
        ("goodbye", "Goodbye!"),
        ("zzz", "I did"),
        ("how many cubes are there", "There is one"),
        ("build a cube when it rains", "I cannot wait"),
    ],
)
def test_talk_is_answered(words: str, reply: str) -> None:
    mind = Mind(scene(*cube(9, 9)))
    form = mind.understand(words)
    if "when" in words:
        form["init_condition"] = {"condition_type": "TIME"}
    assert said(acting(mind, form, words))[0].startswith(reply)


def test_the_worker_is_seen_and_their_blocks_side_by_side_are_one_thing() -> None:
    mind = Mind(scene())
    for x in (5, 6, 12):
        mind.saw_blocks([(x, GROUND, 5, 60)])
    mind.saw_player(mind.world.player._replace(x=7.0))
    assert built(mind.world) == {(x, GROUND, 5) for x in (5, 6, 12)}
    assert mind.world.player_cell == (7, GROUND, 4)
    assert [(one.by, len(one.voxels)) for one in mind.memory.known] == [("worker", 2), ("worker", 1)]
    with pytest.raises(CannotDo, match="nothing that I could undo"):
        tell(mind, "undo")
    tell(mind, "destroy it")
    assert built(mind.world) == {(5, GROUND, 5), (6, GROUND, 5)}


# Sequences --------------------------------------------------------------------------------------------------------


def test_a_sequence_goes_action_by_action_and_is_repeated_as_a_whole() -> None:
    first, second = action("DANCE", dance_type=thing(name=0)), action("SAY", say_span=span(2))
    acts = list(acting(Mind(scene()), command(first, second), "jump say boo"))
    assert [type(act) for act in acts] == [Go, Go, Say]
    steps = [action("SAY", say_span=span(0)), action("SAY", say_span=span(1))]
    event = {"event_sequence": steps, "terminate_condition": times(2)}
    assert said(acting(Mind(scene()), command(event), "tick tock twice")) == ["tick", "tock", "tick", "tock"]


def test_in_a_sequence_it_means_the_thing_just_made() -> None:
    mind = Mind(scene(*cube(3, 12)))
    tell(mind, "build a ball and then destroy it")
    assert built(mind.world) == {(x, y, z) for x, y, z, _ in cube(3, 12)}


@pytest.mark.parametrize(
    ("direction", "axis", "most"), [("UP", 1, 8), ("LEFT", 0, 15), ("FRONT", 2, 13), ("BACK", 2, 9)]
)
def test_each_next_one_goes_in_the_given_direction(direction: str, axis: int, most: int) -> None:
    mind = Mind(scene())
    two = thing(name=1)
    two["filters"]["selector"] = {"return_quantity": "RANDOM", "ordinal": span(2)}
    form = command(action("BUILD", schematic=two), spatial_control={"direction_information": direction})
    list(acting(mind, form, "build cube two"))
    assert max(cell[axis] for cell in built(mind.world)) == most


# Asking -----------------------------------------------------------------------------------------------------------


def two_cubes() -> Mind:
    """A mind with two cubes; the worker looks away from both."""
    mind = Mind(scene(*cube(5, 12), *cube(13, 12)))
    mind.saw_player(mind.world.player._replace(yaw=180))
    return mind


def test_if_two_things_fit_it_asks_by_pointing() -> None:
    mind = two_cubes()
    acts = list(acting(mind, DESTROY, "destroy the cube", answers=[1, 0]))
    questions = [act for act in acts if isinstance(act, Ask)]
    assert [(one.text, one.choices) for one in questions] == [("This one?", ("Yes", "No"))] * 2
    assert questions[0].low != questions[1].low
    left = built(mind.world)
    assert len(left) == 8
    assert min(left) == questions[0].low
    assert min(found(acts)[0].voxels) == questions[1].low


def test_it_gives_up_if_the_worker_means_neither_and_does_not_ask_if_one_fits() -> None:
    mind = two_cubes()
    with pytest.raises(CannotDo, match="I found nothing else that could be “cube”"):
        list(acting(mind, DESTROY, "destroy the cube", answers=[1, 1]))
    assert len(built(mind.world)) == 16
    mind = Mind(scene(*cube(5, 12), (13, GROUND, 12, 1)))
    assert not any(isinstance(act, Ask) for act in acting(mind, DESTROY, "destroy the cube"))


# Stopping and resuming --------------------------------------------------------------------------------------------


def stopped_after(edits: int, *, closing: bool) -> Mind:
    """A mind that was stopped in the middle of building a house."""
    mind = Mind(scene(size=LARGE))
    seen = 0
    for act in acting(mind, mind.understand(HOUSE), HOUSE):
        seen += isinstance(act, Edit)
        if seen == edits:
            if closing:
                break
            mind.stop()
    return mind


@pytest.mark.parametrize("closing", [True, False])
@pytest.mark.parametrize("edits", [1, 3, 5])
def test_a_command_that_was_stopped_and_resumed_ends_as_without_a_stop(edits: int, closing: bool) -> None:
    whole, mind = house(), stopped_after(edits, closing=closing)
    assert 0 < len(built(mind.world)) < len(built(whole.world))
    tell(mind, "say hm")
    for act in acting(mind, mind.understand("go on"), "go on"):
        if isinstance(act, Edit):
            break
    tell(mind, "go on")
    assert (mind.world.grid == whole.world.grid).all()
    assert mind.memory.known[-1].voxels == whole.memory.known[-1].voxels
    # The two halves are undone as one.
    tell(mind, "undo")
    assert built(mind.world) == set()


def test_after_a_stop_nothing_more_happens() -> None:
    mind = Mind(scene())
    acts = []
    for act in acting(mind, mind.understand(HOUSE), HOUSE):
        acts.append(act)
        if isinstance(act, Edit):
            mind.stop()
    assert sum(isinstance(act, Edit) for act in acts) == 1
    assert said(acts) == ["I stopped."]


def test_a_stop_while_it_asks_is_followed_by_the_same_question() -> None:
    mind = two_cubes()
    acts = mind.obey(DESTROY, ["destroy", "the", "cube"])
    question = next(acts)
    assert isinstance(question, Ask)
    acts.close()
    assert tell(mind, "go on", answers=[0])[0] == question
    assert len(built(mind.world)) == 8


def test_stopping_as_a_command_is_answered() -> None:
    assert said(tell(Mind(scene()), "stop")) == ["I am not doing anything now."]
    assert said(tell(stopped_after(1, closing=True), "stop")) == ["I have stopped."]


# Undoing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [HOUSE, "destroy the cube", "dig a hole", "bring me the cube", "spawn a cow"])
def test_undoing_puts_every_block_back(text: str) -> None:
    mind = Mind(scene(*cube(3, 14)))
    before = mind.world.grid.copy()
    tell(mind, text)
    assert (mind.world.grid != before).any()
    tell(mind, "undo that")
    assert (mind.world.grid == before).all()
    assert not [one for one in things_left(mind) if one.name in ("house", "hole", "cow")]


@pytest.mark.parametrize(
    ("texts", "left"),
    [
        ([HOUSE, "build a ball", "undo"], ["house"]),
        ([HOUSE, "build a ball", "undo", "undo"], []),
        ([HOUSE, "build a ball", "undo everything"], []),
        ([HOUSE, "dig a hole", "undo building the house"], ["hole"]),
        ([HOUSE, "build a ball", "undo the house"], ["sphere"]),
    ],
)
def test_undo_takes_back_the_last_command_or_the_named_one(texts: list[str], left: list[str]) -> None:
    mind = Mind(scene())
    for text in texts:
        tell(mind, text)
    assert [one.name for one in things_left(mind)] == left
