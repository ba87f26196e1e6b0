"""English phrases for places, turns and conditions."""

from collections.abc import Sequence
from typing import Any

from lib.logical_form import Form
from lib.logical_form.english import vocabulary
from lib.logical_form.english.phrases import both, dictionary, plain, type_of
from lib.logical_form.english.things import Things
from lib.logical_form.grammar.actions import TIMES


class Places(Things):
    """Writes places, turns and conditions in English."""

    def __init__(self, tokens: Sequence[str]) -> None:
        super().__init__(tokens)
        self.nodes |= {
            "LOCATION": self.place,
            "END": self.end,
            "FACING": self.turn,
            "DANCE_TYPE": self.movement,
            "PROPER_CONDITION": self.when,
            "TIME_CONDITION": self.time,
            "MODIFICATION": self.modification,
        }

    # Places and turns --------------------------------------------------------------------------------------------

    def end(self, end: Form) -> str:
        if "location" in end:
            return self.place(dictionary(end["location"]), at="")
        return self.described(dictionary(end.get("reference_object")))

    def place(self, place: Form, *, at: str = "at") -> str:
        """The phrase for a place: “next to something named “house”, “five” “blocks” away”.

        Args:
            at: The preposition where the place has no direction.
        """
        direction = place.get("relative_direction")
        ends = [self.described(dictionary(place[name])) for name in vocabulary.TWO if name in place]
        if "reference_object" in place:
            ends.insert(0, self.described(dictionary(place["reference_object"])))
        parts = [self._directed(direction, ends, at)] if direction or ends else []
        if "contains_coreference" in place:
            parts.append("there")
        if "steps" in place or "has_measure" in place:
            parts.append(self._distance(place))
        if place.get("location_type") == "OTHER":
            parts.append("at a place that is hard to describe")
        parts += self.rest("LOCATION", place, vocabulary.PLACE_KEYS)
        if not parts and "text_span" in place:
            parts.append(f"{at} {self.quoted(place['text_span'])}".strip())
        return ", ".join(parts) or "somewhere"

    def _directed(self, direction: Any, ends: list[str], at: str) -> str:
        if not direction:
            where = both(ends)
            return where if where == vocabulary.SPECIAL["SPEAKER_LOOK"] and at != "to" else f"{at} {where}".strip()
        if at == "to" and ends == [vocabulary.SPECIAL["AGENT"]] and str(direction) in vocabulary.DIRECTIONS:
            return f"{vocabulary.DIRECTIONS[str(direction)][1]} from the assistant"
        with_end, alone = vocabulary.DIRECTIONS.get(
            str(direction), (f"{plain(str(direction))} of", plain(str(direction)))
        )
        return f"{with_end} {both(ends)}" if ends else alone

    def _distance(self, place: Form) -> str:
        if "steps" not in place:
            return f"in {self.measure(place['has_measure'])}"
        measure = self.measure(place["has_measure"]) if "has_measure" in place else "steps"
        return f"{self.quoted(place['steps'])} {measure} away"

    def turn(self, turn: Form) -> str:
        """The phrase for a turn: “to the left”."""
        parts = []
        for name, span, known in (
            ("relative_yaw", "yaw_span", vocabulary.YAWS),
            ("relative_pitch", "pitch_span", vocabulary.PITCHES),
        ):
            inside = dictionary(turn.get(name))
            if span in inside:
                parts.append(self.quoted(inside[span]))
            elif "fixed_value" in inside:
                value = str(inside["fixed_value"])
                parts.append(known.get(value, f"by {value} degrees"))
        parts += [f"by {self.quoted(turn[name])}" for name in ("yaw", "pitch", "yaw_pitch") if name in turn]
        if "location" in turn:
            parts.append(self.place(dictionary(turn["location"]), at="towards"))
        parts += self.rest("FACING", turn, vocabulary.TURN_KEYS)
        if not parts and "text_span" in turn:
            parts.append(self.quoted(turn["text_span"]))
        return " ".join(parts)

    def movement(self, movement: Form) -> str:
        """The phrase for a movement, with a verb: “turn to the left”."""
        parts = []
        for name, verb in (("body_turn", "turn"), ("look_turn", "look"), ("point", "point")):
            if name in movement:
                parts.append(f"{verb} {self.turn(dictionary(movement[name]))}".strip())
        if "filters" in movement:
            parts.append(f"do {self.thing(dictionary(movement['filters']), nouns=vocabulary.MOVEMENT)}")
        return both([*parts, *self.rest("DANCE_TYPE", movement, ("body_turn", "look_turn", "point", "filters"))])

    def modification(self, change: Form) -> str:
        kind = change.get("modify_type")
        phrase = [self.value(type_of("MODIFICATION", "modify_type"), kind)] if kind else []
        return ", ".join([*phrase, *self.rest("MODIFICATION", change, ("modify_type",))])

    # Conditions --------------------------------------------------------------------------------------------------

    def when(self, condition: Form) -> str:
        """A condition as a clause of its own: “it reaches “stone””."""
        kind = condition.get("condition_type")
        inner = condition.get("condition")
        expressed = ["condition_type", "condition_span"]
        match kind:
            case "NEVER":
                phrase = "nothing ends it"
            case "ADJACENT_TO_BLOCK_TYPE":
                phrase, expressed = f"it reaches {self.quoted(condition.get('block_type'))}", [*expressed, "block_type"]
            case "COMPARATOR":
                phrase, expressed = self._compared_condition(dictionary(inner)), [*expressed, "condition"]
            case "TIME":
                phrase, expressed = self.time(dictionary(inner)), [*expressed, "condition"]
            case "AND" | "OR":
                members = [self.when(dictionary(one)) for one in condition.get("conditions") or ()]
                phrase, expressed = both(members, str(kind).lower()) or "…", [*expressed, "conditions"]
            case "NOT":
                phrase, expressed = f"it is not so that {self.when(dictionary(inner))}", [*expressed, "condition"]
            case _:
                phrase = self.quoted(condition["condition_span"]) if "condition_span" in condition else "…"
        return ", ".join((phrase, *self.rest("PROPER_CONDITION", condition, expressed)))

    def _compared_condition(self, comparator: Form) -> str:
        times = self.times(comparator)
        return f"it was done {times}" if times else self.comparison(comparator)

    def times(self, comparator: Form) -> str:
        """“three” times, if the comparator counts how often this command was done; otherwise ""."""
        filled, span = TIMES.taken_out({"condition_type": "COMPARATOR", "condition": comparator})
        if not filled:
            return ""
        phrase = self.quoted(span)
        return (
            phrase if phrase.rstrip("”").endswith(("time", "times", "once", "twice", "thrice")) else f"{phrase} times"
        )

    def time(self, time: Form) -> str:
        parts = []
        if "special_time_event" in time:
            event = str(time["special_time_event"])
            parts.append(vocabulary.TIME_EVENTS.get(event, plain(event)))
        if "comparator" in time:
            parts.append(self.comparison(dictionary(time["comparator"])))
        if "event" in time:
            parts.append(f"counted from when {self.when(dictionary(time['event']))}")
        return (
            ", ".join([*parts, *self.rest("TIME_CONDITION", time, ("special_time_event", "comparator", "event"))])
            or "…"
        )

    def until(self, condition: Any) -> str:
        """The phrase for the end of an action: ““three” times”, “for ever”, “until it reaches “stone””."""
        node = dictionary(condition)
        kind = node.get("condition_type")
        if kind == "NEVER":
            return "for ever"
        if kind == "COMPARATOR" and (times := self.times(dictionary(node.get("condition")))):
            return times
        if kind == "OTHER" or set(node) == {"condition_span"}:
            phrase = self.quoted(node.get("condition_span"))
            own = phrase.lower().startswith(tuple(f"“{word}" for word in vocabulary.BEGIN_A_CONDITION))
            return phrase if own else f"until {phrase}"
        return f"until {self.when(node)}"
