"""Answers to questions about things, the agent and the worker."""

from collections.abc import Iterator, Sequence

from builder.acting.actions.spawn import CREATURES
from builder.acting.acts import Act, Acts, Found, Say, Show
from builder.acting.shapes import KINDS
from builder.meaning.clauses import LIKELY, ClauseMatcher
from builder.meaning.finder import Finder, Finding
from builder.meaning.lexicon import is_anything, plain_words, singular, word_set
from builder.talking import sentences
from builder.world.frames import gap_between
from builder.world.measures import distance_between
from builder.world.memory import Memory, bounds
from builder.world.names import a, colour_and_noun, kinds_of, plural, the
from builder.world.things import Thing, figure_of
from builder.world.world import World
from lib.logical_form import Form
from lib.logical_form.english.phrases import both, dictionary

_ABLE = {
    "BUILD": f"I can build {both([plural(kind) for kind in KINDS if kind != 'stairs'])} and stairs, small or big, "
    "in any colour, and copy what is there.",
    "PUT_MEMORY": "I can remember what you call a thing: say “call this my house”, and ask for it by that name later.",
    "GET_MEMORY": "I can tell you where things are, what they are, how many there are, their colour and their size, "
    "where you and I are, and what I did.",
}
_ANY = (
    "I can build, copy, destroy and fill things, dig holes, bring things, go places, follow you, look, turn, point and "
    f"dance, and spawn {both([plural(one) for one in CREATURES])}. I answer questions "
    "about what is here, remember names that you give to things, and can stop, resume and undo what I do."
)
_ASKS_WHAT = word_set("what what's whats which who tell name list")
_REMEMBER = word_set("remember recall know")
_SEEN = word_set("seen see spotted spot noticed notice found")
_LEADS = word_set(
    "what what's whats who which where is are was were there can you do see tell me have seen name of any"
)
"""Words of a question before its subject."""
_SURE = 0.65
"""The least fit for the answer "yes" and for being counted."""
_MOST_TOLD = 3


def answer(world: World, memory: Memory, form: Form, tokens: Sequence[str]) -> Acts:
    """Answer a question (GET_MEMORY), or list abilities (GET_CAPABILITIES, BOT_CAPABILITIES).

    The agent points at the things of the answer, and they count as mentioned last.
    """
    if form.get("dialogue_type") == "BOT_CAPABILITIES":
        yield Say(_ANY)
    elif form.get("dialogue_type") == "GET_CAPABILITIES":
        yield Say(_ABLE.get(str(form.get("action_type")), _ANY))
    else:
        yield from _Answer(world, memory, dictionary(form.get("filters")), tokens).acts()


