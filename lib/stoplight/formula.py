"""The score of a session after one more command: whether the command counts, its parts, the light and the bonus.

A command counts if its questions are answered, the agent understood it (or the worker says that it did not), it
consists of words, it is not a copy of another command of the worker, and it is not one copy too many of other people's
commands. A counted command has a creativity (its distance to the corpus) and a diversity (its distance to the session's
other commands). The score is the weighted mean of the logarithms of quantity, mean diversity and mean creativity,
reduced for copies and for words in an unusual order.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from itertools import chain
from math import floor, log10
from typing import Any, Literal, NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from lib.stoplight.comparison import MOST_WORDS, Compared, Comparison
from lib.stoplight.settings import Settings
from lib.stoplight.words import characters_of, content_of, english_words, letters_share, slips, stop_words, words_of

Colour = Literal["red", "amber", "green"]
CENT = Decimal("0.01")
LATEST = 30
"""The number of newest counted commands whose word order is checked."""
PAIRS_GIVEN = 8
"""The number of usual word pairs that are added to those of the session, so one odd command has little influence."""
COMMANDS_GIVEN = 4
"""The number of usual commands that are added to those of the session when copies are counted."""
ALL_ALIKE = 0.8
"""From this share of near commands in the corpus on, nearness says nothing about a session, and copies are ignored."""
KNOWN_DIGITS = 2
"""A number is known if it has at most this many digits, or enough people used it."""
MUCH_LOST = 0.8
"""If a factor of the score is below this, the advice names its cause."""
FILLERS = frozenset(
    ("again", "also", "hello", "hey", "hi", "just", "kindly", "now", "ok", "okay", "please", "thank", "thanks", "then")
)
"""Words that can be added to any command without a change of its meaning."""
LITTLE = 5
"""Parts below this, and fewer commands than this, lead to advice."""


class Earlier(NamedTuple):
    """An earlier command of the session.

    Attributes:
        near: Whether it was near to other people's commands, and would have counted otherwise.
    """

    text: str
    counted: bool
    creativity: float
    diversity: float
    near: bool = False


class Signs(NamedTuple):
    """Facts about the new command besides its text.

    Attributes:
        is_judged: Whether its questions are answered.
        has_form: Whether the agent sent a parse on which it could act.
        is_nlu_error: Whether the worker says that the agent misunderstood it.
    """

    is_judged: bool
    has_form: bool
    is_nlu_error: bool


@dataclass(frozen=True)
class CommandScore:
    """The session's score with this command.

    Attributes:
        creativity, diversity: Parts of this command, in [1, 10]; 0.0 if it does not count.
        quantity: Number of the session's counted commands, at most the cap.
        score: Score of the session, in [0, 10].
        bonus: The session's bonus for this score.
        near: Whether the command is near to other people's commands, and would count otherwise.
        why: The code of the reason why the command does not count; "" if it counts.
        advice: One sentence of advice, or the reason why the command does not count.
    """

    creativity: float
    diversity: float
    quantity: float
    score: float
    colour: Colour
    bonus: Decimal
    counted: bool
    near: bool
    why: str
    advice: str

    def as_json(self) -> dict[str, Any]:
        """The score as JSON, with money as text."""
        return asdict(self) | {"bonus": str(self.bonus)}


WHY_NOT: Mapping[str, str] = {
    "not_judged": "This command counts as soon as you have answered all questions about it.",
    "few_letters": "This did not count: write a command in plain words.",
    "unknown_words": "This did not count: most of its words are not known. Check the spelling, or use other words.",
    "numbers": "This did not count: it is mostly numbers. Say in words what you want.",
    "near_duplicate": "This did not count: you gave nearly the same command before. Ask for something else.",
    "not_understood": "This did not count: the assistant found nothing to do in it. Ask for something it can do, "
    "or say in your answers that it misunderstood you.",
    "copied": "This did not count: too many of your commands are what others said before, nearly word for word. "
    "Ask for things of your own.",
}
"""The reasons why a command does not count: code to the sentence for the worker."""


def score_command(
    settings: Settings,
    text: str,
    *,
    earlier: Sequence[Earlier],
    elsewhere: Sequence[str],
    signs: Signs,
    corpus: Comparison,
) -> CommandScore:
    """The session's score after one more command.

    Args:
        earlier: The earlier commands of the session, oldest first.
        elsewhere: The same worker's commands in earlier sessions.
        corpus: Statistics of the commands with which the new one is compared.
    """
    new = _Command(settings, text, corpus)
    counted = [one for one in earlier if one.counted]
    why = _why_not(settings, new, [*(one.text for one in counted), *elsewhere], signs)
    near = settings.copies and not why and new.compared.nearest <= corpus.norms.near
    judged = [one.near for one in earlier if one.counted or one.near]
    own = _copy_factor(settings, judged if why else [*judged, near], corpus)
    if near and own < 1:
        why = "copied"
    creativity = diversity = 0.0
    if not why:
        creativity = _creativity(settings, new)
        diversity = _diversity(settings, new, [one.text for one in counted])
        counted.append(Earlier(text, True, creativity, diversity, near))
    quantity = min(len(counted), settings.quantity_cap)
    order = _order_factor(settings, [one.text for one in counted], corpus)
    score = round(_score(settings, counted) * order * own, 4)
    return CommandScore(
        creativity=creativity,
        diversity=diversity,
        quantity=float(quantity),
        score=score,
        colour=colour_of(settings, score),
        bonus=bonus_of(settings, score),
        counted=not why,
        near=near,
        why=why,
        advice=WHY_NOT[why] if why else _advice(settings, new, creativity, diversity, quantity, order, own),
    )


def colour_of(settings: Settings, score: float) -> Colour:
    if score >= settings.green:
        return "green"
    return "amber" if score >= settings.amber else "red"


def bonus_of(settings: Settings, score: float) -> Decimal:
    """The bonus for a score: a multiple of 0.01, at most `settings.most`."""
    earned = (settings.per_point * Decimal(str(score))).quantize(CENT, ROUND_HALF_UP)
    return min(earned, settings.most.quantize(CENT))


class _Command:
    """The new command as words."""

    def __init__(self, settings: Settings, text: str, corpus: Comparison) -> None:
        self.text = text
        self.corpus = corpus
        self.words = words_of(text, normalise=settings.normalise)
        self.content = _content(settings, self.words)
        unknown = {word for word in set(self.content) if not is_known(word, settings=settings, corpus=corpus)}
        further = _further_numbers(self.content)
        odd = [at for at, word in enumerate(self.content) if word in unknown or at in further]
        self.unknown_share = len(odd) / max(len(self.words), 1)
        self.is_numbers = sum(self.content[at].isdecimal() for at in odd) * 2 > len(odd)
        self.jokers = frozenset(odd if settings.unknown_is_joker else ())

    @cached_property
    def compared(self) -> Compared:
        return self.corpus.compared(self.content[:MOST_WORDS], {at for at in self.jokers if at < MOST_WORDS})


def _content(settings: Settings, words: Sequence[str]) -> list[str]:
    """The content words; where copies matter, without fillers, which would make a copy look different."""
    content = content_of(words)
    return [word for word in content if word not in FILLERS] if settings.copies else content


def _further_numbers(words: Sequence[str]) -> frozenset[int]:
    """The places of all numbers but the first: further numbers add little meaning."""
    return frozenset([at for at, word in enumerate(words) if word.isdecimal()][1:])


def is_known(word: str, *, settings: Settings, corpus: Comparison) -> bool:
    """Whether the word is known: common English, a short number, or used by enough people. A word with one typing
    error is known too, but not a number."""
    if not settings.unknown_is_joker and settings.most_unknown >= 1:
        return True
    if word.isdecimal():
        return len(word) <= KNOWN_DIGITS or corpus.speaker_count(word) >= settings.known_after
    return any(
        one in english_words() or one in stop_words() or corpus.speaker_count(one) >= settings.known_after
        for one in chain((word,), slips(word))
    )


def _why_not(settings: Settings, new: _Command, own: Sequence[str], signs: Signs) -> str:
    """The code of the reason why the command does not count; "" if it counts."""
    if settings.judged and not signs.is_judged:
        return "not_judged"
    if letters_share(new.text) < settings.least_letters:
        return "few_letters"
    if new.unknown_share > settings.most_unknown:
        return "numbers" if new.is_numbers else "unknown_words"
    if settings.near_duplicate is not None and _has_near(new.text, own, at_most=settings.near_duplicate):
        return "near_duplicate"
    if settings.understood and not signs.has_form and not signs.is_nlu_error:
        return "not_understood"
    return ""


def _has_near(text: str, others: Sequence[str], *, at_most: float) -> bool:
    """Whether the normalised word edit distance to one of the others is at most `at_most`, ignoring case and marks."""
    own, *choices = characters_of(words_of(one, normalise=True) for one in (text, *others))
    near = process.extractOne(own, choices, scorer=Levenshtein.normalized_distance, score_cutoff=at_most)
    return near is not None


def _creativity(settings: Settings, new: _Command) -> float:
    off = settings.length_penalty * (settings.ideal_length - len(new.content)) ** 2
    best = (10 - settings.creativity_zero) * settings.creativity_times - off
    # The length alone gives the lowest value; the corpus need not be asked.
    if best <= 1:
        return 1.0
    distance = _distance_to_all(settings, new)
    return _part((10 * distance - settings.creativity_zero) * settings.creativity_times - off)


def _distance_to_all(settings: Settings, new: _Command) -> float:
    """The mean distance to the corpus and to `usual_weight` further commands at the usual distance."""
    usual = settings.usual_distance * (1 - len(new.jokers) / max(len(new.content), 1))
    corpus, found = new.corpus, new.compared.distance
    if found is None:
        return usual
    if settings.own_scale and corpus.usual_distance is not None:
        found += settings.usual_distance - corpus.usual_distance
    weight = settings.usual_weight
    return (found * corpus.size + usual * weight) / (corpus.size + weight) if weight else found


def _diversity(settings: Settings, new: _Command, texts: Sequence[str]) -> float:
    """The diversity of the command; 1.0 for the first command of a session."""
    if not texts:
        return 1.0
    others = [_content(settings, words_of(text, normalise=settings.normalise)) for text in texts]
    longest = [max(len(new.content), len(other)) for other in others]
    distances = [
        _distance(new.content, other, new.jokers) / long if long else 0.0
        for other, long in zip(others, longest, strict=True)
    ]
    return _part((10 * sum(distances) / len(distances) - settings.diversity_zero) * settings.diversity_times)


def _distance(words: Sequence[str], others: Sequence[str], jokers: Collection[int]) -> int:
    """The word edit distance; a word at one of the places `jokers` is exchanged for any word at no cost."""
    if not jokers:
        return Levenshtein.distance(words, others)
    row = list(range(len(others) + 1))
    for place, word in enumerate(words):
        before, row = row, [place + 1]
        for at, other in enumerate(others):
            exchanged = before[at] + (place not in jokers and word != other)
            row.append(min(exchanged, before[at + 1] + 1, row[at] + 1))
    return row[-1]


def _part(value: float) -> float:
    """The value bounded to [1, 10] and rounded to two decimal places."""
    return min(10.0, max(1.0, floor(value * 100 + 0.5) / 100))


def _score(settings: Settings, counted: Sequence[Earlier]) -> float:
    """The weighted mean of the logarithms of the three parts, each from 1 to 10."""
    if not counted:
        return 0.0
    number, cap = min(len(counted), settings.quantity_cap), settings.quantity_cap
    quantity = 1 + 9 * (number - 1) / (cap - 1)
    diverse = [one.diversity for one in (counted if settings.first_diversity else counted[1:])]
    diversity = sum(diverse) / len(diverse) if diverse else 1.0
    creativity = sum(one.creativity for one in counted) / len(counted)
    weights = settings.weights
    total = weights.quantity + weights.diversity + weights.creativity
    logs = (
        weights.quantity * log10(quantity),
        weights.diversity * log10(diversity),
        weights.creativity * log10(creativity),
    )
    return 10 * sum(logs) / total


def _copy_factor(settings: Settings, near: Sequence[bool], corpus: Comparison) -> float:
    """The factor in [0, 1] on the score of a session with more commands near to other people's than usual.

    Args:
        near: For each command of the session whether it is near to another person's.
    """
    usual = corpus.norms.near_share
    if not settings.copies or usual >= ALL_ALIKE:
        return 1.0
    excess = (sum(near) - usual * len(near)) / (len(near) + COMMANDS_GIVEN) / (1 - usual)
    return _within((settings.copies_high - excess) / (settings.copies_high - settings.copies_low))


def _order_factor(settings: Settings, texts: Sequence[str], corpus: Comparison) -> float:
    """The factor in [0, 1] on the score of a session with unusual word pairs, such as random words or mixed pieces of
    commands."""
    usual = corpus.usual_pairs if settings.word_order else 0.0
    if not usual:
        return 1.0
    found = [corpus.pair_usage(words_of(text, normalise=settings.normalise)) for text in texts[-LATEST:]]
    pairs = sum(one.total for one in found)
    share = (sum(one.known for one in found) + PAIRS_GIVEN * usual) / (pairs + PAIRS_GIVEN) / usual
    odd = (sum(one.oddness for one in found) - pairs * corpus.norms.oddness) / (pairs + PAIRS_GIVEN)
    known = _within((share - settings.order_low) / (settings.order_high - settings.order_low))
    return known * _within((settings.odd_high - odd) / (settings.odd_high - settings.odd_low))


def _within(value: float) -> float:
    return min(1.0, max(0.0, value))


def _advice(
    settings: Settings,
    new: _Command,
    creativity: float,
    diversity: float,
    quantity: int,
    order: float,
    own: float,
) -> str:
    if own < MUCH_LOST:
        return "Ask for more things of your own: many of your commands are what others said before."
    if order < MUCH_LOST:
        return "Write your commands as you would say them: their words seldom stand side by side."
    if len(new.content) < settings.ideal_length - 1:
        return "Try a longer command: say more exactly what you want, and where."
    if len(new.content) > settings.ideal_length + 1:
        return "Try a shorter command: ask for one thing at a time."
    if creativity < LITTLE:
        return "Try to be more creative: ask for something that few others ask for."
    if quantity < min(LITTLE, settings.quantity_cap):
        return "Well done. Please give more commands."
    if diversity < LITTLE - 1:
        return "Try something quite different from your commands before."
    return "Well done. Go on like this."
