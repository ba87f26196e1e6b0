"""Words in places: relations to a thing, directions, words for here and there. Data only."""

from collections.abc import Mapping


def _sides(side: str) -> tuple[str, ...]:
    return (
        *(f"{lead} {side}{tail} of" for lead in ("to the", "on the", "at the", "in the") for tail in ("", " side")),
        f"{side} of",
        f"{side} side of",
        f"on {side} of",
    )


RELATIONS: Mapping[str, str] = {
    **dict.fromkeys(_sides("left"), "LEFT"),
    **dict.fromkeys(_sides("right"), "RIGHT"),
    **dict.fromkeys(("in front of", "in the front of", "infront of", "before", "ahead of"), "FRONT"),
    **dict.fromkeys(("behind", "in back of", "at the back of", "to the back of", "to the rear of"), "BACK"),
    **dict.fromkeys(
        ("on top of", "on the top of", "at the top of", "to the top of", "atop", "above", "over", "on", "onto", "upon"),
        "UP",
    ),
    **dict.fromkeys(
        ("under", "below", "beneath", "underneath", "at the bottom of", "to the bottom of", "under neath"), "DOWN"
    ),
    **dict.fromkeys(
        (
            *("near", "near to", "next to", "by", "beside", "close to", "closer to", "adjacent to"),
            *("alongside", "along side", "at the side of", "right by", "against"),
        ),
        "NEAR",
    ),
    **dict.fromkeys(("around", "all around", "surrounding", "round"), "AROUND"),
    **dict.fromkeys(
        ("in", "inside", "inside of", "into", "within", "in the middle of", "in the center of", "in the centre of"),
        "INSIDE",
    ),
    **dict.fromkeys(("outside of", "outside", "out of"), "OUTSIDE"),
    **dict.fromkeys(("away from", "off", "off of", "far from", "far away from"), "AWAY"),
    **dict.fromkeys(("between", "in between", "in the middle between"), "BETWEEN"),
    **dict.fromkeys(("at", "across", "along"), ""),
}
"""Relations to the thing that follows; empty: the place of that thing itself."""
TOWARDS = frozenset({"to", "towards", "toward", "up to", "over to", "back to", "down to", "for", "through", "out to"})
"""Words before the place that a movement leads to."""
DIRECTIONS: Mapping[str, str] = {
    **dict.fromkeys(("left", "leftward", "leftwards"), "LEFT"),
    **dict.fromkeys(("right", "rightward", "rightwards"), "RIGHT"),
    **dict.fromkeys(("forward", "forwards", "ahead", "straight", "straight ahead", "front", "forwrd"), "FRONT"),
    **dict.fromkeys(("back", "backward", "backwards", "rear"), "BACK"),
    **dict.fromkeys(("up", "upward", "upwards", "higher"), "UP"),
    **dict.fromkeys(("down", "downward", "downwards", "lower"), "DOWN"),
    **dict.fromkeys(("away",), "AWAY"),
    **dict.fromkeys(("around",), "AROUND"),
    **dict.fromkeys(("outside", "out"), "OUTSIDE"),
    **dict.fromkeys(("inside", "in"), "INSIDE"),
    **dict.fromkeys(("nearby",), "NEAR"),
    **dict.fromkeys(("in front", "in the front"), "FRONT"),
    **dict.fromkeys(("behind",), "BACK"),
    **dict.fromkeys(("north",), "FRONT"),
    **dict.fromkeys(("south",), "BACK"),
    **dict.fromkeys(("east",), "RIGHT"),
    **dict.fromkeys(("west",), "LEFT"),
    **dict.fromkeys(("on top",), "UP"),
    **dict.fromkeys(("clockwise",), "CLOCKWISE"),
    **dict.fromkeys(("anticlockwise", "counterclockwise", "counter clockwise"), "ANTICLOCKWISE"),
}
"""Directions that stand alone, as the agent sees them."""
_SIDE_WORDS = {"left": "LEFT", "right": "RIGHT", "front": "FRONT", "back": "BACK", "rear": "BACK"}
WHOSE: Mapping[str, str] = {"my": "SPEAKER", "your": "AGENT", "the": "AGENT", "our": "SPEAKER"}
SIDED: Mapping[str, tuple[str, str]] = {
    f"{lead} {whose} {side}{tail}": (direction, who)
    for lead in ("to", "on", "at", "in", "towards", "toward")
    for whose, who in WHOSE.items()
    for side, direction in _SIDE_WORDS.items()
    for tail in ("", " side", " hand side")
} | dict.fromkeys(("closer", "close"), ("NEAR", "SPEAKER"))
"""“to my left”: the direction, and the person that it is relative to."""
HERE = frozenset({"here", "over here", "right here", "this way"})
THERE = frozenset(
    {"there", "over there", "right there", "up there", "down there", "in there", "that way", "this place", "that place"}
    | {"this spot", "that spot", "in this spot", "in that spot", "at this spot", "at that spot", "wherever", "anywhere"}
)
HEDGES = frozenset(
    {
        "over",
        "right",
        "directly",
        "just",
        "immediately",
        "straight",
        "somewhere",
        "all",
        "very",
        "back",
        "a bit",
        "a little",
    }
)
"""Words before a place that do not change it."""
