"""Questions: the attribute and the thing that they ask about, and questions about the agent's abilities."""

import re
from collections.abc import Mapping
from typing import Any

from builder.parser import vocabulary
from builder.parser.forms import clause, named_agent, special
from builder.parser.phrase import Phrase, match_groups, pattern
from builder.parser.places import filters_of
from builder.parser.things import description_of
from lib.logical_form import Form

_LIKE = "|".join(sorted(vocabulary.COLOURS | vocabulary.SIZES | vocabulary.MATERIALS, key=len, reverse=True))
_LEAD = re.compile(
    r"(?:(?:hey|hi|hello|please|ok|okay|bot|robot|assistant|so|now|well|and|then|can you|could you|would you|will you|"
    r"tell me|answer me|answer(?: this| the| my)? question|answer|let me know|do you know|i want to know|say|tell) )*"
)
_ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "LOCATION": (
        "WHEREIS (?:there )?<thing>",
        "where (?:can|could|do|did) (?:i|you|we) (?:find|see|put|build|leave) <thing>",
        "where <thing> (?:is|are)",
        "WHATIS the PLACE of <thing>",
        "(?:have|did) you (?:ever )?(?:seen|see|spotted|spot|noticed|notice) <thing>",
        "show me (?:where )?(?:to )?<thing>(?: is| are)?",
    ),
    "COLOUR": ("what COLOUR IS <thing>", "(?:WHATIS|tell me) the COLOUR of <thing>", "what COLOUR <thing> (?:is|are)"),
    "SIZE": (
        "what sizes? IS <thing>",
        "how (?:big|large|small|huge) IS <thing>",
        "(?:WHATIS|tell me) the sizes? of <thing>",
    ),
    "HEIGHT": ("how (?:tall|high) IS <thing>", "WHATIS the height of <thing>", "what height IS <thing>"),
    "WIDTH": ("how wide IS <thing>", "WHATIS the width of <thing>", "what width IS <thing>"),
    "BLOCK_TYPE": (
        "what(?: kind of| type of)? (?:materials?|block type|blocks?|stuff) IS <thing>"
        "(?: made| built)?(?: out)?(?: of| from)?",
        "(?:WHATIS|what) <thing> (?:made|built|composed)(?: out)?(?: of| from)?",
    ),
    "TAG": (
        "what (?:kind|type|sort)s? of <more> IS (?P<thing>this|that|these|those|it|they)",
        "what <thing> (?:is|are) (?P<more>(?:in|on|near|behind|around|inside|under|above|next to) .+)",
    ),
    "NAME": (
        "(?:WHATIS|what|tell me) the name of <thing>",
        "WHATIS <thing> (?:called|named)",
        "what do you call <thing>",
        "WHATIS (?:there )?<thing>",
        "(?:who|which one) IS <thing>",
        "which <more> IS (?P<thing>the [^ ]+)",
        "what YOUSEE (?P<thing>(?:in|on|near|behind|inside|under|above|next to|to|over) .+)",
        "WHICH <thing> YOUSEE(?: <more>)?",
        "WHICH <thing> (?:are|is) (?:there|here|around|nearby)(?: (?P<more>(?:in|on|near|behind|around|next to) .+))?",
    ),
}
"""The attribute that each pattern asks about. `thing` is the subject, `more` belongs to it."""
_OUTPUTS: Mapping[str, tuple[str, ...]] = {
    "COUNT": (
        "(?:how many|count(?: how many)?|what is the number of) (?:of )?<thing>(?: are| is)? (?:there|here)(?: IS)?"
        "(?: (?P<more>.+))?",
        "how many (?:of )?<thing> (?:do|can|did|have|are|is) (?:you|i|we)(?: see| have| built?| made?| "
        "seen)?(?: <more>)?",
        "how many (?:of )?<thing> IS (?P<more>.+)",
        "how many(?: of)? <thing>",
        "count(?: all)?(?: of)?(?: the)? <thing>",
    ),
    "MEMORY": (
        "(?:is|are|was|were) there <thing>",
        "(?:do|can) you (?:see|know of|spot) <thing>",
        "(?:is|are) (?P<thing>this|that|it|these|those|they) <more>",
        f"(?:is|are) (?P<thing>(?:the|my|your|that|this) .+?) (?P<like>(?:very )?(?:{_LIKE}))",
        "(?:is|are) (?P<thing>any(?:thing|one|body)?(?: .+)?)",
    ),
}
_NOTHING_MORE = r"(?: (?:now|right now|currently|at the moment|here|today|at|exactly|then|please))*"
_XYZ = "what (?:xyz |x y z )?PLACE"
_SELF = named_agent("SELF")
_SPEAKER = named_agent("SPEAKER")
_DOING = {"memory_type": "TASKS", **named_agent("CURRENTLY_RUNNING")}
_DONE = {"memory_type": "TASKS", **named_agent("FINISHED")}
_ALL = {"memory_type": "ALL", "selector": {"return_quantity": "ALL"}}
_WORLD = "(?:the|this|your|our) (?:world|area|map|room|scene|place|field|land|surroundings?)"
_HERE = (
    "(?: (?:there|here|now|right|currently|at the moment|so far|else|all|around|you|me|us|with your eyes|"
    f"in here|in {_WORLD}))*"
)
_KNOWN: tuple[tuple[str, Any, Form], ...] = (
    (f"what(?: all| else)? (?:YOUSEE|you(?: can)? see){_HERE}(?: (?:when|if|from) .+)?", "NAME", _ALL),
    (f"what COLOUR (?:YOUSEE|are there){_HERE}", "COLOUR", _ALL),
    (f"what are you (?:seeing|looking at|facing){_HERE}", "NAME", _ALL),
    (f"who(?: all| else)? YOUSEE{_HERE}|who IS (?:here|there|around){_HERE}", "NAME", _ALL),
    (f"(?:(?:is|are) there|is|YOUSEE) (?:anyone|anybody|someone|somebody)(?: else)?{_HERE}", "NAME", _ALL),
    (f"(?:WHATIS|WHATIS there|what things (?:are|is))(?: all)? around(?: here| you| me| us){_HERE}", "NAME", _ALL),
    (f"WHATIS (?:there )?in {_WORLD}{_HERE}", "NAME", _ALL),
    (f"(?:what|which) (?:things|objects) (?:are|is) (?:there|here|around){_HERE}", "NAME", _ALL),
    (f"(?:what|which|all the) (?:things|objects)(?: can| do)? you (?:can )?see{_HERE}", "NAME", _ALL),
    (f"(?:describe|list|name) (?:what|all|everything|all that|all the things) you (?:can )?see{_HERE}", "NAME", _ALL),
    (f"describe {_WORLD}", "NAME", _ALL),
    (f"what (?:do|can|did) you (?:remember|recall|know)(?: about (?:the|this) world)?{_HERE}", "NAME", _ALL),
    (f"where are you(?: located| standing)?{_NOTHING_MORE}", "LOCATION", _SELF),
    (f"where you are{_NOTHING_MORE}|WHEREIS (?:the )?(?:bot|assistant|agent|robot)", "LOCATION", _SELF),
    ("WHATIS your (?:current |exact )?PLACE(?: right now| now)?", "LOCATION", _SELF),
    (f"where (?:am i|i am)(?: located| standing)?{_NOTHING_MORE}", "LOCATION", _SPEAKER),
    ("WHATIS my (?:current |exact )?PLACE(?: right now| now)?", "LOCATION", _SPEAKER),
    (f"{_XYZ} (?:are you|you are)(?: located| standing)? (?:at|in|on){_NOTHING_MORE}", "LOCATION", _SELF),
    (f"{_XYZ} (?:am i|i am)(?: located| standing)? (?:at|in|on){_NOTHING_MORE}", "LOCATION", _SPEAKER),
    ("(?:WHATIS your name|what your name is|who are you|do you have a name|what are you called)", "NAME", _SELF),
    ("(?:WHATIS my name|what my name is|who am i)", "NAME", _SPEAKER),
    (r"what (?:are|were|r) you (?:doing|building|making|working on|up to|digging|trying to do)\b.*", "NAME", _DOING),
    (r"(?:what you are|are you) (?:doing|busy|working|building|digging|moving)\b.*", "NAME", _DOING),
    (r"do you have any tasks?\b.*|WHATIS your (?:current )?task.*", "NAME", _DOING),
    (r"what (?:did|have) you (?:just )?(?:do|done|build|built|make|made|dig|dug|finish|finished)\b.*", "NAME", _DONE),
    ("what time (?:is it|it is)(?: now)?|WHATIS the time(?: now)?|WHATIS the current time", "CURRENT_TIME", {}),
)
"""Questions without words for their subject."""
_ABLE_TO = r"(?: (?:here|for me|in (?:this|the) (?:game|world)))*"
_ABILITIES: tuple[tuple[str, str], ...] = (
    (f"what (?:all )?(?:can|could) you (?:build|make|create|construct){_ABLE_TO}", "BUILD"),
    (f"WHICH (?:things|objects|shapes|structures) ABLETO (?:build|make|create){_ABLE_TO}", "BUILD"),
    (f"(?:what|WHICH (?:things|animals?|mobs|creatures)) (?:ABLETO spawn|can be spawned){_ABLE_TO}", "UNKNOWN"),
    (r"how many .+ (?:can|could) you (?:build|make|create|dig|spawn|destroy|copy|carry)\b.*", "UNKNOWN"),
    ("what can you (?:tag|remember|memorize|label|learn)", "PUT_MEMORY"),
    ("what can you (?:answer|tell me)|(?:can|will) you answer (?:any |my |some |a )?questions?", "GET_MEMORY"),
    (r"what (?:things )?(?:can|could) you (?:dig|destroy|fill|copy|move|get|bring|find)", "UNKNOWN"),
    (
        "what(?: all| else| other things| things| actions| tasks)?(?: can| could) (?:you|u) (?:do|dpo|help(?: "
        "me)? with)"
        "(?: here| for me| now| to help(?: me)?)?",
        "ANY",
    ),
    ("what do you do|what are you (?:able to do|capable of(?: doing)?|good at)", "ANY"),
    ("(?:tell me |show me |list )?(?:everything|all|all the things|the things|what|what all) you can do", "ANY"),
    ("WHATIS your (?:capabilities|abilities|skills|functions|purpose|commands)", "ANY"),
    (
        "(?:can|could|will|would) (?:you|u) (?:please )?(?:help|assist)(?: me| us)?|help(?: me)?|what can i "
        "(?:ask|tell) you.*",
        "ANY",
    ),
    ("(?:tell me |list |show me )?(?:your|all your) (?:capabilities|abilities|commands|skills)", "ANY"),
)
_HELP = pattern("how (?:can|could|do|will|would) (?:you|u) (?:help|assist|be of help|be useful)(?: to)?(?: me| us)?.*")
_ASKING = re.compile(
    r"(?:what|whats|what's|where|where's|who|whom|whose|when|why|how|which|answer) .+|"
    r"(?:is|are|am|was|were|does|did|has|can i|could i|may i|may we|can we|do (?:you|i|we|they|the)|"
    r"have (?:you|i|we|they)) .+|tell me (?:what|where|who|when|why|how|which|if|about) .+"
)

