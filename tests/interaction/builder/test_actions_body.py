"""Moving, following, looking for, turning, looking, pointing, dancing, speaking."""

from typing import Any

import pytest

from annotation.logical_form import Form
from interaction.builder.acts import CannotDo, Edit, Go, Show
from interaction.builder.mind import Mind
from tests.interaction.builder.worlds import (
    GROUND,
    acting,
    action,
    command,
    cube,
    filters,
    obey,
    said,
    scene,
    seen_from,
    span,
    times,
)


def move(**location: Any) -> Form:
    return action("MOVE", location=location)


def test_it_comes_to_the_worker() -> None:
    mind = Mind(scene(agent=(2, 16)))
    obey(mind, command(action("MOVE", location=seen_from("SPEAKER"))), "come here")
    x, y, z = mind.world.agent_cell
    assert 1 <= max(abs(x - 10), abs(z - 4)) <= 2
    assert y == GROUND


def test_it_goes_so_many_steps_forward_and_back_as_it_looks() -> None:
    mind = Mind(scene())
    obey(mind, command(action("MOVE", location=seen_from("AGENT", "FRONT", steps=span(2)))), "go forward three steps")
    assert mind.world.agent_cell == (3, GROUND, 6)
    obey(mind, command(action("MOVE", location=seen_from("AGENT", "BACK", steps=span(2)))), "go back two steps")
    assert mind.world.agent_cell == (3, GROUND, 4)
    assert mind.world.agent.yaw == 0


def test_it_goes_to_a_thing() -> None:
    mind = Mind(scene(*cube(14, 14)))
    acts = obey(mind, command(move(reference_object=filters(name=3))), "go to the cube")
    x, _, z = mind.world.agent_cell
    assert max(abs(x - 14.5), abs(z - 14.5)) <= 3
    assert said(acts) == ["Here I am."]


def test_it_gets_on_top_of_a_thing() -> None:
    mind = Mind(scene(*cube(14, 14, 3)))
    obey(mind, command(move(reference_object=filters(name=1), relative_direction="UP")), "climb cube")
    x, y, z = mind.world.agent_cell
    assert y == GROUND + 3
    assert 14 <= x <= 16
    assert 14 <= z <= 16


def test_it_goes_over_and_over_if_told_so() -> None:
    mind = Mind(scene())
    location = seen_from("AGENT", "FRONT", steps=span(1))
    obey(mind, command(action("MOVE", location=location, terminate_condition=times(2))), "forward 1 four times")
    assert mind.world.agent_cell == (3, GROUND, 7)


def test_it_follows_the_worker_until_they_stand_still() -> None:
    mind = Mind(scene())
    form = command(action("MOVE", location=seen_from("SPEAKER"), terminate_condition={"condition_type": "NEVER"}))
    went = 0
    for act in acting(mind, form, "follow me"):
        if isinstance(act, Go) and went < 8:
            went += 1
            mind.saw_player(mind.world.player._replace(z=mind.world.player.z + 1))
    x, _, z = mind.world.agent_cell
    assert mind.world.player_cell[2] == 12
    assert max(abs(x - 10), abs(z - 12)) <= 2


def test_what_it_looks_for_it_goes_to_and_points_at() -> None:
    mind = Mind(scene(*cube(14, 14)))
    acts = obey(mind, command(action("SCOUT", reference_object=filters(name=1))), "find cube")
    assert [act for act in acts if isinstance(act, Show)] == [Show((14, GROUND, 14), (15, GROUND + 1, 15))]


# Turning ----------------------------------------------------------------------------------------------------------


def turn(**facing: Any) -> Form:
    return command(action("DANCE", dance_type={"body_turn": facing}))


@pytest.mark.parametrize(("degrees", "yaw"), [("-90", 90), ("90", -90), ("180", 180), ("-45", 45), ("360", 0)])
def test_a_turn_to_the_left_is_negative_in_forms_and_positive_in_poses(degrees: str, yaw: float) -> None:
    mind = Mind(scene())
    obey(mind, turn(relative_yaw={"fixed_value": degrees}), "turn")
    assert mind.world.agent.yaw == yaw


