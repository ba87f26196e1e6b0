"""English text of actions, of sequences of actions, and of whole forms."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lib.logical_form import Form
from lib.logical_form.english import vocabulary
from lib.logical_form.english.phrases import both, dictionary, label_of, plain
from lib.logical_form.english.places import Places
from lib.logical_form.grammar.grammar import GRAMMAR
from lib.logical_form.grammar.types import Tagged

_AROUND = ("terminate_condition", "init_condition", "spatial_control", "dialogue_target", "replace")
"""Keys that concern all actions of an event."""


class Commands(Places):
    """Writes whole forms of one command in English."""

    def __init__(self, tokens: Sequence[str]) -> None:
        super().__init__(tokens)
        self._actions: Mapping[str, Callable[[Form], tuple[str, tuple[str, ...]]]] = {
            "BUILD": self._build,
            "MOVE": self._move,
            "DANCE": self._dance,
            "DIG": self._dig,
            "FILL": self._fill,
            "GET": self._get,
            "SPAWN": lambda action: (f"make {self._what(action, 'something')} appear", ("reference_object",)),
            "SCOUT": lambda action: (f"look for {self._what(action, 'something')}", ("reference_object",)),
            "FREEBUILD": lambda action: (f"finish {self._what(action, 'something')}", ("reference_object",)),
            "DESTROY": lambda action: (f"destroy {self._what(action, 'something')}", ("reference_object",)),
            "STOP": self._about_an_action,
            "RESUME": self._about_an_action,
            "UNDO": self._about_an_action,
            "SAY": lambda action: (f"say {self.quoted(action.get('say_span'))}", ("say_span",)),
            "MODIFY": self._modify,
            "OTHERACTION": self._other,
        }
        self.nodes |= {
            "ACTION": self.event,
            "EVENT": self.event,
            "ROOT": self.root,
            "MEMORY_DATA": self._known,
            "NEW_TRIPLE": self._remembered,
        }

    def root(self, form: Form) -> str:
        """The sentence for a whole form, without its capital and its full stop."""
        filters = dictionary(form.get("filters"))
        expressed: tuple[str, ...] = ("dialogue_type", "filters")
        match form.get("dialogue_type"):
            case "HUMAN_GIVE_COMMAND":
                return (
                    self.event(form, "ROOT") if "event_sequence" in form else self._around("do something", form, "ROOT")
                )
            case "GET_MEMORY":
                asked = "output" in filters
                phrase = f"tell {self.thing(filters)}" if asked else f"answer a question about {self.thing(filters)}"
                phrase = phrase if filters else "answer a question"
            case "PUT_MEMORY":
                phrase, expressed = self._memory(form, filters), (*expressed, "upsert")
            case "GET_CAPABILITIES":
                action = form.get("action_type")
                phrase = f"tell {vocabulary.CAPABILITIES.get(str(action), 'what it can do')}"
                expressed = (*expressed, "action_type")
            case "BOT_CAPABILITIES":
                phrase = "tell in general how it can help"
            case "OTHERACTION":
                phrase = "do something that no assistant in this world could do"
            case "NOOP":
                phrase = "this is not a command"
            case _:
                return ", ".join(self.rest("ROOT", form, ()))
        return self._around(phrase, form, "ROOT", expressed)

    def _memory(self, form: Form, filters: Form) -> str:
        known = self._known(dictionary(dictionary(form.get("upsert")).get("memory_data")))
        of = f" of {self.thing(filters)}" if filters else ""
        return f"remember{of}: {known}" if known else f"remember something{of}"

    def _known(self, data: Form) -> str:
        """The phrase for the data that should be remembered."""
        if "reward_value" in data:
            return label_of(vocabulary.REWARDS, data["reward_value"])
        triples = [dictionary(one) for one in data.get("triples") or ()]
        return both([self._remembered(triple) for triple in triples if triple])

    def _remembered(self, triple: Form) -> str:
        name = str(triple.get("pred_text", ""))
        label = vocabulary.REMEMBERED.get(name, f"its {plain(name.removeprefix('has_'))} is")
        phrase = f"{label} {self.words_or(triple['obj_text'])}" if "obj_text" in triple else f"{label} …"
        return ", ".join((phrase, *self.rest("NEW_TRIPLE", triple, ("pred_text", "obj_text"))))

    # Actions and sequences ---------------------------------------------------------------------------------------

    def event(self, event: Form, name: str = "") -> str:
        """The phrase for one action, or for several with the conditions on all of them."""
        if "event_sequence" not in event:
            return self._action(event) if "action_type" in event else self._around("do something", event, "EVENT")
        found = event["event_sequence"]
        steps = [dictionary(one) for one in found] if isinstance(found, list) else []
        phrase = [f"({self.event(one)})" if _is_bare_sequence(one) else self.event(one) for one in steps]
        about = [one for one in _AROUND if one in event]
        whole = ", then ".join(phrase) or "do something"
        return self._around(
            f"({whole})" if about and len(phrase) > 1 else whole, event, name or "EVENT", ("event_sequence",)
        )

    def _action(self, action: Form) -> str:
        kind = str(action.get("action_type"))
        say = self._actions.get(kind)
        phrase, expressed = say(action) if say else (vocabulary.VERBS.get(kind, (label_of(_actions(), kind),))[0], ())
        if "location" in action and "location" not in expressed:
            phrase, expressed = f"{phrase}, {self.place(dictionary(action['location']))}", (*expressed, "location")
        return self._around(phrase, action, "ACTION", ("action_type", *expressed))

    def _around(self, phrase: str, event: Form, name: str, expressed: Sequence[str] = ()) -> str:
        """The phrase with the other keys of the event around it: to whom, how often, from when on."""
        parts = [phrase, *self.rest(name, event, (*expressed, *_AROUND, "dialogue_type"))]
        if "spatial_control" in event:
            direction = dictionary(event["spatial_control"]).get("direction_information")
            parts.append(f"each next one {vocabulary.DIRECTIONS.get(str(direction), ('', plain(str(direction))))[1]}")
        if "terminate_condition" in event:
            parts.append(self.until(event["terminate_condition"]))
        if "init_condition" in event:
            parts.append(f"beginning when {self.when(dictionary(event['init_condition']))}")
        if event.get("replace"):
            parts.append("in place of the command before")
        whole = ", ".join(parts)
        if "dialogue_target" not in event:
            return whole
        target = event["dialogue_target"]
        whom = self.thing(dictionary(target["filters"])) if isinstance(target, dict) and "filters" in target else ""
        whom = whom or {"AGENT": "the assistant", "SWARM": "all assistants"}.get(str(target), "the assistant")
        return f"tell {whom}: {whole}"

    def _what(self, action: Form, other: str) -> str:
        thing = action.get("reference_object")
        return self.described(dictionary(thing)) if thing else other

    def _made(self, schematic: Any) -> str:
        """The phrase for the thing to make, without brackets, since it comes first in the sentence."""
        inside = dictionary(schematic)
        only = set(inside) <= {"text_span", "filters"} and inside.get("filters")
        return self.thing(dictionary(inside["filters"]), inside=False) if only else self.described(inside)

    def _build(self, action: Form) -> tuple[str, tuple[str, ...]]:
        expressed = ("schematic", "reference_object")
        if "reference_object" not in action:
            return f"build {self._made(action['schematic']) if 'schematic' in action else 'something'}", expressed
        copied = self._what(action, "something")
        if "schematic" not in action:
            return f"copy {copied}", expressed
        return f"build {self._made(action['schematic'])}, as a copy of {copied}", expressed

    def _move(self, action: Form) -> tuple[str, tuple[str, ...]]:
        expressed = ("location", "dance_type")
        where = f"go {self.place(dictionary(action['location']), at='to')}" if "location" in action else "go somewhere"
        how = f", on the way {self.movement(dictionary(action['dance_type']))}" if "dance_type" in action else ""
        return f"{where}{how}", expressed

    def _dance(self, action: Form) -> tuple[str, tuple[str, ...]]:
        movement = self.movement(dictionary(action.get("dance_type")))
        return movement or "turn, look, point or move in a certain way", ("dance_type",)

    def _dig(self, action: Form) -> tuple[str, tuple[str, ...]]:
        expressed = ("schematic", "reference_object")
        phrase = f"dig {self._made(action['schematic'])}" if "schematic" in action else "dig"
        if "reference_object" not in action:
            return phrase, expressed
        out = f"dig out {self._what(action, 'something')}"
        return (out if "schematic" not in action else f"{phrase}, {out}"), expressed

    def _fill(self, action: Form) -> tuple[str, tuple[str, ...]]:
        using = f" with {self._made(action['schematic'])}" if "schematic" in action else ""
        return f"fill {self._what(action, 'something')}{using}", ("reference_object", "schematic")

    def _get(self, action: Form) -> tuple[str, tuple[str, ...]]:
        phrase = f"get {self._what(action, 'something')}"
        if "source" in action:
            phrase += f" from {self.end(dictionary(action['source']))}"
        if "receiver" in action:
            receiver = dictionary(action["receiver"])
            to = "to " if "reference_object" in receiver else ""
            place = self.place(dictionary(receiver.get("location")), at="to")
            phrase += f" and bring it {to}{self.end(receiver) if to else place}"
        return phrase, ("reference_object", "source", "receiver")

    def _modify(self, action: Form) -> tuple[str, tuple[str, ...]]:
        how = f": {self.modification(dictionary(action['modify_dict']))}" if "modify_dict" in action else ""
        return f"change {self._what(action, 'something')}{how}", ("reference_object", "modify_dict")

    def _other(self, action: Form) -> tuple[str, tuple[str, ...]]:
        using = f" with {self._what(action, '')}" if "reference_object" in action else ""
        return f"do something else{using}", ("reference_object",)

    def _about_an_action(self, action: Form) -> tuple[str, tuple[str, ...]]:
        verb = vocabulary.VERBS[str(action.get("action_type"))][0]
        target = action.get("target_action_type")
        if not target:
            return f"{verb} {'with ' if verb == 'go on' else ''}what is being done", ("target_action_type",)
        known = str(dictionary(target).get("fixed_value"))
        what = vocabulary.VERBS[known][1] if known in vocabulary.VERBS else self.words_or(target)
        return f"{verb} {'with ' if verb == 'go on' else ''}{what}", ("target_action_type",)


def _is_bare_sequence(step: Form) -> bool:
    """Whether a step consists of several steps, without a condition on all of them."""
    return len(step.get("event_sequence") or ()) > 1 and not set(step) & set(_AROUND)


def _actions() -> tuple[Any, ...]:
    node = GRAMMAR["ACTION"]
    assert isinstance(node, Tagged)  # noqa: S101 - the grammar has it so
    return tuple(one.option for one in node.variants)
