"""What the agent says when it is asked something."""

from typing import Any

import pytest

from annotation.logical_form import Form
from annotation.logical_form.validate import faults_of
from annotation.voxels import shapes
from interaction.builder.acts import Act, Found, Say, Show
from interaction.builder.answers import answer
from interaction.builder.memory import Known, Memory
from interaction.builder.world import World
from tests.interaction.builder.small_worlds import (
    GROUND,
    WORKER,
    Said,
    cells,
    looking_at,
    nearest,
    who,
    world_with,
)

RED_CUBE = ("red", shapes.cube(3), (4, GROUND, 10))
BLUE_CUBE = ("blue", shapes.cube(2), (12, GROUND, 10))
SQUARE = ("green", shapes.square(8, "xy"), (12, GROUND, 16))
UP = WORKER._replace(pitch=80.0)
SELF = {"pred_text": "has_tag", "obj_text": {"fixed_value": "SELF"}}
SPEAKER = {"pred_text": "has_tag", "obj_text": {"fixed_value": "SPEAKER"}}


def scene(**more: Any) -> World:
    return world_with(RED_CUBE, BLUE_CUBE, SQUARE, **{"worker": UP, **more})


def acts(filters: Form, said: Said, *, world: World | None = None, memory: Memory | None = None) -> list[Act]:
    """All acts of an answer to a valid form."""
    form = {"dialogue_type": "GET_MEMORY", **({"filters": filters} if filters else {})}
    assert faults_of(form, words=len(said.tokens)) == []
    return list(answer(world or scene(), memory or Memory(), form, said.tokens))


def says(filters: Form, said: Said, **more: Any) -> str:
    """The one sentence of an answer."""
    (sentence,) = [act.text for act in acts(filters, said, **more) if isinstance(act, Say)]
    return sentence


@pytest.mark.parametrize(
    ("text", "told", "output", "sentence"),
    [
        ("is there anything red", {"has_colour": "red"}, "MEMORY", "Yes, there is a red cube."),
        ("is there anything big", {"has_size": "big"}, "MEMORY", "Yes, there is a green square."),
        ("is there a cube", {"has_name": "cube"}, "MEMORY", "Yes, there are a blue cube and a red cube."),
        ("is there anything yellow", {"has_colour": "yellow"}, "MEMORY", "No. I see nothing yellow."),
        ("how many cubes are there", {"has_name": "cubes"}, "COUNT", "There are two cubes."),
        ("how many red things are there", {"has_colour": "red"}, "COUNT", "There is one red cube."),
        ("how many pigs are there", {"has_name": "pigs"}, "COUNT", "There are none. I see no pigs."),
        ("what color is the square", {"has_name": "square"}, "COLOUR", "The square is green."),
        ("what color are the cubes", {"has_name": "cubes"}, "COLOUR", "They are blue and red."),
        (
            "what size is the square",
            {"has_name": "square"},
            "SIZE",
            "The green square is big: 8 blocks long, 1 wide and 8 high.",
        ),
        ("how tall is the square", {"has_name": "square"}, "HEIGHT", "The green square is eight blocks high."),
        ("how many blocks is the square made of", {"has_name": "square"}, "COUNT", "The green square has 64 blocks."),
        ("how wide is the square", {"has_name": "square"}, "WIDTH", "The green square is eight blocks wide."),
        (
            "what is the square made of",
            {"has_name": "square"},
            "BLOCK_TYPE",
            "The green square is made of green wool.",
        ),
        (
            "where is the square",
            {"has_name": "square"},
            "LOCATION",
            "The green square is at (15, 4, 16), 14 blocks in front of you and 6 to your left.",
        ),
        (
            "have you seen the square",
            {"has_name": "square"},
            "LOCATION",
            "Yes. The green square is at (15, 4, 16), 14 blocks in front of you and 6 to your left.",
        ),
        ("have you seen the pig", {"has_name": "pig"}, "LOCATION", "No. I see no pig."),
        ("where is the castle", {"has_name": "castle"}, "LOCATION", "I see no castle."),
        (
            "what is your favorite object",
            {"has_tag": "favorite", "has_name": "object"},
            "NAME",
            "I know nothing that is marked as “favorite”.",
        ),
    ],
)
def test_questions_about_things(text: str, told: dict[str, str], output: str, sentence: str) -> None:
    said = Said(text)
    known = output if output in ("MEMORY", "COUNT") else {"attribute": output}
    filters = said.filters(*(said.clause(name, words) for name, words in told.items()), output=known)
    assert says(filters, said) == sentence


def test_what_is_asked_about_is_shown_and_spoken_of_from_then_on() -> None:
    said, memory = Said("what color is the square"), Memory()
    filters = said.filters(said.named("square"), output={"attribute": "COLOUR"})
    found, show, say = acts(filters, said, memory=memory)
    square = cells(SQUARE[1], SQUARE[2])
    assert found == Found("square", tuple(sorted(square)))
    assert show == Show((12, GROUND, 16), (19, GROUND + 7, 16))
    assert isinstance(say, Say)
    assert memory.mentioned == square


