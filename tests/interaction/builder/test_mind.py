"""The mind as a whole: sequences, repeats, questions, stopping and going on, and undoing."""

import pytest

from annotation.logical_form import Form
from interaction.builder.acts import Ask, CannotDo, Edit, Go, Say
from interaction.builder.mind import Mind
from tests.interaction.builder.worlds import (
    GROUND,
    IT,
    acting,
    action,
    built,
    command,
    cube,
    filters,
    found,
    obey,
    said,
    scene,
    span,
    times,
)

HOUSE = command(action("BUILD", schematic=filters(name=1)))


# What is heard ----------------------------------------------------------------------------------------------------


def test_what_it_hears_is_a_form_and_a_sentence() -> None:
    mind = Mind(scene())
    form = mind.hear("build a small red cube")
    assert form["event_sequence"][0]["action_type"] == "BUILD"
    assert mind.in_words(form, ["build", "a", "small", "red", "cube"]).startswith("I understood: Build")


def test_words_become_blocks() -> None:
    mind = Mind(scene())
    tokens = ["build", "a", "small", "red", "cube"]
    list(mind.obey(mind.hear("build a small red cube"), tokens))
    assert len(built(mind.world)) == 8


@pytest.mark.parametrize(
    ("words", "reply"), [("Hello!", "Hello!"), ("thank you", "You are welcome."), ("zzz", "I did")]
)
def test_small_talk_is_answered(words: str, reply: str) -> None:
    assert said(obey(Mind(scene()), {"dialogue_type": "NOOP"}, words))[0].startswith(reply)


def test_a_question_is_answered() -> None:
    mind = Mind(scene(*cube(9, 9)))
    form = {"dialogue_type": "GET_MEMORY", "filters": filters(name=2)["filters"] | {"output": "COUNT"}}
    assert "one" in said(obey(mind, form, "how many cubes"))[-1].lower()


def test_what_the_worker_does_is_seen() -> None:
    mind = Mind(scene())
    mind.saw_blocks([(5, GROUND, 5, 60)])
    mind.saw_player(mind.world.player._replace(x=7.0))
    assert built(mind.world) == {(5, GROUND, 5)}
    assert mind.world.player_cell == (7, GROUND, 4)


def test_blocks_that_the_worker_puts_side_by_side_are_one_thing_of_theirs() -> None:
    mind = Mind(scene())
    for x in (5, 6, 12):
        mind.saw_blocks([(x, GROUND, 5, 60)])
    assert [(one.by, len(one.voxels)) for one in mind.memory.known] == [("worker", 2), ("worker", 1)]
    obey(mind, command(action("DESTROY", reference_object=IT)), "destroy it")
    assert built(mind.world) == {(5, GROUND, 5), (6, GROUND, 5)}


# Sequences --------------------------------------------------------------------------------------------------------


def test_a_sequence_goes_action_by_action() -> None:
    mind = Mind(scene())
    first, second = action("DANCE", dance_type=filters(name=0)), action("SAY", say_span=span(2))
    acts = obey(mind, command(first, second), "jump say boo")
    assert [type(act) for act in acts] == [Go, Go, Say]


def test_what_belongs_together_is_repeated_together() -> None:
    mind = Mind(scene())
    event = {
        "event_sequence": [action("SAY", say_span=span(0)), action("SAY", say_span=span(1))],
        "terminate_condition": times(2),
    }
    assert said(obey(mind, command(event), "tick tock twice")) == ["tick", "tock", "tick", "tock"]


def test_in_a_sequence_it_means_what_was_just_made() -> None:
    mind = Mind(scene(*cube(3, 12)))
    obey(
        mind,
        command(action("BUILD", schematic=filters(name=1)), action("DESTROY", reference_object=IT)),
        "build ball it",
    )
    assert built(mind.world) == {(x, y, z) for x, y, z, _ in cube(3, 12)}


def test_each_next_one_goes_where_it_is_told() -> None:
    mind = Mind(scene())
    up = {"direction_information": "UP"}
    two = filters(name=1)
    two["filters"]["selector"] = {"return_quantity": "RANDOM", "ordinal": span(2)}
    obey(mind, command(action("BUILD", schematic=two), spatial_control=up), "build cube two")
    assert max(y for _, y, _ in built(mind.world)) == GROUND + 5


# Asking -----------------------------------------------------------------------------------------------------------


def two_cubes() -> Mind:
    # The worker looks away from both.
    mind = Mind(scene(*cube(5, 12), *cube(13, 12)))
    mind.saw_player(mind.world.player._replace(yaw=180))
    return mind


DESTROY = command(action("DESTROY", reference_object=filters(name=2)))


def test_where_two_fit_it_asks_by_pointing() -> None:
    mind = two_cubes()
    acts = obey(mind, DESTROY, "destroy the cube", answers=[1, 0])
    questions = [act for act in acts if isinstance(act, Ask)]
    assert [(one.text, one.choices) for one in questions] == [("This one?", ("Yes", "No"))] * 2
    assert questions[0].low != questions[1].low
    left = built(mind.world)
    assert len(left) == 8
    assert min(left) == questions[0].low
    assert min(found(acts)[0].voxels) == questions[1].low


def test_where_none_of_them_is_meant_it_gives_up() -> None:
    mind = two_cubes()
    with pytest.raises(CannotDo, match="I found nothing else that could be “cube”"):
        obey(mind, DESTROY, "destroy the cube", answers=[1, 1])
    assert len(built(mind.world)) == 16


