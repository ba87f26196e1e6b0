"""Commands: cut into single things to do, each with its verb, and put together again."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from annotation.logical_form import Form
from annotation.logical_form.actions import ACTION
from interaction.builder.parser import relations, verbs, vocabulary
from interaction.builder.parser.acting import action
from interaction.builder.parser.conditions import UNTIL, Ending, ending_of
from interaction.builder.parser.forms import command
from interaction.builder.parser.phrase import Phrase, listed, size_of
from interaction.builder.parser.places import starts_place
from interaction.builder.parser.things import number_at

_MOST_STEPS = 12
"""As many as the grammar takes in one sequence."""
_ENDLESS = frozenset(
    one.option.value for one in ACTION.variants if not any(key.name == "terminate_condition" for key in one.keys)
)
"""Actions that cannot carry a condition themselves."""
_LISTED = frozenset({"BUILD", "SPAWN", "DESTROY", "GET", "COPY", "PUT"})
"""Verbs that go on behind “and” with another thing: “spawn a pig and two cows”."""
_NO_COMMAND = frozenset(
    listed(
        "i i'm it is was the a an this that there he she they we my your what who where when why how which if "
        "not no because "
        "yes in on at of for from with to nothing remember if"
    )
)


@dataclass(frozen=True)
class _Clause:
    """One thing to do: its verb, what kind of verb that is, and the words behind it."""

    verb: Phrase
    kind: str
    rest: Phrase


def without_courtesies(phrase: Phrase) -> tuple[Phrase, bool]:
    """The phrase without what is said around a command, and whether it was put as a request; never empty for some."""
    asked = False
    while len(phrase) > 1:
        request = phrase.longest(verbs.REQUESTS)
        lead = request or phrase.longest(verbs.COURTESIES) or phrase.longest(verbs.GREETINGS)
        if not lead or size_of(lead) >= len(phrase):
            break
        asked = asked or bool(request)
        phrase = phrase.cut(size_of(lead))
    return _without_end(phrase), asked


def commanded(phrase: Phrase) -> Form | None:
    """What the command asks to be done; None where it is no command."""
    phrase, asked = without_courtesies(phrase)
    clauses = list(_clauses(phrase, asked))[:_MOST_STEPS]
    if not clauses:
        return None
    steps: list[Form] = []
    whole: Form | None = None
    for clause in clauses:
        rest, ending = (clause.rest, None) if clause.kind in ("SAY", "UNDO") else _ending(clause)
        step = action(clause.verb, clause.kind, rest)
        if ending and (len(clauses) == 1 and (ending.counted or step["action_type"] in _ENDLESS)):
            whole = ending.condition
        elif ending and step["action_type"] in _ENDLESS:
            step = {"event_sequence": [step], "terminate_condition": ending.condition}
        elif ending:
            step["terminate_condition"] = ending.condition
        if steps and _goes_on(steps[-1], step):
            steps[-1] |= {"receiver": step["receiver"]}
        else:
            steps.append(step)
    found = command(*steps)
    return {**found, "terminate_condition": whole} if whole else found


def _goes_on(before: Form, step: Form) -> bool:
    """Whether “get a cube and bring it to me” is one thing to do."""
    both = before.get("action_type") == step.get("action_type") == "GET"
    it = step.get("reference_object", {}).get("filters") == {"contains_coreference": "yes"}
    return both and it and "receiver" in step and "receiver" not in before


def _ending(clause: _Clause) -> tuple[Phrase, Ending | None]:
    """The words of a clause without its condition; the verb stays before them, for a condition needs words "
    "before it."""
    whole = Phrase(clause.verb.tokens + clause.rest.tokens)
    taken, ending = ending_of(whole)
    return taken.cut(len(clause.verb)), ending


def _clauses(phrase: Phrase, asked: bool) -> Iterator[_Clause]:
    before: _Clause | None = None
    for part in _parts(phrase):
        clause = _clause(part) or (before and _another(before, part))
        if not clause and not before:
            clause = _unknown(part, asked)
        if clause:
            yield clause
            before = clause