class _Answer:
    def __init__(self, world: World, memory: Memory, filters: Form, tokens: Sequence[str]) -> None:
        self.world = world
        self.memory = memory
        self.filters = filters
        self.tokens = tokens
        self.lowered = [word.lower().strip(".,?!") for word in tokens]
        self.finder = Finder(world, memory, tokens)
        self.output = filters.get("output")
        self.attribute = dictionary(self.output).get("attribute")

    def acts(self) -> Iterator[Act]:
        if self.attribute == "CURRENT_TIME":
            yield Say(f"I have no clock. This is the {_nth(max(self.memory.number, 1))} thing that you say to me.")
        elif self.filters.get("memory_type") in ("TASKS", "PROGRAM", "CHAT"):
            yield Say(self._about_commands())
        elif self.filters.get("memory_type") == "ALL" and not self.filters.get("where_clause"):
            yield from self._about_all()
        elif not self.filters and {"looking", "pointing"} & set(self.lowered):
            looked_at = {"reference_object": {"special_reference": {"fixed_value": "SPEAKER_LOOK"}}}
            self.attribute = "NAME"
            yield from self._about_things(
                self.finder.find_by_filters({"selector": {"location": looked_at}}, phrase="that")
            )
        elif not self.filters:
            yield Say("I do not know that. Ask me where something is, what it is, or how many there are.")
        else:
            found = self.finder.find_by_filters(self._asked_about(), phrase=self._phrase())
            if found.candidates and found.candidates[0].figure:
                yield Say(self._about_figure(found.candidates[0]))
            else:
                yield from self._about_things(found)

    def _asked_about(self) -> Form:
        """The description of the things. “Is that a tree?” is about the thing pointed at, whatever it is."""
        if self.output == "MEMORY" and self.filters.get("contains_coreference"):
            return {name: part for name, part in self.filters.items() if name != "where_clause"}
        if self._counts_blocks():
            # "How many blocks is the tower made of" looks for the tower.
            names = [one for one in self._clauses() if not self._names_blocks(one)]
            return {**self.filters, "where_clause": {"AND": names}} if names else self.filters
        return self.filters

    def _clauses(self) -> list[Form]:
        members = dictionary(self.filters.get("where_clause")).get("AND") or []
        return [dictionary(one) for one in members]

    def _names_blocks(self, clause: Form) -> bool:
        said = plain_words(self.finder.measures.words(clause.get("obj_text")))
        return clause.get("pred_text") == "has_name" and bool(said) and set(said) <= word_set("block blocks voxels")

    def _counts_blocks(self) -> bool:
        """True if the question asks for the number of blocks in a thing, and not for the number of things."""
        begins = self.lowered[:3] in (["how", "many", "blocks"], ["how", "many", "voxels"])
        return self.output == "COUNT" and begins and not all(self._names_blocks(one) for one in self._clauses())

    def _phrase(self) -> str:
        """The words for the subject if the question does not name it: “to the left of the square”."""
        if self.filters.get("where_clause") or "selector" not in self.filters:
            return ""
        start = next((place for place, word in enumerate(self.lowered) if word not in _LEADS), 0)
        return " ".join(self.tokens[start:]).rstrip("?.! ")

    # About things ------------------------------------------------------------------------------------------------

    def _about_things(self, found: Finding) -> Iterator[Act]:
        things = self._things_told(found)
        yield Found(found.phrase, tuple(sorted(cell for one in things for cell in one.cells)))
        if not things:
            yield Say(self._nothing(found))
            return
        self.memory.mention(cell for one in things for cell in one.cells)
        if self.output != "COUNT":
            for one in things[:_MOST_TOLD]:
                yield Show(*bounds(one.cells))
        yield Say(self._sentence_about(things, found))

    def _about_all(self) -> Iterator[Act]:
        """Lists all things, nearest to the worker first, and the names that the worker gave them."""
        me = figure_of(self.world, "worker")
        things = sorted(self.finder.things, key=lambda one: distance_between(one, me))
        for one in things[:_MOST_TOLD]:
            yield Show(*bounds(one.cells))
        if len(things) == 1:
            self.memory.mention(things[0].cells)
        if self.attribute == "COLOUR" and things:
            yield Say(sentences.colours(things))
        else:
            remembered = f" {self._done()}" if _REMEMBER & set(self.lowered) else ""
            yield Say(f"{sentences.inventory(me, things)}{remembered}")

    def _things_told(self, found: Finding) -> tuple[Thing, ...]:
        """The things of the answer: all that fit for "how many" and "is there", else those that are meant."""
        if self._counts_blocks():
            return found.candidates[:1]
        if self.output == "COUNT" or (self.output == "MEMORY" and not self.filters.get("contains_coreference")):
            return tuple(one for one, fit in zip(found.all, found.fits, strict=True) if fit >= _SURE)
        if "location" in dictionary(self.filters.get("selector")) and self._lists():
            return tuple(one for one in found.all if self._is_near(one, found.all[0]))
        return found.candidates if len(found.candidates) > found.wanted and self._lists() else found.chosen

    def _lists(self) -> bool:
        """True if the question asks which things there are, and not about one particular thing."""
        return self.attribute in ("NAME", "REF_TYPE", "TAG", "LOCATION") or self.output is None

    def _is_near(self, thing: Thing, first: Thing) -> bool:
        me = figure_of(self.world, "worker")
        return thing is first or gap_between(thing, me) <= 2 * gap_between(first, me) + 2

    def _sentence_about(self, things: Sequence[Thing], found: Finding) -> str:
        first = things[0]
        others = self.finder.things
        match self.attribute:
            case "LOCATION" | "X" | "Y" | "Z":
                yes = "Yes. " if _SEEN & set(self.lowered) and self.lowered[0] not in ("where", "what") else ""
                return yes + sentences.whereabouts(self.world, things)
            case "COLOUR":
                return sentences.colours(things)
            case "SIZE":
                return sentences.sizes(first, others)
            case "HEIGHT":
                side = "deep" if first.is_hole else "high"
                return f"{the(first).capitalize()} is {sentences.count_of(first.box[1], 'block')} {side}."
            case "WIDTH":
                return (
                    f"{the(first).capitalize()} is {sentences.count_of(max(first.box[0], first.box[2]), 'block')} wide."
                )
            case "BLOCK_TYPE":
                return sentences.materials(first)
            case "TAG" if first.tags:
                return f"It is called {both([f'“{tag}”' for tag in sorted(first.tags)])}."
            case "BORN_TIME" | "MODIFY_TIME" | "FINISHED_TIME":
                return sentences.history(self.memory, first)
        if isinstance(self.attribute, dict):
            return self._measured(first)
        if self.output == "COUNT":
            return self._counted(things, found)
        if self.output == "MEMORY" and not (_ASKS_WHAT & set(self.lowered[:1])):
            return self._yes_or_no(things)
        if len(things) == 1 and not dictionary(self.filters.get("selector")).get("location"):
            return sentences.what_it_is(first)
        return f"There {'is' if len(things) == 1 else 'are'} {sentences.listed(things)}."

    def _measured(self, thing: Thing) -> str:
        """A distance, or a number of blocks."""
        value = self.finder.measures.of(thing, self.attribute)
        if not isinstance(value, float):
            return f"I cannot measure that of {the(thing)}."
        if "num_blocks" in dictionary(self.attribute):
            return f"{the(thing).capitalize()} has {sentences.count_of(int(value), 'such block')}."
        return f"{the(thing).capitalize()} is {sentences.count_of(int(value), 'block')} away."

    def _counted(self, things: Sequence[Thing], found: Finding) -> str:
        if self._counts_blocks():
            return f"{the(things[0]).capitalize()} has {sentences.count_of(things[0].count, 'block')}."
        are = "is" if len(things) == 1 else "are"
        noun = self._noun(found)
        return f"There {are} {sentences.count_of(len(things), noun)}."

    def _noun(self, found: Finding) -> str:
        """The singular noun for counted things: the worker's word if it fits all of them."""
        name = singular(plain_words(found.phrase.split())[-1]) if plain_words(found.phrase.split()) else ""
        if found.all and name and not is_anything(name) and all(name in kinds_of(one) for one in found.all):
            same = {colour_and_noun(one) for one in found.all}
            return same.pop() if len(same) == 1 else name
        same = {colour_and_noun(one) for one in found.all}
        return same.pop() if len(same) == 1 else "thing"

    def _yes_or_no(self, things: Sequence[Thing]) -> str:
        """Yes or no to “is there such a thing?” or “is that one?”, with the things that were found."""
        if not self.filters.get("contains_coreference"):
            return f"Yes, there {'is' if len(things) == 1 else 'are'} {sentences.listed(things)}."
        where = self.filters.get("where_clause")
        is_so = ClauseMatcher(self.finder.measures, self.finder.things).fit(where, things[0]) >= LIKELY
        return f"{'Yes' if is_so else 'No'}, that is {a(things[0])}."

    def _nothing(self, found: Finding) -> str:
        """The sentence if no thing fits, as an answer to the question."""
        tags = [one for one in self._clauses() if one.get("pred_text") == "has_tag"]
        if tags and self.output != "COUNT":
            called = " ".join(self.finder.measures.words(tags[0].get("obj_text")))
            return f"I know nothing that is marked as “{called}”."
        if self.output == "COUNT":
            return f"There are none. {sentences.nothing_like(found.phrase)}"
        if self._phrase():
            return f"I see nothing {sentences.from_agents_view(found.phrase)}."
        if self.output == "MEMORY" or _SEEN & set(self.lowered):
            return f"No. {sentences.nothing_like(found.phrase)}"
        return sentences.nothing_like(found.phrase)

    # About the agent and the worker ------------------------------------------------------------------------------

    def _about_figure(self, who: Thing) -> str:
        is_agent = who.figure == "agent"
        match self.attribute:
            case "NAME" | "REF_TYPE" | "TAG" if is_agent:
                return "I am your assistant. I build what you ask for, and answer questions about this world."
            case "NAME" | "REF_TYPE" | "TAG":
                return "I do not know your name. You are the one who tells me what to do."
            case "HEIGHT" | "SIZE" | "WIDTH":
                return f"{'I am' if is_agent else 'You are'} two blocks high."
            case "HEAD_PITCH" | "HEAD_YAW" | "BODY_YAW":
                pose = self.world.agent if is_agent else self.world.player
                return f"{'My' if is_agent else 'Your'} yaw is {pose.yaw:g} degrees, and the pitch {pose.pitch:g}."
        if isinstance(self.attribute, dict):
            return self._measured(who)
        return sentences.figure_whereabouts(self.world, who, self.finder.things)

    def _about_commands(self) -> str:
        """The commands that the agent carries out, carried out, or heard; without the question itself."""
        before = self.memory.commands[:-1]
        if self.filters.get("memory_type") == "CHAT":
            return f"You said “{before[-1].text}”." if before else "You have not said anything else yet."
        if "FINISHED" not in str(self.filters.get("where_clause")):
            open_ = [one for one in before if not one.is_done and one.action not in ("GET_MEMORY", "NOOP")]
            now = "I am answering you, and doing nothing else."
            return f"{now} I did not finish “{open_[-1].text}”." if open_ and open_[-1] is before[-1] else now
        return self._done()

    def _done(self) -> str:
        """The commands that the agent has finished."""
        done = [one for one in self.memory.commands[:-1] if one.is_done and one.action not in _TALK]
        if not done:
            return "I have not done anything yet."
        told = both([f"“{one.text}”" for one in done[-_MOST_TOLD:]])
        made = [one for one in self.finder.things if one.made_by == "agent"]
        built = f" I made {sentences.listed(made)}." if made else ""
        return f"I did what you asked for: {told}.{built}"


_TALK = ("GET_MEMORY", "NOOP", "GET_CAPABILITIES", "BOT_CAPABILITIES", "PUT_MEMORY", "OTHERACTION")


def _nth(number: int) -> str:
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ends.get(number % 10, 'th')}"
