"""The words for what counts say what the verifier checks."""

import pytest

from demo.babyai.criteria import criteria
from demo.babyai.world import Goal, Thing

KEY, BOX, DOOR = Thing("blue key"), Thing("red box"), Thing("green door")


@pytest.mark.parametrize(
    ("goal", "says"),
    [
        (Goal("go", (BOX,)), "the agent stands right beside the red box and faces it."),
        (Goal("lift", (KEY,)), "the agent carries the blue key (see the strip below the map)."),
        (Goal("open", (DOOR,)), "the agent has opened the green door."),
        (Goal("put", (KEY, BOX)), "the agent has set down the blue key right beside the red box."),
        (Goal("put", (KEY, BOX)), "Moving the red box does not count."),
        (Goal("lift", (Thing("ball", any_of=True),)), "There is more than one ball: any of them will do."),
        (Goal("lift", (Thing("ball", place="left"),)), "the agent carries the ball on its left (see"),
        (Goal("lift", (Thing("ball", place="left"),)), "Sides are as the agent sees them on the very first picture"),
        (Goal("and", parts=(Goal("go", (BOX,)), Goal("lift", (KEY,)))), "Two things, in any order: the agent stands"),
        (Goal("then", parts=(Goal("go", (BOX,)), Goal("lift", (KEY,)))), "it must then be done again."),
        (Goal("then", parts=(Goal("go", (BOX,)), Goal("open", (DOOR,)))), "the door must then be opened anew."),
    ],
)
def test_criteria_say(goal: Goal, says: str) -> None:
    assert says in criteria(goal)
    assert criteria(goal).endswith("If it is never done: failure, on the very last picture.")


def test_keys_are_explained_only_if_a_door_is_locked_and_many_parts_are_refused() -> None:
    assert "key of its colour" in criteria(Goal("lift", (BOX,)), locked=True)
    assert "key of its colour" not in criteria(Goal("lift", (BOX,)))
    two = Goal("and", parts=(Goal("go", (BOX,)), Goal("lift", (KEY,))))
    with pytest.raises(ValueError, match="more than two parts"):
        criteria(Goal("then", parts=(two, Goal("open", (DOOR,)))))
