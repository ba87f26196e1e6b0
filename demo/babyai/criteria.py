"""The criteria of success in plain words: the rules of BabyAI's verifier for a worker who sees only the video."""

from demo.babyai.world import Goal, Thing


def criteria(goal: Goal, *, locked: bool = False) -> str:
    """The criteria of success for `goal`; `locked` adds the rule about keys.

    Raises:
        ValueError: The parts of the instruction have parts themselves, which a worker could not judge in one go.

    >>> criteria(Goal("lift", (Thing("blue key"),))).split(" (")[0]
    'Success: the first picture in which the agent carries the blue key'
    """
    leaves = goal.leaves()
    if any(leaf.parts for leaf in leaves):
        raise ValueError("an instruction of more than two parts")
    sentences = [_success(goal)]
    verbs = {leaf.verb for leaf in leaves}
    things = [thing for leaf in leaves for thing in leaf.things]
    if "go" in verbs:
        sentences.append("The agent is the red triangle and faces where the tip points; diagonally does not count.")
    if "put" in verbs:
        sentences.append("Right beside is above, below, left or right; diagonally does not count.")
        sentences += [f"Moving {_name(leaf.things[1])} does not count." for leaf in leaves if leaf.verb == "put"]
    for leaf in leaves:
        if leaf.verb == "lift":
            sentences.append(f"Putting {_name(leaf.things[0])} down again later changes nothing.")
    if "open" in verbs:
        sentences.append("Closing a door again later changes nothing.")
    for thing in things:
        if thing.any_of:
            sentences.append(f"There is more than one {thing.words}: any of them will do.")
    if any(thing.place for thing in things):
        sentences.append("Sides are as the agent sees them on the very first picture of the video.")
    if locked:
        sentences.append("A locked door opens only while the agent carries the key of its colour.")
    sentences.append("Detours and mistakes on the way do not matter.")
    sentences.append("If it is never done: failure, on the very last picture.")
    return " ".join(sentences)


def _success(goal: Goal) -> str:
    match goal.verb:
        case "and":
            one, other = (_done(part) for part in goal.parts)
            success = "Success: the first picture by which both have been done."
            return f"Two things, in any order: {one}; {other}. {success}"
        case "then":
            first, second = goal.parts
            again = "the door must then be opened anew" if second.verb == "open" else "it must then be done again"
            return (
                f"Two things, in this order: first, {_done(first)}; after that, {_done(second)}. "
                "Success: the first picture in which the second is done. "
                f"Doing the second before the first does not count; {again}."
            )
        case _:
            return f"Success: the first picture in which {_done(goal)}."


def _done(leaf: Goal) -> str:
    names = [_name(thing) for thing in leaf.things]
    match leaf.verb:
        case "go":
            return f"the agent stands right beside {names[0]} and faces it"
        case "lift":
            return f"the agent carries {names[0]} (see the strip below the map)"
        case "open":
            return f"the agent has opened {names[0]}"
        case "put":
            return f"the agent has set down {names[0]} right beside {names[1]}"
        case other:
            raise ValueError(f"an instruction of an unknown kind: {other}")


SIDES = {None: "", "left": " on its left", "right": " on its right", "front": " in front of it", "behind": " behind it"}


def _name(thing: Thing) -> str:
    return f"{'a' if thing.any_of else 'the'} {thing.words}{SIDES[thing.place]}"