_SHAPES = tuple((pattern(text), {"attribute": name}) for name, texts in _ATTRIBUTES.items() for text in texts)
_COUNTS = tuple((pattern(text), name) for name, texts in _OUTPUTS.items() for text in texts)
_KNOWN_SHAPES = tuple((pattern(text), name, about) for text, name, about in _KNOWN)
_ABLE = tuple((pattern(text), kind) for text, kind in _ABILITIES)


def read_ability_question(phrase: Phrase) -> Form | None:
    """A question about the agent's abilities; None for anything else."""
    phrase = _without_lead(phrase, greetings=True)
    if lead := _ANSWER.match(phrase.text):
        phrase = phrase.cut(lead.group().count(" "))
    if tail := _ANSWERED.search(phrase.text):
        phrase = phrase.cut(0, phrase.text.count(" ", 0, tail.start()) + 1)
    if match_groups(_HELP, phrase) is not None:
        return {"dialogue_type": "BOT_CAPABILITIES"}
    kind = next((kind for shape, kind in _ABLE if match_groups(shape, phrase) is not None), None)
    return {"dialogue_type": "GET_CAPABILITIES", "action_type": kind} if kind else None


def read_question(phrase: Phrase) -> Form | None:
    """A question of a known pattern, with its subject; None for anything else."""
    for said in (phrase, _without_lead(phrase)):
        for known, name, about in _KNOWN_SHAPES:
            if match_groups(known, said) is not None:
                return _answer({**about, "output": {"attribute": name}})
        for shape, output in (*_COUNTS, *_SHAPES):
            if groups := match_groups(shape, said):
                return _answer({**_about(groups), "output": output})
    return None