def _clause(part: Phrase) -> _Clause | None:
    part, _ = without_courtesies(part)
    while lead := part.longest(verbs.LEADS):
        rest = part.cut(size_of(lead))
        if not _is_verb(rest, 0):
            break
        part = rest
    if part.longest(verbs.BEGINNINGS):
        begun = part.cut(size_of(part.longest(verbs.BEGINNINGS) or ""))
        begun = begun.cut(1) if begun[0] == "to" else begun
        verb = begun.longest(verbs.GERUNDS)
        if verb:
            return _Clause(begun.cut(0, size_of(verb)), verbs.GERUNDS[verb], begun.cut(size_of(verb)))
        part = begun
    verb = part.longest(verbs.VERBS)
    if not verb:
        return None
    kind = verbs.VERBS[verb]
    goes_on = size_of(verb) == len(part) or part.longest(verbs.GOING_ON, size_of(verb))
    if verb in verbs.RATHER and not goes_on:
        verb, kind = verbs.RATHER[verb]
    clause = _Clause(part.cut(0, size_of(verb)), kind, part.cut(size_of(verb)))
    if kind == "TURN" and clause.rest[0] in ("on", "off", "into"):
        return replace(clause, kind="OTHER")
    return clause


def _another(before: _Clause, part: Phrase) -> _Clause | None:
    """Another thing for the verb before: “and two cows”."""
    begins = part[0] in vocabulary.ARTICLES or number_at(part, 0) or part[0] in vocabulary.POINTING
    if (begins and before.kind in _LISTED) or (before.kind == "MOVE" and starts_place(part, 0)):
        return replace(before, rest=part)
    return None


def _unknown(part: Phrase, asked: bool) -> _Clause | None:
    """A verb that is not known, if it stands as one: in a request, or before a thing."""
    if not len(part) or part[0] in _NO_COMMAND or not part[0].isalpha():
        return None
    before_thing = part[1] in {"the", "a", "an", "my", "your", "all"} | vocabulary.ONLY_POINTING
    if asked or (before_thing and len(part) > 1):
        return _Clause(part.cut(0, 1), "OTHER", part.cut(1))
    return None


def _parts(phrase: Phrase) -> Iterator[Phrase]:
    """The phrase cut where a new command begins."""
    start = at = 0
    while at < len(phrase):
        joint = phrase.longest(verbs.JOINTS, at) if at else None
        after = at + (size_of(joint) if joint else 0)
        if at > start and _begins(phrase, start, at, after):
            yield phrase.cut(start, at)
            start = after
        at = max(at + 1, after)
    yield phrase.cut(start)


def _begins(phrase: Phrase, start: int, at: int, after: int) -> bool:
    """Whether a new command begins at `after`, with a joint or punctuation or nothing between `at` and it."""
    joined = after > at or phrase.ends_at(at - 1)
    if not joined:
        strong = phrase[at] in verbs.STRONG and phrase[at - 1] not in verbs.NOT_BEFORE_STRONG
        before = phrase.cut(start, at)
        if phrase[at] == "dance" and verbs.VERBS.get(before.longest(verbs.VERBS) or "") == "DANCE":
            return False  # “do a funny dance”
        return strong and at - start > 1 and before.find(verbs.VERBS) is not None and not before.find(UNTIL)
    rest, _ = without_courtesies(phrase.cut(after))
    if _is_verb(rest, 0):
        return True
    first = phrase.cut(start, at)
    verb = first.longest(verbs.VERBS) or ""
    kind = verbs.VERBS.get(verb)
    if kind == "MOVE" and (rest[0] in relations.DIRECTIONS or (number_at(rest, 0) and starts_place(rest, 0))):
        return True
    lists = kind in _LISTED and len(first) > size_of(verb) and not first.find({"between", "from", "with", "near", "to"})
    thing = rest[0] in vocabulary.INDEFINITE or number_at(rest, 0)
    thing = thing or (rest[0] == "the" and not any(starts_place(first, place) for place in range(1, len(first))))
    return bool(lists and thing and len(rest) > 1 and not _measures(rest))


def _measures(rest: Phrase) -> bool:
    """“and 2 high” tells more of the same thing."""
    return bool(number_at(rest, 0)) and any(rest.longest(vocabulary.EXTENTS, at) for at in (1, 2, 3))


def _is_verb(phrase: Phrase, at: int) -> bool:
    table: Collection[str] = verbs.VERBS
    return bool(phrase.longest(table, at) or phrase.longest(verbs.BEGINNINGS, at))


def _without_end(phrase: Phrase) -> Phrase:
    for length in (4, 3, 2, 1) * 2:
        if len(phrase) > length and phrase.cut(len(phrase) - length).text in verbs.ENDINGS:
            phrase = phrase.cut(0, len(phrase) - length)
    return phrase
