"""Statements to remember: names and tags of things; praise and blame."""

import re

from builder.parser import vocabulary
from builder.parser.forms import clause, named_agent
from builder.parser.phrase import Phrase, match_groups, pattern
from builder.parser.places import filters_of
from builder.parser.things import without_articles
from lib.logical_form import Form

_GOOD = re.compile(
    r"(?:(?:very |really |so |a )?(?:good|great|nice|excellent|excelent|wonderful|fantastic|amazing|fine|awesome|super)"
    r" (?:(?:excellent|excelent|great) )?(?:job|work|boy|girl|bot|one)(?: bot)?)|well done|awesome|excellent|perfect|"
    r"amazing|wonderful|fantastic|brilliant|bravo|nice|good|great|cool|correct|(?:it |that |this )?looks "
    r"(?:very )?(?:good|"
    r"great|nice|perfect)|(?:you are|you're) (?:doing )?(?:great|good|awesome|amazing)|i (?:like|love) (?:it|"
    r"that|this)|"
    r"(?:yes )?(?:that|this|it)(?: is|'s|s) (?:exactly )?(?:what i (?:wanted|asked for|meant)|right|correct|"
    r"perfect|great|"
    r"good|nice|awesome)|you did (?:it|well|great|good)"
)
_BAD = re.compile(
    r"(?:very |really |so )?(?:bad|terrible|poor|awful|horrible) (?:job|work|bot|robot)|bad|wrong|terrible|giving up|"
    r"i give up|not (?:good|right|correct|what i wanted)|incorrect|(?:no )?(?:that|this|it)(?: is|'s|s)(?: not| "
    r"n't|n't) "
    r"(?:right|correct|good|what i (?:wanted|asked|asked for|meant|said)|it)|(?:no )?(?:that|this|it)(?: is|'s|"
    r"s) (?:wrong|"
    r"bad|incorrect|terrible)|you (?:failed|did it wrong|are wrong)|(?:that|it) (?:looks|was) (?:bad|wrong|terrible)|"
    r"i (?:do n't|don't|do not|hate) (?:like )?(?:it|that|this)|that isn't (?:right|what i wanted)"
)
_LEAD = (
    r"(?:(?:please|ok|okay|hey|bot|now|so|remember(?: that)?|go|let's|lets|let us|can you|could you|i want you to) )*"
)
_VERB = r"(?:tag|tage|label|mark|name|rename|call|designate)"
_THAT_IS = pattern(_LEAD + "THATIS (?:called |named |now |also )*(?P<tag>.+)")
_SHAPES = tuple(
    pattern(_LEAD + text)
    for text in (
        _VERB + " <thing> (?:as|with|to be) (?P<tag>.+)",
        _VERB + " (?:as|with) (?P<tag>.+)",
        _VERB + " (?P<thing>it|that|this|them|these|those|yourself|the (?:bot|assistant|agent|robot)|me) "
        "(?P<tag>(?:the|a|an|my|our) .+|[^ ]+)",
        "(?:call|name|rename) (?P<thing>.+?) (?P<tag>(?:the|a|an|my) .+)",
        "(?:call|name|rename) (?P<thing>.+) (?P<tag>[^ ]+)",
        _VERB + " (?P<thing>.+)",
        "(?P<thing>(?:the|this|that|my|these|those) .+?) (?:is|are) (?:called|named|now called|known as) (?P<tag>.+)",
        "(?P<thing>(?:the|this|that|my|these|those) .+?) (?:is|are) (?P<tag>(?:a|an|my|our) .+)",
        "the name of <thing> is (?P<tag>.+)",
    )
)
_NO_TAG = frozenset(
    {"not", "n't", "so", "too", "all", "ok", "okay", "enough", "it", "where", "why", "what", "how", "no"}
)


def read_reward(phrase: Phrase) -> Form | None:
    """Praise or blame; None for anything else."""
    for shape, value in ((_GOOD, "POSITIVE"), (_BAD, "NEGATIVE")):
        if shape.fullmatch(phrase.text):
            return _remember({}, {"memory_type": "REWARD", "reward_value": value})
    return None


def read_statement(phrase: Phrase) -> Form | None:
    """The name, tag or property of a thing; None for anything else."""
    for shape in (*_SHAPES, _THAT_IS):
        groups = match_groups(shape, phrase)
        if groups is None or ("tag" in groups and groups["tag"][0] in _NO_TAG):
            continue
        tag = without_articles(groups["tag"]) if "tag" in groups else Phrase(())
        about = {"contains_coreference": "yes"} if "it" in groups else _about(groups.get("thing"))
        return _remember(about, _triple(tag, likeness=shape is _THAT_IS) if len(tag) else {})
    return None


def _about(thing: Phrase | None) -> Form:
    if thing is None:
        return {}
    who = vocabulary.PEOPLE.get(thing.text)
    if who in ("AGENT", "SPEAKER"):
        return {"memory_type": "AGENT", **named_agent("SELF" if who == "AGENT" else who)}
    return filters_of(thing)


def _triple(tag: Phrase, *, likeness: bool) -> Form:
    """The triple to remember. With `likeness` (“that is red”) it is a colour or size; “call it red” is a tag."""
    predicate = "has_tag"
    if likeness and tag.text in vocabulary.COLOURS | vocabulary.SIZES:
        predicate = "has_colour" if tag.text in vocabulary.COLOURS else "has_size"
    return {"memory_type": "TRIPLE", "triples": [clause(predicate, tag.span)]}


def _remember(filters: Form, data: Form) -> Form:
    found: Form = {"dialogue_type": "PUT_MEMORY"}
    if filters:
        found["filters"] = filters
    return {**found, "upsert": {"memory_data": data}} if data else found
