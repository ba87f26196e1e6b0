"""The agent's answers to questions, in the words in which they are asked."""

from typing import Any

import pytest

from builder.acting.acts import Act, Found, Say, Show
from builder.parser.sentence import parse
from builder.talking.answers import answer
from builder.world.memory import KnownThing, Memory
from builder.world.world import World
from lib.logical_form import Form
from lib.voxels import shapes
from tests.support.builder_worlds import SMALL_GROUND, WORKER, Said, cells, looking_at, world_with
from tests.support.forms import ME

RED_CUBE = ("red", shapes.cube(3), (4, SMALL_GROUND, 10))
BLUE_CUBE = ("blue", shapes.cube(2), (12, SMALL_GROUND, 10))
SQUARE = ("green", shapes.square(8, "xy"), (12, SMALL_GROUND, 16))
RED, BLUE = cells(*RED_CUBE[1:]), cells(*BLUE_CUBE[1:])
UP = WORKER._replace(pitch=80.0)
AT_BLUE = looking_at(12.5, 10.5)
SQUARE_IS = "green square is at (15, 4, 16), 14 blocks in front of you and 6 to your left."


def scene(**more: Any) -> World:
    return world_with(RED_CUBE, BLUE_CUBE, SQUARE, **{"worker": UP, **more})


def ask(text: str, *, form: Form | None = None, world: World | None = None, memory: Memory | None = None) -> list[Act]:
    """All acts of an answer to a question, or to another form."""
    tokens = text.split()
    return list(answer(world or scene(), memory or Memory(), form or parse(tokens), tokens))


def says(text: str, **more: Any) -> str:
    (sentence,) = [act.text for act in ask(text, **more) if isinstance(act, Say)]
    return sentence


def home() -> Memory:
    """A memory in which the blue cube is called home."""
    memory = Memory()
    memory.tag(BLUE, ["home"])
    return memory


def memory_of(*commands: tuple[str, str, bool]) -> Memory:
    """A memory of these commands (text, action, whether it was done), and of the question."""
    memory = Memory()
    for text, action, done in commands:
        memory.add_command(text, {}, action).is_done = done
    memory.add_command("what", {}, "GET_MEMORY")
    return memory


def made() -> Memory:
    """A memory in which the agent has made the red cube."""
    memory = memory_of(("hello", "NOOP", True), ("make a red cube", "BUILD", True), ("come here", "MOVE", False))
    memory.add_thing(KnownThing(RED, "cube", by="agent", command=2))
    return memory


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("is there anything red", "Yes, there is a red cube."),
        ("is there anything big", "Yes, there is a green square."),
        ("is there a cube", "Yes, there are a blue cube and a red cube."),
        ("is there anything yellow", "No. I see nothing yellow."),
        ("how many cubes are there", "There are two cubes."),
        ("how many red things are there", "There is one red cube."),
        ("how many pigs are there", "There are none. I see no pigs."),
        ("what color is the square", "The square is green."),
        ("what color are the cubes", "They are blue and red."),
        ("what size is the square", "The green square is big: 8 blocks long, 1 wide and 8 high."),
        ("how tall is the square", "The green square is eight blocks high."),
        ("how many blocks is the square made of", "The green square has 64 blocks."),
        ("how wide is the square", "The green square is eight blocks wide."),
        ("what is the square made of", "The green square is made of green wool."),
        ("where is the square", f"The {SQUARE_IS}"),
        ("where are the cubes", "I see two cubes: a blue cube at (12, 4, 10), 9 blocks in front of you and 3 to your "
         "left; a red cube at (5, 4, 11), 9 blocks in front of you and 5 to your right."),
        ("have you seen the square", f"Yes. The {SQUARE_IS}"),
        ("have you seen the pig", "No. I see no pig."),
        ("where is the castle", "I see no castle."),
        ("what is your favorite object", "I know nothing that is marked as “favorite”."),
        ("what is to the left of the red cube", "There are a blue cube and a green square."),
        ("what is behind you", "I see nothing behind me."),
        ("what is the name of the thing closest to me", "That is a blue cube."),
        ("what is the name of the thing closest to you", "That is a red cube."),
        ("what colors do you see", "They are blue, red and green."),
        ("where are you", "I am at (4, 4, 4), 2 blocks in front of you and 6 to your right. The nearest thing to me "
         "is a red cube."),
        ("where am I", "You are at (10, 4, 2), 6 blocks in front of me and 2 to my left. The nearest thing to you is "
         "a blue cube."),
        ("who am I", "I do not know your name. You are the one who tells me what to do."),
        ("who are you", "I am your assistant. I build what you ask for, and answer questions about this world."),
        ("how tall are you", "I am two blocks high."),
        ("what am I looking at", "I see nothing there."),
        ("what is that", "I see nothing there."),
        ("what did you do", "I have not done anything yet."),
        ("what are you doing", "I am answering you, and doing nothing else."),
        ("why is the sky blue", "I do not know that. Ask me where something is, what it is, or how many there are."),
        ("what time is it", "I have no clock. This is the 1st thing that you say to me."),
    ],
)  # fmt: skip
def test_a_question_has_this_answer(text: str, sentence: str) -> None:
    assert says(text) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("is that a cube", "Yes, that is a blue cube."),
        ("is that a tree", "No, that is a blue cube."),
        ("what is that", "That is a blue cube. You call it “home”."),
        ("what am I looking at", "That is a blue cube. You call it “home”."),
        ("what did you say", "I do not know that. Ask me where something is, what it is, or how many there are."),
    ],
)
def test_a_question_about_the_thing_that_the_worker_looks_at(text: str, sentence: str) -> None:
    assert says(text, world=scene(worker=AT_BLUE), memory=home()) == sentence