def test_that_nothing_was_found_is_shown_too() -> None:
    said = Said("where is the castle")
    first, second = acts(said.filters(said.named("castle"), output={"attribute": "LOCATION"}), said)
    assert first == Found("castle", ())
    assert isinstance(second, Say)


@pytest.mark.parametrize(
    ("noun", "reply"), [("cube", "Yes, that is a blue cube."), ("tree", "No, that is a blue cube.")]
)
def test_whether_that_is_one(noun: str, reply: str) -> None:
    said = Said(f"is that a {noun}")
    filters = said.filters(said.named(noun), contains_coreference="yes", output="MEMORY")
    assert says(filters, said, world=scene(worker=looking_at(12.5, 10.5))) == reply


def test_what_that_is_with_what_somebody_called_it() -> None:
    memory = Memory()
    memory.tag(cells(BLUE_CUBE[1], BLUE_CUBE[2]), ["home"])
    said = Said("what is that")
    filters = said.filters(contains_coreference="yes", output={"attribute": "NAME"})
    world = scene(worker=looking_at(12.5, 10.5))
    assert says(filters, said, world=world, memory=memory) == "That is a blue cube. You call it “home”."
    assert says(filters, said) == "I see nothing there."


EVERYTHING: Form = {"memory_type": "ALL", "selector": {"return_quantity": "ALL"}, "output": {"attribute": "NAME"}}


def test_what_it_sees_are_the_worker_and_all_things_with_what_they_are_called() -> None:
    memory = Memory()
    memory.tag(cells(BLUE_CUBE[1], BLUE_CUBE[2]), ["home"])
    told = acts(EVERYTHING, Said("what do you see"), memory=memory)
    assert [type(act) for act in told] == [Show, Show, Show, Say]
    assert told[-1] == Say("I see you, a blue cube, a red cube and a green square. You call the blue cube “home”.")


def test_where_there_is_nothing_it_sees_the_worker() -> None:
    assert says(EVERYTHING, Said("what do you see"), world=world_with()) == "I see you and nothing else."


def test_what_it_remembers_is_also_what_it_did() -> None:
    memory = Memory()
    memory.heard("dance", {}, "DANCE").is_done = True
    memory.heard("what do you remember", {}, "GET_MEMORY")
    sentence = says(EVERYTHING, Said("what do you remember"), memory=memory)
    assert sentence.startswith("I see you, ")
    assert sentence.endswith("I did what you asked for: “dance”.")


def test_what_it_sees_leaves_open_what_was_spoken_of() -> None:
    memory = Memory()
    memory.mention(cells(RED_CUBE[1], RED_CUBE[2]))
    acts(EVERYTHING, Said("what do you see"), memory=memory)
    assert memory.mentioned == cells(RED_CUBE[1], RED_CUBE[2])


def test_what_is_to_the_left_of_something() -> None:
    said = Said("what is to the left of the red cube")
    place = {"relative_direction": "LEFT", "reference_object": said.thing(said.coloured("red"), said.named("cube"))}
    filters = said.filters(selector={"location": place}, output={"attribute": "NAME"})
    assert says(filters, said) == "There are a blue cube and a green square."
    found = acts(filters, said)[0]
    assert isinstance(found, Found)
    assert found.phrase == "to the left of the red cube"
    assert set(found.voxels) == cells(BLUE_CUBE[1], BLUE_CUBE[2]) | cells(SQUARE[1], SQUARE[2])


def test_nothing_lies_there() -> None:
    said = Said("what is behind you")
    place = {"relative_direction": "BACK", "reference_object": who("AGENT")}
    filters = said.filters(selector={"location": place}, output={"attribute": "NAME"})
    assert says(filters, said) == "I see nothing behind me."


@pytest.mark.parametrize(("whom", "name"), [("SPEAKER", "blue cube"), ("AGENT", "red cube")])
def test_the_name_of_what_is_closest(whom: str, name: str) -> None:
    said = Said("what is the name of the thing closest to you")
    filters = said.filters(selector=nearest(whom), output={"attribute": "NAME"})
    assert says(filters, said) == f"That is a {name}."


def test_how_far_away_something_is() -> None:
    said = Said("how far is the square")
    extent = {"linear_extent": {"source": {"reference_object": who("SPEAKER")}}}
    filters = said.filters(said.named("square"), output={"attribute": extent})
    assert says(filters, said) == "The green square is 13 blocks away."


def test_what_the_worker_looks_at() -> None:
    said = Said("what am I looking at")
    world = scene(worker=looking_at(12.5, 10.5))
    assert says({}, said, world=world) == "That is a blue cube."
    assert says({}, said) == "I see nothing there."


