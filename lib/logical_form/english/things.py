"""English phrases for things: their kind, their properties, and the selection among them."""

from collections.abc import Sequence
from typing import Any

from lib.logical_form import Form
from lib.logical_form.english import vocabulary
from lib.logical_form.english.phrases import Phrases, both, dictionary, label_of, plain, type_of
from lib.logical_form.grammar.grammar import GRAMMAR
from lib.logical_form.grammar.types import Clauses, Option
from lib.logical_form.grammar.values import ATTRIBUTES, COMPARISONS, MEASURES
from lib.logical_form.spans import is_span


class Things(Phrases):
    """Writes things and their properties in English."""

    def __init__(self, tokens: Sequence[str]) -> None:
        super().__init__(tokens)
        self.nodes |= {
            "FILTERS": self.thing,
            "SCHEMATIC": self.described,
            "REFERENCE_OBJECT": self.described,
            "COMPARATOR": self.comparison,
            "TRIPLE": self.property,
            "ARGVAL": self.ranking,
            "LINEAR_EXTENT": lambda extent: self.attribute({"linear_extent": extent}),
        }

    # Things ------------------------------------------------------------------------------------------------------

    def described(self, thing: Form) -> str:
        """The phrase for a reference object or a schematic."""
        special = thing.get("special_reference")
        parts = []
        if isinstance(special, dict):
            parts.append(self.special(special))
        if "filters" in thing:
            parts.append(self.thing(dictionary(thing["filters"])))
        if not parts and "text_span" in thing:
            parts.append(self.quoted(thing["text_span"]))
        name = "SCHEMATIC" if "special_reference" not in thing else "REFERENCE_OBJECT"
        parts += self.rest(name, thing, ("special_reference", "filters", "text_span"))
        return ", ".join(parts) or "something"

    def special(self, special: Form) -> str:
        if "coordinates_span" in special:
            return f"the place {self.quoted(special['coordinates_span'])}"
        value = str(special.get("fixed_value"))
        return vocabulary.SPECIAL.get(value, plain(value))

    def thing(self, filters: Form, *, inside: bool = True, nouns: tuple[str, str, str] | None = None) -> str:
        """The phrase for a thing by its properties: “something named “house” (colour “red”)”.

        Args:
            inside: Whether the phrase stands inside a longer one, so the properties need brackets.
            nouns: Other words than “something”, “everything” and “thing”, for what is not a thing.
        """
        selector = dictionary(filters.get("selector"))
        names, details = self._names(filters.get("where_clause"), ("has_tag",) if nouns else ())
        head, which = self._head(filters, selector, nouns, names)
        details = [*which, *details]
        details += self._selected(selector)
        details += self.rest("FILTERS", filters, vocabulary.FILTERS_KEYS)
        if not details:
            return self._asked(filters.get("output"), head)
        whole = f"{head} ({', '.join(details)})" if inside else ", ".join((head, *details))
        return self._asked(filters.get("output"), whole)

    def _head(
        self, filters: Form, selector: Form, nouns: tuple[str, str, str] | None, names: list[str]
    ) -> tuple[str, list[str]]:
        """The phrase without the properties; and phrases for the selection, where the head does not express it."""
        one, every, these = nouns or vocabulary.NOUNS.get(str(filters.get("memory_type")), vocabulary.NOUN)
        one, every, these, many = (" ".join((noun, *names)) for noun in (one, every, these, f"{these}s"))
        which = selector.get("return_quantity")
        picked = ""
        if which == "ALL":
            picked = every
        elif which == "RANDOM":
            picked = f"any {these}"
        elif isinstance(which, dict) and "random" in which:
            picked = f"any {self.quoted(which['random'])} {many}"
        elif isinstance(which, dict) and "argval" in which:
            picked = self.ranking(dictionary(which["argval"]), these)
        elif which:
            picked = self.unknown(which)
        known = []
        if "special" in filters:
            known.append(" ".join(("this command", *names)))
        if filters.get("contains_coreference"):
            known.append(f"all of those {many}" if which == "ALL" else f"that {these}")
        if not known:
            return picked or one, []
        return known[0], [*known[1:], *([picked] if picked and which != "ALL" else [])]

    def _names(self, where: Any, more: Sequence[str]) -> tuple[list[str], list[str]]:
        """Phrases for the name and the material of the thing, and for its other properties."""
        names: dict[str, list[str]] = {name: [] for name in ("has_name", *more, "has_block_type")}
        details = []
        alone = isinstance(where, dict) and "AND" in where
        for clause in self.clauses(where):
            name = clause.get("pred_text")
            if alone and name in names and set(clause) == {"pred_text", "obj_text"}:
                names[name].append(self.object(clause["obj_text"]))
            elif clause:
                details.append(self.clause(clause))
        if isinstance(where, dict) and not alone:
            details = [f"not {both(details, 'nor')}" if "NOT" in where else both(details, "or")] if details else []
        return [f"{vocabulary.NAMES[name]} {both(found)}" for name, found in names.items() if found], details

    def _selected(self, selector: Form) -> list[str]:
        details = []
        if "ordinal" in selector:
            ordinal = selector["ordinal"]
            first = not is_span(ordinal) and dictionary(ordinal).get("fixed_value") == "FIRST"
            details.append("the first or just one" if first else f"number {self.words_or(ordinal)}")
        if "location" in selector:
            details.append(self.node("LOCATION", dictionary(selector["location"])))
        if "same" in selector:
            details.append(self.value(type_of("SELECTOR", "same"), selector["same"]))
        return details + self.rest("SELECTOR", selector, vocabulary.SELECTOR_KEYS)

    def _asked(self, output: Any, whole: str) -> str:
        if output == "COUNT":
            return f"how many there are of {whole}"
        if output == "MEMORY":
            return f"all that is known of {whole}"
        return (
            self.attribute(output["attribute"], whole) if isinstance(output, dict) and "attribute" in output else whole
        )

    # Properties of a thing ---------------------------------------------------------------------------------------

    def clauses(self, where: Any) -> list[Form]:
        """The members of a where_clause or of a group of clauses."""
        for members in dictionary(where).values():
            if isinstance(members, list):
                return [clause for clause in members if isinstance(clause, dict)]
        return []

    def clause(self, clause: Form) -> str:
        """The phrase for one clause: a property, a comparison, or a group of them."""
        members = [self.clause(one) for one in self.clauses(clause)]
        if "OR" in clause:
            return f"either {both(members, 'or')}" if len(members) > 1 else "".join(members)
        if "NOT" in clause:
            return f"not {both(members, 'nor')}"
        if "AND" in clause:
            return f"both {both(members)}" if len(members) > 1 else "".join(members)
        if "pred_text" in clause or "obj_text" in clause:
            return self.property(clause)
        return self.comparison(clause)

    def property(self, triple: Form) -> str:
        name, value = str(triple.get("pred_text", "")), triple.get("obj_text")
        known = isinstance(value, dict) and value.get("fixed_value")
        phrase = vocabulary.TAGS.get(str(known), "") if name == "has_tag" and known else ""
        if not phrase:
            label = vocabulary.PROPERTIES.get(name) or label_of(_properties(), name)
            phrase = f"{label} {self.object(value)}" if "obj_text" in triple else label
        subject = [f"told of {self.object(triple['subj_text'])}"] if "subj_text" in triple else []
        return ", ".join([phrase, *subject, *self.rest("TRIPLE", triple, ("pred_text", "obj_text", "subj_text"))])

    def object(self, value: Any) -> str:
        if isinstance(value, dict) and "filters" in value:
            return self.thing(dictionary(value["filters"]))
        known = dictionary(value).get("fixed_value")
        return vocabulary.SPECIAL.get(str(known)) or self.words_or(value)

    # Values, comparisons, rankings -------------------------------------------------------------------------------

    def comparison(self, comparator: Form) -> str:
        left = self.operand(comparator.get("input_left"))
        right = self.operand(comparator.get("input_right"))
        kind = comparator.get("comparison_type")
        how = self._compared(kind)
        measure = f" {self.measure(comparator['comparison_measure'])}" if "comparison_measure" in comparator else ""
        several = {"ANY": " for at least one of them", "ALL": " for all of them"}.get(
            str(comparator.get("set_comparison")), ""
        )
        more = self.rest("COMPARATOR", comparator, vocabulary.COMPARATOR_KEYS)
        return ", ".join((f"{left} {how} {right}{measure}{several}", *more))

    def _compared(self, kind: Any) -> str:
        if isinstance(kind, str):
            return label_of(COMPARISONS.options, kind)
        if not isinstance(kind, dict):
            return "compared with"
        details = []
        for name, phrase in (("close_tolerance", "within"), ("modulus", "beginning again after every")):
            value = kind.get(name)
            if is_span(value):
                details.append(f"{phrase} {self.quoted(value)}")
            elif value == "DEFAULT" and name == "modulus":
                details.append("beginning again as usual")
        details += self.rest("TOLERANCE", kind, ("close_tolerance", "modulus"))
        return f"is close to{f' ({both(details)})' if details else ''}"

    def operand(self, value: Any) -> str:
        inside = dictionary(value)
        if "value" in inside:
            return self.quoted(inside["value"])
        if "attribute" in inside:
            return self.attribute(inside["attribute"])
        if "filters" in inside:
            return self.thing(dictionary(inside["filters"]))
        return self.fixed(value) if value else "…"

    def measure(self, value: Any) -> str:
        return self.words_or(value, MEASURES)

    def attribute(self, attribute: Any, of: str = "it") -> str:
        """The phrase for an attribute of a thing: “the height of something named “house””."""
        if attribute == "CURRENT_TIME":
            return "what time it is now" if of in ("it", "something") else f"what time it is now, asked of {of}"
        if isinstance(attribute, str):
            form = vocabulary.ATTRIBUTES.get(attribute)
            return form.format(of) if form else f"{label_of(ATTRIBUTES, attribute)} ({of})"
        inside = dictionary(attribute)
        if "linear_extent" in inside:
            return self._extent(dictionary(inside["linear_extent"]), of)
        if "num_blocks" in inside:
            blocks = dictionary(dictionary(inside["num_blocks"]).get("block_filters"))
            return f"how many blocks {of} has that are {self.thing(blocks)}"
        if "task_info" in inside:
            what = dictionary(dictionary(inside["task_info"]).get("reference_object"))
            return f"what {of} did with {self.described(what)}"
        return self.unknown(attribute) or f"something about {of}"

    def _extent(self, extent: Form, of: str) -> str:
        source, to = extent.get("source"), extent.get("destination")
        ends = [f"from {self.node('END', dictionary(source))}"] if source else []
        ends += [f"to {self.node('END', dictionary(to))}"] if to else []
        if "relative_direction" in extent:
            ends.append(self.value(type_of("LINEAR_EXTENT", "relative_direction"), extent["relative_direction"]))
        if "frame" in extent:
            ends.append(self.value(type_of("LINEAR_EXTENT", "frame"), extent["frame"]))
        if "has_measure" in extent:
            ends.append(f"in {self.measure(extent['has_measure'])}")
        ends += self.rest("LINEAR_EXTENT", extent, vocabulary.EXTENT_KEYS)
        return " ".join((f"how far {of} is", *ends))

    def ranking(self, argval: Form, these: str = "thing") -> str:
        """The phrase for a ranking: “the thing nearest to the speaker”."""
        most = argval.get("polarity") != "MIN"
        attribute = dictionary(argval.get("quantity")).get("attribute")
        if isinstance(attribute, str) and attribute in vocabulary.SUPERLATIVES:
            phrase = f"the {vocabulary.SUPERLATIVES[attribute][0 if most else 1]} {these}"
        elif isinstance(attribute, dict) and set(dictionary(attribute.get("linear_extent"))) == {"source"}:
            source = self.node("END", dictionary(attribute["linear_extent"]["source"]))
            phrase = f"the {these} {'farthest from' if most else 'nearest to'} {source}"
        elif isinstance(attribute, dict) and "num_blocks" in attribute:
            blocks = self.thing(dictionary(dictionary(attribute["num_blocks"]).get("block_filters")))
            phrase = f"the {these} with the {'most' if most else 'fewest'} blocks that are {blocks}"
        else:
            of = f" of {self.attribute(attribute)}" if attribute else ""
            phrase = f"the {these} with the {'most' if most else 'least'}{of}"
        return ", ".join((phrase, *self.rest("ARGVAL", argval, ("polarity", "quantity"))))


def _properties() -> tuple[Option, ...]:
    node = GRAMMAR["WHERE"]
    assert isinstance(node, Clauses)  # noqa: S101 - the grammar has it so
    return node.properties