def test_a_turn_in_words_is_read() -> None:
    mind = Mind(scene())
    obey(mind, turn(relative_yaw={"yaw_span": span((1, 3))}), "turn 30 degrees left")
    assert mind.world.agent.yaw == 30


def test_it_looks_up_and_down_but_not_over() -> None:
    mind = Mind(scene())
    look = command(action("DANCE", dance_type={"look_turn": {"relative_pitch": {"fixed_value": "45"}}}))
    obey(mind, look, "look up")
    assert mind.world.agent.pitch == 45
    obey(mind, look, "look up")
    assert mind.world.agent.pitch <= 90


def test_it_looks_at_a_thing() -> None:
    mind = Mind(scene(*cube(3, 10)))
    at = {"look_turn": {"location": {"reference_object": filters(name=2)}}}
    obey(mind, command(action("DANCE", dance_type=at)), "look at cube")
    seen = mind.world.looked_at(mind.world.agent)
    assert seen is not None
    assert seen[0][2] == 10


def test_pointing_lets_the_thing_flash() -> None:
    mind = Mind(scene(*cube(14, 14)))
    at = {"point": {"location": {"reference_object": filters(name=2)}}}
    acts = obey(mind, command(action("DANCE", dance_type=at)), "point at cube")
    assert Show((14, GROUND, 14), (15, GROUND + 1, 15)) in acts


@pytest.mark.parametrize("name", ["jump", "spinning", "nod", "dance", "wave", "bow", "tango"])
def test_a_movement_ends_where_it_began_and_changes_nothing(name: str) -> None:
    mind = Mind(scene())
    before = mind.world.agent
    acts = obey(mind, command(action("DANCE", dance_type=filters(name=0))), name)
    assert sum(isinstance(act, Go) for act in acts) >= 2
    assert not any(isinstance(act, Edit) for act in acts)
    assert mind.world.agent[:4] == before[:4]
    assert mind.world.agent.yaw == before.yaw


def test_for_ever_is_a_long_time_but_not_for_ever() -> None:
    mind = Mind(scene())
    form = command(
        action("DANCE", dance_type=filters(name=0), terminate_condition={"condition_type": "NEVER"}),
    )
    acts = obey(mind, form, "jump forever")
    assert "until you stop me" in said(acts)[0]
    assert 50 <= sum(isinstance(act, Go) for act in acts) <= 500


# Speaking ---------------------------------------------------------------------------------------------------------


def test_it_says_what_it_is_told_to() -> None:
    acts = obey(Mind(scene()), command(action("SAY", say_span=span((1, 2)))), "say Hello there")
    assert said(acts) == ["Hello there"]


@pytest.mark.parametrize("kind", ["OTHERACTION", "MODIFY", "COMPOSITE_ACTION"])
def test_what_it_cannot_do_it_says(kind: str) -> None:
    with pytest.raises(CannotDo, match="I do not know how to do that"):
        obey(Mind(scene()), command(action(kind)), "sing")


def test_it_comes_down_from_a_roof() -> None:
    roof = scene(*cube(3, 3, 3)) | {"agent": {"x": 4, "y": GROUND + 3, "z": 4, "pitch": 0, "yaw": 0}}
    mind = Mind(roof)
    obey(mind, command(action("MOVE", location=seen_from("AGENT", "DOWN"))), "come down")
    assert mind.world.agent_cell[1] == GROUND


def test_it_walks_around_a_thing() -> None:
    mind = Mind(scene(*cube(9, 10, 3)))
    acts = obey(mind, command(move(reference_object=filters(name=2), relative_direction="AROUND")), "walk around cube")
    sides = {
        (pose.x < 9, pose.x > 11, pose.z < 10, pose.z > 12)
        for act in acts
        if isinstance(act, Go)
        for pose in [act.pose]
    }
    assert len(sides) == 8


def test_it_does_not_climb_on_things_that_are_in_its_way() -> None:
    mind = Mind(scene(*cube(2, 5, 3)))
    acts = obey(mind, command(action("MOVE", location=seen_from("AGENT", "FRONT", steps=span(2)))), "go forward three")
    assert mind.world.agent_cell[1] == GROUND
    assert said(acts) == ["I cannot get any closer."]
