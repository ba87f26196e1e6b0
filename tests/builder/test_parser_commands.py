"""Commands and the forms that the parser gives them: one table for each kind of action."""

import pytest

from builder.parser.sentence import parse
from lib.logical_form.normal import normal
from lib.logical_form.spans import tokenise
from tests.support.forms import (
    IT,
    LOOKED_AT,
    ME,
    NEVER,
    THERE,
    YOU,
    Form,
    action,
    at,
    build,
    dance,
    go,
    most,
    nearest,
    several,
    span,
    thing,
    times,
    turn,
    what,
    where,
)


def colour(at: int) -> Form:
    return {"pred_text": "has_colour", "obj_text": span(at)}


RED_OR_BLUE = {"OR": [colour(2), colour(4)]}
CUBE_5 = what(name=5)["where_clause"]["AND"]
BUILDING = [
    ("build a house", build(what(name=2))),
    ("can you please build me a small house", build(what(size=6, name=7))),
    ("make two red cubes there", build(what(colour=2, name=3, selector=several(1, same="ALLOWED")), location=THERE)),
    ("build a few towers", build(what(name=3, selector=several(1, 2, same="ALLOWED")))),
    ("make a big green square behind me", build(what(size=2, colour=3, name=4), location=at("BACK", ME))),
    (
        "make a yellow circle to the left of the square",
        build(what(colour=2, name=3), location=at("LEFT", thing(name=9))),
    ),
    ("build a stone wall 5 blocks high", build(what(block_type=2, name=3, height=4))),
    ("build a 3 x 4 x 5 tower", build(what(width=2, thickness=4, height=6, name=7))),
    ("build a wall that is 9 by 3 and 2 high", build(what(name=2, width=5, thickness=7, height=9))),
    ("build a pyramid made of gold", build(what(name=2, block_type=5))),
    ("build a cube where i am looking", build(what(name=2), location=where(LOOKED_AT))),
    ("build here a house", build(what(name=3), location=THERE)),
    (
        "build a house 5 spaces in front of you",
        build(what(name=2), location=at("FRONT", YOU, steps=span(3), has_measure=span(4))),
    ),
    (
        "build a blue cube between the house and the tree",
        build(
            what(colour=2, name=3),
            location={
                "relative_direction": "BETWEEN",
                "reference_object_1": thing(name=6),
                "reference_object_2": thing(name=9),
            },
        ),
    ),
    (
        "put a cube on top of the biggest tower",
        build(what(name=2), location=at("UP", thing(name=8, selector=most("SIZE")))),
    ),
    ("copy that", action("BUILD", IT)),
    ("copy the red house here", action("BUILD", thing(colour=2, name=3), location=THERE)),
    ("make a copy of the block to your right", action("BUILD", thing(name=5, selector={"location": at("RIGHT", YOU)}))),
    ("finish that house", action("FREEBUILD", thing(that=True, name=2))),
    ("complete the construction of the wall", action("FREEBUILD", thing(name=5))),
    ("make it bigger", action("MODIFY", IT, modify_dict={"modify_type": "SCALE"})),
]
DIGGING = [
    ("dig a hole", action("DIG", schematic={"filters": what(name=2)})),
    ("make a hole", action("DIG", schematic={"filters": what(name=2)})),
    ("dig a hole 3 blocks deep", action("DIG", schematic={"filters": what(name=2, depth=3)})),
    ("dig a 4 by 5 hole", action("DIG", schematic={"filters": what(length=2, width=4, name=5)})),
    (
        "dig two tiny holes there",
        action("DIG", schematic={"filters": what(size=2, name=3, selector=several(1, same="ALLOWED"))}, location=THERE),
    ),
    ("dig next to it", action("DIG", location=at("NEAR", IT))),
    (
        "fill that hole up with grass",
        action("FILL", thing(that=True, name=2), schematic={"filters": what(block_type=5)}),
    ),
    ("fill in the hole", action("FILL", thing(name=3))),
    ("fill it with red blocks", action("FILL", IT, schematic={"filters": what(colour=3, name=4)})),
]
THINGS = [
    ("destroy the third tower", action("DESTROY", thing(name=3, selector={"ordinal": span(2)}))),
    ("make a pig here", action("SPAWN", thing(name=2), location=THERE)),
    ("move block to me", action("GET", thing(name=1), receiver=where(ME))),
    ("destroy it", action("DESTROY", IT)),
    ("get rid of everything", action("DESTROY", thing(selector={"return_quantity": "ALL"}))),
    ("destroy all red cubes", action("DESTROY", thing(colour=2, name=3, selector={"return_quantity": "ALL"}))),
    ("tear it down", action("DESTROY", IT)),
    ("remove the tower closest to me", action("DESTROY", thing(name=2, selector=nearest(ME)))),
    ("remove the nearest tower to you", action("DESTROY", thing(name=3, selector=nearest(YOU)))),
    ("destroy the tallest tree", action("DESTROY", thing(name=3, selector=most("HEIGHT")))),
    ("destroy the smallest red thing", action("DESTROY", thing(colour=3, selector=most("SIZE", "MIN")))),
    (
        "destroy the house behind the big tree",
        action("DESTROY", thing(name=2, selector={"location": at("BACK", thing(size=5, name=6))})),
    ),
    ("kill the two cows", action("DESTROY", thing(name=3, selector=several(2)))),
    ("destroy the red or blue cube", action("DESTROY", {"filters": {"where_clause": {"AND": [RED_OR_BLUE, *CUBE_5]}}})),
    (
        "destroy everything that is not red",
        action("DESTROY", {"filters": {"where_clause": {"NOT": [colour(5)]}, "selector": {"return_quantity": "ALL"}}}),
    ),
    ("bring me the red cube", action("GET", thing(colour=3, name=4), receiver=where(ME))),
    ("bring it to me", action("GET", IT, receiver=where(ME))),
    ("get a block and bring it to me", action("GET", thing(name=2), receiver=where(ME))),
    (
        "get three apples from the kitchen",
        action("GET", thing(name=2, selector=several(1)), source={"location": where(thing(name=5))}),
    ),
    (
        "move the cube to the left of the tower",
        action("GET", thing(name=2), receiver={"location": at("LEFT", thing(name=8))}),
    ),
    ("put it there", action("GET", IT, receiver={"location": THERE})),
    ("spawn two pigs", action("SPAWN", thing(name=2, selector=several(1)))),
    ("find the pig", action("SCOUT", thing(name=2))),
    ("can you topple the circle", action("OTHERACTION", thing(name=4))),
    ("sing a song", action("OTHERACTION", thing(name=2))),
]
MOVING = [
    ("come back", go(**where(ME))),
    ("go higher", go(**at("UP", YOU))),
    ("jump into the hole", go(**at("INSIDE", thing(name=3)))),
    ("move a bit to the left", go(**at("LEFT", YOU))),
    ("come here", go(**where(ME))),
    ("go there", go(**THERE)),
    ("go left", go(**at("LEFT", YOU))),
    ("move to my right", go(**at("RIGHT", ME))),
    ("go backward", go(**at("BACK", YOU))),
    ("go forward 1 step", go(**at("FRONT", YOU, steps=span(2)))),
    ("take 5 steps forward", go(**at("FRONT", YOU, steps=span(1)))),
    ("walk two feet to the left of the house", go(**at("LEFT", thing(name=8), steps=span(1), has_measure=span(2)))),
    ("go to circle", go(**where(thing(name=2)))),
    ("can you climb on top of the cube", go(**at("UP", thing(name=7)))),
    ("go away from me", go(**at("AWAY", ME))),
    ("enter the house", go(**at("INSIDE", thing(name=2)))),
    ("go to (4, 5, 6)", go(reference_object={"special_reference": {"coordinates_span": span(2, 4)}})),
    (
        "move between the two boxes",
        go(relative_direction="BETWEEN", reference_object_1=thing(name=4), reference_object_2=thing(name=4)),
    ),
    ("follow me", {**go(**where(ME)), "terminate_condition": NEVER}),
    ("go to where i'm looking", go(**where(LOOKED_AT))),
]
TURNING = [
    ("spin around", turn("body_turn", relative_yaw={"fixed_value": "360"})),
    ("jump in the air", dance(0, location=at("INSIDE", thing(name=3)))),
    ("dance", dance(0)),
    ("do a dance", dance(2)),
    ("turn left", turn("body_turn", relative_yaw={"fixed_value": "-90"})),
    ("turn to your right", turn("body_turn", relative_yaw={"fixed_value": "90"})),
    ("turn around", turn("body_turn", relative_yaw={"fixed_value": "180"})),
    ("turn all the way around clockwise", turn("body_turn", relative_yaw={"fixed_value": "360"})),
    ("turn 30 degrees left", turn("body_turn", relative_yaw={"yaw_span": span(1, 3)})),
    ("turn left 45 degrees", turn("body_turn", relative_yaw={"yaw_span": span(1, 3)})),
    ("turn by 95 degrees", turn("body_turn", yaw=span(2, 3))),
    ("turn away from me", turn("body_turn", location=at("AWAY", ME))),
    ("look up", turn("look_turn", relative_pitch={"fixed_value": "90"})),
    ("face northwest", turn("look_turn", relative_yaw={"fixed_value": "-45"})),
    ("look 30 degrees down", turn("look_turn", relative_pitch={"pitch_span": span(1, 3)})),
    ("look at me", turn("look_turn", location=where(ME))),
    ("look around", turn("look_turn", location=at("AROUND", YOU))),
    ("point at the green wall", turn("point", location=where(thing(colour=3, name=4)))),
    ("point to the left", turn("point", relative_yaw={"fixed_value": "-90"})),
]
TALKING = [
    ("stop", action("STOP")),
    ("stop digging", action("STOP", target_action_type=span(1))),
    ("wait", action("STOP")),
    ("don't do that", action("STOP", target_action_type=span(1, 2))),
    ("resume", action("RESUME")),
    ("continue building the house", action("RESUME", target_action_type=span(1, 3))),
    ("do a funny dance", dance(2, 3)),
    ("dance in place", dance(0)),
    ("bring it back to me", action("GET", IT, receiver=where(ME))),
    ("get the red cube next to me", action("GET", thing(colour=2, name=3, selector={"location": at("NEAR", ME)}))),
    ("bring me to the cube", go(**where(thing(name=4)))),
    ("build a cube where i am standing", build(what(name=2), location=where(ME))),
    ("come to my current location", go(**where(ME))),
    ("build a really high tower", build(what(size=(2, 3), name=4))),
    ("start by moving to me", go(**where(ME))),
    ("go on", action("RESUME")),
    ("go on with it", action("RESUME", target_action_type=span(2, 3))),
    ("keep digging", action("RESUME", target_action_type=span(1))),
    ("go on top of the cube", go(**at("UP", thing(name=5)))),
    ("go on the left of the cube", go(**at("LEFT", thing(name=6)))),
    ("go on it", go(**at("UP", IT))),
    ("go on mansion roof", go(**at("UP", thing(name=(2, 3))))),
    ("keep the cube", action("OTHERACTION", thing(name=2))),
    ("hold on to the cube", action("OTHERACTION", thing(name=4))),
    ("undo that", action("UNDO")),
    ("undo the last block", action("UNDO", target_action_type=span(2, 3))),
    ("say hello there", action("SAY", say_span=span(1, 2))),
]
ENDING = [
    ("dance forever", dance(0, terminate_condition=NEVER)),
    (
        "move forward until you reach the wall",
        {
            **go(**at("FRONT", YOU)),
            "terminate_condition": {"condition_type": "ADJACENT_TO_BLOCK_TYPE", "block_type": span(6)},
        },
    ),
    ("dance until i say stop", dance(0, terminate_condition={"condition_type": "OTHER", "condition_span": span(1, 4)})),
]
SEQUENCES: list[tuple[str, list[Form]]] = [
    *((text, [action]) for text, action in (*BUILDING, *DIGGING, *THINGS, *MOVING, *TURNING, *TALKING, *ENDING)),
    (
        "move 3 blocks left then 2 blocks forward",
        [go(**at("LEFT", YOU, steps=span(1))), go(**at("FRONT", YOU, steps=span(5)))],
    ),
    ("walk forward dance", [go(**at("FRONT", YOU)), dance(2)]),
    ("build a red cube, then destroy it.", [build(what(colour=2, name=3)), action("DESTROY", IT)]),
    ("build a cube and a sphere", [build(what(name=2)), build(what(name=5))]),
    ("destroy the cube and the sphere", [action("DESTROY", thing(name=2)), action("DESTROY", thing(name=5))]),
    ("go to the house and then dance", [go(**where(thing(name=3))), dance(6)]),
    ("move forward stop dance", [go(**at("FRONT", YOU)), action("STOP", target_action_type=span(3))]),
    (
        "turn right move forward build a tower",
        [turn("body_turn", relative_yaw={"fixed_value": "90"}), go(**at("FRONT", YOU)), build(what(name=6))],
    ),
    ("stop digging and start dancing", [action("STOP", target_action_type=span(1)), dance(4)]),
    ("go left and right", [go(**at("LEFT", YOU)), go(**at("RIGHT", YOU))]),
    ("go get a cube", [action("GET", thing(name=3))]),
]
REPEATED: list[tuple[str, Form, Form]] = [
    ("jump three times", dance(0), times(1)),
    ("build a tower twice", build(what(name=2)), times(3)),
    ("dig until you reach water", action("DIG"), {"condition_type": "ADJACENT_TO_BLOCK_TYPE", "block_type": span(4)}),
    (
        "dig a hole for 20 minutes",
        action("DIG", schematic={"filters": what(name=2)}),
        {"condition_type": "OTHER", "condition_span": span(3, 5)},
    ),
]


@pytest.mark.parametrize(
    ("text", "steps", "condition"),
    [*((text, steps, None) for text, steps in SEQUENCES), *((text, [one], when) for text, one, when in REPEATED)],
    ids=[*(text for text, _ in SEQUENCES), *(text for text, *_ in REPEATED)],
)
def test_a_command_means(text: str, steps: list[Form], condition: Form | None) -> None:
    expected: Form = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": steps}
    if condition:
        expected["terminate_condition"] = condition
    assert normal(parse(tokenise(text))) == normal(expected)


def test_things_and_places_that_are_only_pointed_at_keep_their_words() -> None:
    """The finder needs the word, “here” or “there”, and the phrase."""
    (built,) = parse(tokenise("build a cube over there"))["event_sequence"]
    assert built["location"]["text_span"] == span(3, 4)
    (destroyed,) = parse(tokenise("destroy the red cube"))["event_sequence"]
    assert destroyed["reference_object"]["text_span"] == span(1, 3)