def test_who_made_something() -> None:
    memory = Memory()
    form = {"dialogue_type": "NOOP"}
    memory.heard("make a red cube", form, "BUILD")
    memory.made(Known(cells(RED_CUBE[1], RED_CUBE[2]), "cube", by="agent", command=1))
    said = Said("when did you make the red blue cube")
    for colour, reply in (
        ("red", "I made the red cube, when you said “make a red cube”."),
        ("blue", "The blue cube was there before we began."),
    ):
        filters = said.filters(said.coloured(colour), said.named("cube"), output={"attribute": "BORN_TIME"})
        assert says(filters, said, memory=memory) == reply


@pytest.mark.parametrize(
    ("text", "clause", "attribute", "sentence"),
    [
        (
            "where are you",
            SELF,
            "LOCATION",
            "I am at (4, 4, 4), 2 blocks in front of you and 6 to your right. The nearest thing to me is a red cube.",
        ),
        (
            "where am I",
            SPEAKER,
            "LOCATION",
            "You are at (10, 4, 2), 6 blocks in front of me and 2 to my left. The nearest thing to you is a blue cube.",
        ),
        ("who am I", SPEAKER, "NAME", "I do not know your name. You are the one who tells me what to do."),
    ],
)
def test_questions_about_the_two_of_them(text: str, clause: Form, attribute: str, sentence: str) -> None:
    said = Said(text)
    assert says(said.filters(clause, output={"attribute": attribute}), said) == sentence


def asked_of_tasks(tag: str) -> Form:
    return {
        "memory_type": "TASKS",
        "output": {"attribute": "NAME"},
        "where_clause": {"AND": [{"pred_text": "has_tag", "obj_text": {"fixed_value": tag}}]},
    }


def memory_of(*commands: tuple[str, str, bool]) -> Memory:
    """A memory of these commands (text, action, whether it was done), and of the question."""
    memory = Memory()
    for text, action, done in commands:
        memory.heard(text, {}, action).is_done = done
    memory.heard("what", {}, "GET_MEMORY")
    return memory


def test_what_the_agent_did() -> None:
    memory = memory_of(("hello", "NOOP", True), ("make a red cube", "BUILD", True), ("come here", "MOVE", False))
    memory.made(Known(cells(RED_CUBE[1], RED_CUBE[2]), "cube", by="agent", command=2))
    said = Said("what did you do")
    assert (
        says(asked_of_tasks("FINISHED"), said, memory=memory)
        == "I did what you asked for: “make a red cube”. I made a red cube."
    )
    assert says(asked_of_tasks("FINISHED"), said, memory=memory_of()) == "I have not done anything yet."


def test_what_the_agent_is_doing() -> None:
    said = Said("what are you doing")
    running = asked_of_tasks("CURRENTLY_RUNNING")
    assert says(running, said, memory=memory_of()) == "I am answering you, and doing nothing else."
    assert says(running, said, memory=memory_of(("dig a hole", "DIG", False))) == (
        "I am answering you, and doing nothing else. I did not finish “dig a hole”."
    )


def test_what_it_cannot_know_is_said_so() -> None:
    said = Said("why is the sky blue")
    assert says({}, said).startswith("I do not know that.")
    said = Said("what time is it")
    assert says({"output": {"attribute": "CURRENT_TIME"}}, said).startswith("I have no clock.")


@pytest.mark.parametrize(
    ("form", "word"),
    [
        ({"dialogue_type": "BOT_CAPABILITIES"}, "build"),
        ({"dialogue_type": "GET_CAPABILITIES", "action_type": "ANY"}, "dig"),
        ({"dialogue_type": "GET_CAPABILITIES", "action_type": "BUILD"}, "pyramids"),
        ({"dialogue_type": "GET_CAPABILITIES", "action_type": "PUT_MEMORY"}, "call"),
        ({"dialogue_type": "GET_CAPABILITIES", "action_type": "GET_MEMORY"}, "where"),
    ],
)
def test_it_says_what_it_can_do(form: Form, word: str) -> None:
    (said,) = list(answer(scene(), Memory(), form, []))
    assert isinstance(said, Say)
    assert word in said.text


def test_every_sentence_is_short_enough_to_be_sent() -> None:
    """A hundred different things are not listed one by one."""
    colours = ["red", "blue", "green", "yellow", "pink", "black", "white", "purple", "cyan", "orange"]
    things = [(colour, shapes.cube(1), (2 * x, GROUND, 2 * z)) for z in range(4, 9) for x, colour in enumerate(colours)]
    said = Said("is there anything")
    sentence = says(said.filters(output="MEMORY"), said, world=world_with(*things, worker=UP))
    assert len(sentence) <= 1000
    assert "other" in sentence