def read_other_question(phrase: Phrase) -> Form | None:
    """Any other question; its form has no content."""
    return {"dialogue_type": "GET_MEMORY"} if _ASKING.fullmatch(_without_lead(phrase, greetings=True).text) else None


def _answer(filters: Form) -> Form:
    return {"dialogue_type": "GET_MEMORY", "filters": filters}


def _about(groups: dict[str, Phrase]) -> Form:
    told = groups["thing"]
    if "more" in groups:
        told = Phrase(told.tokens + groups["more"].tokens)
    who = vocabulary.PEOPLE.get(told.text)
    if who == "SPEAKER_LOOK":
        return {"selector": {"location": {"reference_object": special(who)}}}
    if who:
        return named_agent("SELF" if who == "AGENT" else who)
    filters = filters_of(told)
    if "like" in groups:
        also = description_of(groups["like"]).clauses or [clause("has_tag", groups["like"].span)]
        filters["where_clause"] = {"AND": [*filters.get("where_clause", {}).get("AND", [])[:6], *also]}
    return filters


def _without_lead(phrase: Phrase, *, greetings: bool = False) -> Phrase:
    """The question without the words that lead to it. With `greetings`, only greetings are removed."""
    lead = _GREETED if greetings else _LEAD
    found = lead.match(phrase.text)
    return phrase.cut(found.group().count(" ") if found else 0)


_ANSWER = re.compile(r"(?:please )?(?:answer|tell me)(?: (?:me|this|the|my|a))?(?: questions?)? ")
_ANSWERED = re.compile(r"(?: please)? answer(?: (?:me|this|the|my))?(?: questions?)?$")
_GREETED = re.compile(r"(?:(?:hey|hi|hello|please|ok|okay|bot|robot|assistant|so|now|well) )*")