@pytest.mark.parametrize(
    ("text", "memory", "sentence"),
    [
        ("what did you do", made(), "I did what you asked for: “make a red cube”. I made a red cube."),
        (
            "what are you doing",
            memory_of(("dig a hole", "DIG", False)),
            "I am answering you, and doing nothing else. I did not finish “dig a hole”.",
        ),
        (
            "what do you remember",
            memory_of(("dance", "DANCE", True)),
            "I see you, a blue cube, a red cube and a green square. I did what you asked for: “dance”.",
        ),
    ],
)
def test_a_question_about_commands(text: str, memory: Memory, sentence: str) -> None:
    assert says(text, memory=memory) == sentence


@pytest.mark.parametrize(
    ("text", "clauses", "output", "sentence"),
    [
        ("how far is the square", ["square"], {"linear_extent": {"source": {"reference_object": ME}}},
         "The green square is 13 blocks away."),
        ("when was the red cube made", ["red", "cube"], "BORN_TIME",
         "I made the red cube, when you said “make a red cube”."),
        ("when was the blue cube made", ["blue", "cube"], "BORN_TIME", "The blue cube was there before we began."),
        ("what tag has the cube", ["cube"], "TAG", "That is a red cube."),
    ],
)  # fmt: skip
def test_a_form_that_the_parser_does_not_make_has_this_answer(
    text: str, clauses: list[str], output: Any, sentence: str
) -> None:
    said = Said(text)
    told = [said.coloured(word) if word in ("red", "blue") else said.named(word) for word in clauses]
    form = {"dialogue_type": "GET_MEMORY", "filters": said.filters(*told, output={"attribute": output})}
    assert says(text, form=form, memory=made()) == sentence


def test_the_things_of_an_answer_are_shown_and_mentioned_last() -> None:
    memory = Memory()
    found, show, say = ask("what color is the square", memory=memory)
    square = cells(*SQUARE[1:])
    assert found == Found("square", tuple(sorted(square)))
    assert show == Show((12, SMALL_GROUND, 16), (19, SMALL_GROUND + 7, 16))
    assert isinstance(say, Say)
    assert memory.mentioned == square
    found, *_ = ask("what is to the left of the red cube")
    assert found == Found("to the left of the red cube", tuple(sorted(BLUE | square)))
    found, say = ask("where is the castle")
    assert found == Found("castle", ())
    assert isinstance(say, Say)


def test_it_sees_the_worker_and_all_things_with_their_names() -> None:
    memory = home()
    memory.mention(RED)
    told = ask("what do you see", memory=memory)
    assert [type(act) for act in told] == [Show, Show, Show, Say]
    assert told[-1] == Say("I see you, a blue cube, a red cube and a green square. You call the blue cube “home”.")
    assert memory.mentioned == RED
    assert says("what do you see", world=world_with()) == "I see you and nothing else."


@pytest.mark.parametrize(
    ("kind", "word"),
    [(None, "build"), ("ANY", "dig"), ("BUILD", "pyramids"), ("PUT_MEMORY", "call"), ("GET_MEMORY", "where")],
)
def test_it_lists_its_abilities(kind: str | None, word: str) -> None:
    form = {"dialogue_type": "GET_CAPABILITIES", "action_type": kind} if kind else {"dialogue_type": "BOT_CAPABILITIES"}
    assert word in says("what can you do", form=form)


def test_every_sentence_is_short_enough_to_be_sent() -> None:
    """A hundred different things are not listed one by one."""
    colours = ["red", "blue", "green", "yellow", "pink", "black", "white", "purple", "cyan", "orange"]
    things = [
        (colour, shapes.cube(1), (2 * x, SMALL_GROUND, 2 * z)) for z in range(4, 9) for x, colour in enumerate(colours)
    ]
    sentence = says("is there anything", world=world_with(*things, worker=UP))
    assert len(sentence) <= 1000
    assert "other" in sentence