def test_where_one_fits_it_does_not_ask() -> None:
    mind = Mind(scene(*cube(5, 12), (13, GROUND, 12, 1)))
    assert not any(isinstance(act, Ask) for act in obey(mind, DESTROY, "destroy the cube"))


# Stopping and going on --------------------------------------------------------------------------------------------


def stopped_after(edits: int, *, closing: bool) -> Mind:
    """A mind that was stopped in the middle of building a house."""
    mind = Mind(scene(size=(24, 16, 24)))
    seen = 0
    for act in acting(mind, HOUSE, "build house"):
        seen += isinstance(act, Edit)
        if seen == edits:
            if closing:
                break
            mind.stop()
    return mind


RESUME = command(action("RESUME"))


@pytest.mark.parametrize("closing", [True, False])
@pytest.mark.parametrize("edits", [1, 3, 5])
def test_what_was_stopped_and_resumed_is_as_if_it_never_was(edits: int, closing: bool) -> None:
    whole = Mind(scene(size=(24, 16, 24)))
    obey(whole, HOUSE, "build house")
    mind = stopped_after(edits, closing=closing)
    assert 0 < len(built(mind.world)) < len(built(whole.world))
    obey(mind, RESUME, "go on")
    assert (mind.world.grid == whole.world.grid).all()
    assert mind.memory.known[-1].voxels == whole.memory.known[-1].voxels


def test_after_a_stop_nothing_more_happens() -> None:
    mind = Mind(scene())
    acts = []
    for act in acting(mind, HOUSE, "build house"):
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
    again = obey(mind, RESUME, "go on", answers=[0])
    assert again[0] == question
    assert len(built(mind.world)) == 8


def test_what_was_stopped_twice_can_be_resumed_twice() -> None:
    mind = stopped_after(1, closing=True)
    for act in acting(mind, RESUME, "go on"):
        if isinstance(act, Edit):
            break
    obey(mind, RESUME, "go on")
    whole = Mind(scene(size=(24, 16, 24)))
    obey(whole, HOUSE, "build house")
    assert (mind.world.grid == whole.world.grid).all()


def test_something_else_may_be_done_in_between() -> None:
    mind = stopped_after(2, closing=True)
    before = len(built(mind.world))
    obey(mind, command(action("SAY", say_span=span(1))), "say hm")
    obey(mind, RESUME, "go on")
    assert len(built(mind.world)) > before


def test_with_nothing_stopped_there_is_nothing_to_resume() -> None:
    with pytest.raises(CannotDo, match="nothing that I could go on with"):
        obey(Mind(scene()), RESUME, "go on")


def test_stopping_as_a_command_is_answered() -> None:
    assert said(obey(Mind(scene()), command(action("STOP")), "stop")) == ["I am not doing anything now."]
    assert said(obey(stopped_after(1, closing=True), command(action("STOP")), "stop")) == ["I have stopped."]


# Undoing ----------------------------------------------------------------------------------------------------------

UNDO = command(action("UNDO"))


@pytest.mark.parametrize(
    ("form", "words"),
    [
        (HOUSE, "build house"),
        (command(action("DESTROY", reference_object=filters(name=1))), "destroy cube"),
        (command(action("DIG", schematic=filters(name=1))), "dig hole"),
        (command(action("GET", reference_object=filters(name=1))), "bring cube"),
        (command(action("SPAWN", reference_object=filters(name=1))), "spawn cow"),
    ],
)
def test_undoing_puts_every_block_back(form: Form, words: str) -> None:
    mind = Mind(scene(*cube(3, 14)))
    before = mind.world.grid.copy()
    obey(mind, form, words)
    assert (mind.world.grid != before).any()
    obey(mind, UNDO, "undo that")
    assert (mind.world.grid == before).all()
    assert not [one for one in mind.memory.standing(mind.world) if one.name in ("house", "hole", "cow")]


def test_undoing_twice_takes_back_the_command_before() -> None:
    mind = Mind(scene())
    before = mind.world.grid.copy()
    obey(mind, HOUSE, "build house")
    obey(mind, command(action("BUILD", schematic=filters(name=1))), "build ball")
    obey(mind, UNDO, "undo")
    assert [one.name for one in mind.memory.standing(mind.world)] == ["house"]
    obey(mind, UNDO, "undo")
    assert (mind.world.grid == before).all()


def test_what_is_named_is_undone() -> None:
    mind = Mind(scene())
    obey(mind, HOUSE, "build house")
    obey(mind, command(action("DIG", schematic=filters(name=1))), "dig hole")
    obey(mind, command(action("UNDO", target_action_type=span((1, 2)))), "undo building house")
    assert [one.name for one in mind.memory.standing(mind.world)] == ["hole"]


def test_what_was_stopped_and_resumed_is_undone_as_one() -> None:
    mind = stopped_after(2, closing=True)
    obey(mind, RESUME, "go on")
    obey(mind, UNDO, "undo")
    assert built(mind.world) == set()


def test_what_the_worker_built_is_not_undone() -> None:
    mind = Mind(scene())
    mind.saw_blocks([(5, GROUND, 5, 60)])
    with pytest.raises(CannotDo, match="nothing that I could undo"):
        obey(mind, UNDO, "undo")
