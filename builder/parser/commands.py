"""Commands: cut into clauses, each with its verb, read one by one, and put together again."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from builder.parser import relations, verbs, vocabulary
from builder.parser.actions import action
from builder.parser.conditions import UNTIL, Ending, ending_of
from builder.parser.forms import command_form
from builder.parser.phrase import Phrase, word_count, word_list
from builder.parser.places import starts_place
from builder.parser.things import number_at
from lib.logical_form import Form
from lib.logical_form.grammar.actions import ACTION

_MOST_STEPS = 12
"""The grammar's limit for one sequence."""
_ENDLESS = frozenset(
    one.option.value for one in ACTION.variants if not any(key.name == "terminate_condition" for key in one.keys)
)
"""Actions that have no condition of their own."""
_LISTED = frozenset({"BUILD", "SPAWN", "DESTROY", "GET", "COPY", "PUT"})
"""Verbs that can be followed by “and” and another thing: “spawn a pig and two cows”."""
_NO_COMMAND = frozenset(
    word_list(
        "i i'm it is was the a an this that there he she they we my your what who where when why how which if "
        "not no because "
        "yes in on at of for from with to nothing remember if"
    )
)


@dataclass(frozen=True)
class _Clause:
    """One thing to do: its verb, the kind of verb, and the words after it."""

    verb: Phrase
    kind: str
    rest: Phrase


def without_courtesies(phrase: Phrase) -> tuple[Phrase, bool]:
    """The phrase without the polite words around a command, and whether it is a request. At least one word is left."""
    asked = False
    while len(phrase) > 1:
        request = phrase.longest(verbs.REQUESTS)
        lead = request or phrase.longest(verbs.COURTESIES) or phrase.longest(verbs.GREETINGS)
        if not lead or word_count(lead) >= len(phrase):
            break
        asked = asked or bool(request)
        phrase = phrase.cut(word_count(lead))
    return _without_end(phrase), asked


def read_command(phrase: Phrase) -> Form | None:
    """The form of a command; None if the phrase is not one."""
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
        if steps and _continues(steps[-1], step):
            steps[-1] |= {"receiver": step["receiver"]}
        else:
            steps.append(step)
    found = command_form(*steps)
    return {**found, "terminate_condition": whole} if whole else found


def _continues(before: Form, step: Form) -> bool:
    """True if two steps are one: “get a cube and bring it to me”."""
    both = before.get("action_type") == step.get("action_type") == "GET"
    it = step.get("reference_object", {}).get("filters") == {"contains_coreference": "yes"}
    return both and it and "receiver" in step and "receiver" not in before


def _ending(clause: _Clause) -> tuple[Phrase, Ending | None]:
    """The words of a clause without its condition, and the condition.

    The verb stands before the words while they are searched, because a condition needs words before it.
    """
    whole = Phrase(clause.verb.tokens + clause.rest.tokens)
    taken, ending = ending_of(whole)
    return taken.cut(len(clause.verb)), ending


def _clauses(phrase: Phrase, asked: bool) -> Iterator[_Clause]:
    before: _Clause | None = None
    for part in _parts(phrase):
        clause = _clause(part) or (before and _same_verb_clause(before, part))
        if not clause and not before:
            clause = _unknown_verb_clause(part, asked)
        if clause:
            yield clause
            before = clause


def _clause(part: Phrase) -> _Clause | None:
    part, _ = without_courtesies(part)
    while lead := part.longest(verbs.LEADS):
        rest = part.cut(word_count(lead))
        if not _is_verb(rest, 0):
            break
        part = rest
    if part.longest(verbs.BEGINNINGS):
        begun = part.cut(word_count(part.longest(verbs.BEGINNINGS) or ""))
        begun = begun.cut(1) if begun[0] == "to" else begun
        verb = begun.longest(verbs.GERUNDS)
        if verb:
            return _Clause(begun.cut(0, word_count(verb)), verbs.GERUNDS[verb], begun.cut(word_count(verb)))
        part = begun
    verb = part.longest(verbs.VERBS)
    if not verb:
        return None
    kind = verbs.VERBS[verb]
    goes_on = word_count(verb) == len(part) or part.longest(verbs.GOING_ON, word_count(verb))
    if verb in verbs.OTHER_MEANINGS and not goes_on:
        verb, kind = verbs.OTHER_MEANINGS[verb]
    clause = _Clause(part.cut(0, word_count(verb)), kind, part.cut(word_count(verb)))
    if kind == "TURN" and clause.rest[0] in ("on", "off", "into"):
        return replace(clause, kind="OTHER")
    return clause


def _same_verb_clause(before: _Clause, part: Phrase) -> _Clause | None:
    """A clause with another thing for the verb before: “and two cows”."""
    begins = part[0] in vocabulary.ARTICLES or number_at(part, 0) or part[0] in vocabulary.POINTING
    if (begins and before.kind in _LISTED) or (before.kind == "MOVE" and starts_place(part, 0)):
        return replace(before, rest=part)
    return None


def _unknown_verb_clause(part: Phrase, asked: bool) -> _Clause | None:
    """A clause with an unknown verb, if its place shows that it is one: in a request, or before a thing."""
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
        after = at + (word_count(joint) if joint else 0)
        if at > start and _starts_command(phrase, start, at, after):
            yield phrase.cut(start, at)
            start = after
        at = max(at + 1, after)
    yield phrase.cut(start)


def _starts_command(phrase: Phrase, start: int, at: int, after: int) -> bool:
    """True if a new command begins at `after`. The words between `at` and `after` are a joint; they may be missing."""
    joined = after > at or phrase.ends_at(at - 1)
    if not joined:
        strong = phrase[at] in verbs.COMMAND_STARTS and phrase[at - 1] not in verbs.NOT_BEFORE_COMMAND
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
    lists = (
        kind in _LISTED and len(first) > word_count(verb) and not first.find({"between", "from", "with", "near", "to"})
    )
    thing = rest[0] in vocabulary.INDEFINITE or number_at(rest, 0)
    thing = thing or (rest[0] == "the" and not any(starts_place(first, place) for place in range(1, len(first))))
    return bool(lists and thing and len(rest) > 1 and not _measures(rest))


def _measures(rest: Phrase) -> bool:
    """True if the words add a measure to the same thing: “and 2 high”."""
    return bool(number_at(rest, 0)) and any(rest.longest(vocabulary.EXTENTS, at) for at in (1, 2, 3))


def _is_verb(phrase: Phrase, at: int) -> bool:
    table: Collection[str] = verbs.VERBS
    return bool(phrase.longest(table, at) or phrase.longest(verbs.BEGINNINGS, at))


def _without_end(phrase: Phrase) -> Phrase:
    for length in (4, 3, 2, 1) * 2:
        if len(phrase) > length and phrase.cut(len(phrase) - length).text in verbs.ENDINGS:
            phrase = phrase.cut(0, len(phrase) - length)
    return phrase
