"""MOVE, SCOUT, DANCE and SAY: where the agent stands and looks in the end."""

from collections.abc import Callable
from typing import Any

import pytest

from builder.acting.acts import CannotDo, Edit, Go, Place, Show
from builder.mind import Mind
from lib.logical_form import Form
from tests.support.builder_worlds import GROUND, acting, command, cube, said, scene, tell
from tests.support.forms import action, span, thing

CUBE = (14, GROUND, 14), (15, GROUND + 1, 15)


def columns_from(cell: Place, low: Place, high: Place) -> int:
    return max(max(low[axis] - cell[axis], cell[axis] - high[axis], 0) for axis in (0, 2))


@pytest.mark.parametrize(
    ("blocks", "texts", "is_there", "sentence"),
    [
        ([], ["come here"], lambda x, y, z: 1 <= max(abs(x - 10), abs(z - 4)) <= 2 and y == GROUND, "Here I am."),
        ([], ["go forward three steps"], lambda *cell: cell == (3, GROUND, 6), "Here I am."),
        ([], ["go forward three steps", "go back two steps"], lambda *cell: cell == (3, GROUND, 4), "Here I am."),
        ([], ["go forward 1 step four times"], lambda *cell: cell == (3, GROUND, 7), "Here I am."),
        (cube(14, 14), ["go to the cube"], lambda *cell: columns_from(cell, *CUBE) <= 2, "Here I am."),
        (
            cube(14, 14, 3),
            ["climb on top of the cube"],
            lambda x, y, z: y == GROUND + 3 and 14 <= x <= 16 and 14 <= z <= 16,
            "Here I am.",
        ),
        # It does not climb on things that are in its way.
        (cube(2, 5, 3), ["go forward three"], lambda x, y, z: y == GROUND, "I cannot get any closer."),
    ],
)
def test_it_goes_where_the_words_say(
    blocks: Any, texts: list[str], is_there: Callable[[int, int, int], bool], sentence: str
) -> None:
    mind = Mind(scene(*blocks))
    acts = [tell(mind, text) for text in texts]
    assert is_there(*mind.world.agent_cell), mind.world.agent_cell
    assert said(acts[-1])[-1] == sentence
    assert "back" not in texts[-1] or mind.world.agent.yaw == 0


def test_it_follows_the_worker_until_they_stand_still() -> None:
    mind = Mind(scene())
    went = 0
    for act in acting(mind, mind.understand("follow me"), "follow me"):
        if isinstance(act, Go) and went < 8:
            went += 1
            mind.saw_player(mind.world.player._replace(z=mind.world.player.z + 1))
    assert mind.world.player_cell[2] == 12
    assert columns_from(mind.world.agent_cell, (10, 0, 12), (10, 0, 12)) <= 2


def test_it_comes_down_from_a_roof() -> None:
    roof = {"agent": {"x": 4, "y": GROUND + 3, "z": 4, "pitch": 0, "yaw": 0}}
    mind = Mind(scene(*cube(3, 3, 3)) | roof)
    tell(mind, "come down")
    assert mind.world.agent_cell[1] == GROUND


def test_it_walks_around_a_thing() -> None:
    acts = tell(Mind(scene(*cube(9, 10, 3))), "walk around the cube")
    poses = [act.pose for act in acts if isinstance(act, Go)]
    assert len({(pose.x < 9, pose.x > 11, pose.z < 10, pose.z > 12) for pose in poses}) == 8


# Turning, pointing, dancing ----------------------------------------------------------------------------------------


def turn(**facing: Any) -> Form:
    return command(action("DANCE", dance_type={"body_turn": facing}))


@pytest.mark.parametrize(
    ("words", "form", "pitch", "yaw"),
    [
        # Turns to the left are negative in forms and positive in poses.
        *(
            ("turn", turn(relative_yaw={"fixed_value": degrees}), 0, yaw)
            for degrees, yaw in (("-90", 90), ("90", -90), ("180", 180), ("-45", 45), ("360", 0))
        ),
        ("turn 30 degrees left", turn(relative_yaw={"yaw_span": span(1, 3)}), 0, 30),
        ("turn to 40 and 20", turn(yaw_pitch=span(2, 4)), 20, -40),
        ("turn to 40", turn(yaw=span(2)), 0, -40),
        ("look 45 up", turn(relative_pitch={"fixed_value": "45"}), 45, 0),
        ("look up", turn(relative_pitch={"fixed_value": "90"}), 80, 0),
        ("look 20 down", turn(pitch=span(1)), 20, 0),
        ("turn", turn(relative_yaw={"fixed_value": "somewhere"}), 0, 0),
    ],
)
def test_a_turn_is_by_these_degrees(words: str, form: Form, pitch: float, yaw: float) -> None:
    mind = Mind(scene())
    list(acting(mind, form, words))
    assert (mind.world.agent.pitch, mind.world.agent.yaw) == (pitch, yaw)


@pytest.mark.parametrize(
    ("text", "pointed"), [("find the cube", True), ("point at the cube", True), ("look at the cube", False)]
)
def test_it_faces_a_thing_and_may_point_at_it(text: str, pointed: bool) -> None:
    mind = Mind(scene(*cube(14, 14)))
    acts = tell(mind, text)
    assert [act for act in acts if isinstance(act, Show)] == [Show(*CUBE)] * pointed
    seen = mind.world.looked_at(mind.world.agent)
    assert seen is not None
    assert seen[0] in {(x, y, z) for x, y, z, _ in cube(14, 14)}


@pytest.mark.parametrize(("text", "low"), [("point up", 1), ("point to the left", 0)])
def test_it_points_into_the_air(text: str, low: int) -> None:
    mind = Mind(scene())
    (show,) = [act for act in tell(mind, text) if isinstance(act, Show)]
    assert show.low == show.high
    assert show.low[1] - mind.world.agent_cell[1] > low


@pytest.mark.parametrize("name", ["jump", "spinning", "nod", "dance", "wave", "bow", "tango"])
def test_a_movement_ends_where_it_began_and_changes_nothing(name: str) -> None:
    mind = Mind(scene())
    before = mind.world.agent
    acts = list(acting(mind, command(action("DANCE", dance_type=thing(name=0))), name))
    assert sum(isinstance(act, Go) for act in acts) >= 2
    assert not any(isinstance(act, Edit) for act in acts)
    assert mind.world.agent == before


def test_for_ever_is_a_long_time_but_not_for_ever() -> None:
    acts = tell(Mind(scene()), "jump forever")
    assert "until you stop me" in said(acts)[0]
    assert 50 <= sum(isinstance(act, Go) for act in acts) <= 500


def test_it_says_the_given_words() -> None:
    assert said(tell(Mind(scene()), "say Hello there")) == ["Hello there"]


@pytest.mark.parametrize("kind", ["OTHERACTION", "MODIFY", "COMPOSITE_ACTION"])
def test_it_refuses_other_actions(kind: str) -> None:
    with pytest.raises(CannotDo, match="I do not know how to do that"):
        list(acting(Mind(scene()), command(action(kind)), "sing"))
