"""Honest sessions, ways to earn a bonus without honest work, and a session scored from first command to last."""

import random
from collections.abc import Callable, Mapping, Sequence

from lib.stoplight.comparison import Comparison
from lib.stoplight.formula import CommandScore, Earlier, Signs, score_command
from lib.stoplight.settings import Settings
from lib.stoplight.words import content_of, english_words, words_of

SESSIONS: tuple[tuple[str, ...], ...] = (
    (
        "Build a small hut beside the lake.",
        "make its roof out of dark wood",
        "dig a well three blocks behind the hut",
        "Spawn two white sheep near the well",
        "follow me to the yellow tower",
        "knock down the top of that tower",
        "How many sheep can you see?",
        "put a torch over the door of the hut",
        "walk five steps towards the mountain",
        "undo the last thing that you did",
    ),
    (
        "go to the blue cube and stand on it",
        "copy the cube four times in a row",
        "Destroy the cube furthest from you",
        "dance around the remaining cubes please",
        "fill the gap between two cubes with gravel",
        "what is the tallest thing around here",
        "build a glass fence around the pigs",
        "bring me the brown pig",
        "turn right and look at the sunset",
        "dig out the ground under the pig",
    ),
    (
        "please build a bridge of stone across the river",
        "make the bridge two blocks wider",
        "place lanterns at both ends of the bridge",
        "walk over the bridge and come back",
        "spawn a horse on the far bank",
        "name that horse thunder",
        "where is thunder now?",
        "dig a ditch along the road",
        "pour water into the ditch",
        "jump across the ditch twice",
    ),
    (
        "build a purple pyramid six blocks high",
        "put a golden block on its peak",
        "remove one corner of the pyramid",
        "is there a cave near the pyramid?",
        "tag this cave as dangerous",
        "close the mouth of the cave with planks",
        "move away from the cave quickly",
        "hop backwards until you touch the wall",
        "tear the old wall down",
        "give me the bricks that fell off",
    ),
    (
        "clear all bushes in front of the castle",
        "plant flowers along the castle wall",
        "build a gate with two red doors",
        "open the gate for my cow",
        "make the cow walk through the gate",
        "count the windows of the castle",
        "break every second window on the left",
        "repair the windows that you broke",
        "climb the highest tower and wave",
        "come down and tell me what you saw",
    ),
    (
        "stack twelve wooden crates beside the barn",
        "paint the barn door orange",
        "which crate is closest to the chickens?",
        "carry that crate into the barn",
        "spawn a fox outside the fence",
        "chase the fox into the forest",
        "dig a trap for the fox by the oak",
        "cover the trap with leaves",
        "fill the trap again so nobody falls in",
        "build a tiny kennel out of birch",
    ),
)
OTHERS: tuple[str, ...] = (
    "make a round table with six chairs",
    "go behind the waterfall and wait there",
    "destroy half of the northern wall",
    "dig straight down until you hit coal",
    "what did you put inside the chest?",
    "spawn a parrot above my head",
    "build stairs from the beach to the village",
    "swap the red wool for green wool",
    "point your finger at the tallest birch",
    "fill the crater with sand and grass",
    "draw the letter m with iron blocks",
    "run around the pond as fast as you can",
    "make three copies of the windmill over there",
    "take the saddle off the horse",
    "build an arch between these pillars",
    "remove the snow from every roof in the village",
    "come closer and look me in the face",
    "tag the stone circle as sacred place",
    "put a roof over the market",
    "how far is the village from the harbour",
    "dig a cellar beneath the church",
    "bring the wheat to the mill",
    "build a lighthouse on the cliff by the sea",
    "stand still until the rain has stopped",
    "move the boat to the other shore",
    "cut the hedge in front of the school",
    "copy this statue next to the fountain",
    "spin around and then lie down",
    "break the ice on the frozen lake",
    "light a fire in the middle of the camp",
)


def all_but(number: int) -> list[str]:
    """The texts of the corpus without those of one session."""
    return [text for at, session in enumerate(SESSIONS) if at != number for text in session] + list(OTHERS)


LENGTH = 10
Cheat = Callable[[random.Random, Sequence[str]], list[str]]


def gibberish(draw: random.Random, honest: Sequence[str]) -> list[str]:
    return [" ".join(_letters(draw, draw.randint(3, 9)) for _ in range(4)) for _ in range(LENGTH)]


def gibberish_in_grammar(draw: random.Random, honest: Sequence[str]) -> list[str]:
    """Half of the words are such as stand in every command."""
    return [f"build the {_letters(draw, 6)} on my {_letters(draw, 7)} to {_letters(draw, 5)}" for _ in range(LENGTH)]


def copies(draw: random.Random, honest: Sequence[str]) -> list[str]:
    return [draw.choice(honest)] * LENGTH


def dressed_copies(draw: random.Random, honest: Sequence[str]) -> list[str]:
    """Case, punctuation, spaces and look-alike characters."""
    words = draw.choice(honest).split()
    return [
        "".join(_dressed(draw, word) + " " * draw.randint(1, 2) for word in words) + draw.choice("!?. ")
        for _ in range(LENGTH)
    ]


def padded_copies(draw: random.Random, honest: Sequence[str]) -> list[str]:
    one = draw.choice(honest)
    return [f"{one} {draw.choice(('now', 'please', 'for me', 'over there', 'again', 'ok'))}" for _ in range(LENGTH)]


def two_by_turns(draw: random.Random, honest: Sequence[str]) -> list[str]:
    return list(draw.sample(list(honest), 2)) * (LENGTH // 2)


def template(draw: random.Random, honest: Sequence[str]) -> list[str]:
    colours, things = ("red", "blue", "green", "white", "black"), ("house", "tower", "wall", "tree", "boat")
    return [f"build a {colour} {thing} next to me" for colour, thing in zip(colours * 2, things * 2, strict=True)]


def shuffled(draw: random.Random, honest: Sequence[str]) -> list[str]:
    """The words of honest commands, thrown together."""
    known = [word for text in honest for word in words_of(text, normalise=True)]
    return [" ".join(draw.sample(known, min(6, len(known)))) for _ in range(LENGTH)]


def dictionary(draw: random.Random, honest: Sequence[str]) -> list[str]:
    known = sorted(english_words())
    return [" ".join(draw.sample(known, 4)) for _ in range(LENGTH)]


def very_long(draw: random.Random, honest: Sequence[str]) -> list[str]:
    return [" and ".join(draw.sample(list(honest), min(12, len(honest)))) for _ in range(LENGTH)]


def very_short(draw: random.Random, honest: Sequence[str]) -> list[str]:
    known = sorted({word for text in honest for word in words_of(text, normalise=True)})
    return draw.sample(known, min(LENGTH, len(known)))


def numbers(draw: random.Random, honest: Sequence[str]) -> list[str]:
    return [" ".join(str(draw.randint(1, 10**6)) for _ in range(4)) for _ in range(LENGTH)]


def numbers_and_a_verb(draw: random.Random, honest: Sequence[str]) -> list[str]:
    return [f"{draw.choice(('build', 'dig', 'move'))} {_few(draw)} {_few(draw)} {_few(draw)}" for _ in range(LENGTH)]


def glued_pairs(draw: random.Random, honest: Sequence[str]) -> list[str]:
    """Pieces of two words that honest commands have, three of them a command."""
    texts = [words_of(text, normalise=True) for text in honest]
    pieces = [words[at : at + 2] for words in texts for at in range(0, len(words) - 1, 2)]
    return [" ".join(word for piece in draw.choices(pieces, k=3) for word in piece) for _ in range(LENGTH)]


def of_others(draw: random.Random, honest: Sequence[str]) -> list[str]:
    return draw.sample(list(honest), min(LENGTH, len(honest)))


def of_others_dressed(draw: random.Random, honest: Sequence[str]) -> list[str]:
    """With a word more that changes nothing."""
    return [draw.choice((f"{text} please", f"hey {text}", f"now {text}!")) for text in of_others(draw, honest)]


def of_others_shortened(draw: random.Random, honest: Sequence[str]) -> list[str]:
    """With a word less."""
    texts = [text.split() for text in of_others(draw, honest)]
    return [" ".join(words[:at] + words[at + 1 :]) for words in texts for at in [draw.randrange(len(words))]]


def of_others_exchanged(draw: random.Random, honest: Sequence[str]) -> list[str]:
    """With one word exchanged for another one that somebody said."""
    known = [word for text in honest for word in content_of(words_of(text, normalise=True))]
    texts = [text.split() for text in of_others(draw, honest)]
    return [
        " ".join([*words[:at], draw.choice(known), *words[at + 1 :]])
        for words in texts
        for at in [draw.choice([at for at, word in enumerate(words) if content_of([word])] or [0])]
    ]


CHEATS: Mapping[str, Cheat] = {
    "gibberish": gibberish,
    "gibberish in grammar": gibberish_in_grammar,
    "copies": copies,
    "case, punctuation": dressed_copies,
    "padded copies": padded_copies,
    "two by turns": two_by_turns,
    "template": template,
    "word salad": shuffled,
    "dictionary salad": dictionary,
    "very long": very_long,
    "very short": very_short,
    "numbers": numbers,
    "numbers and a verb": numbers_and_a_verb,
    "glued pairs": glued_pairs,
}
OF_OTHERS: Mapping[str, Cheat] = {
    "of others": of_others,
    "of others, a word more": of_others_dressed,
    "of others, a word less": of_others_shortened,
    "of others, a word exchanged": of_others_exchanged,
}


def _few(draw: random.Random) -> int:
    return draw.randint(1, 99)


def _letters(draw: random.Random, number: int) -> str:
    return "".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=number))


def _dressed(draw: random.Random, word: str) -> str:
    shown = draw.choice((str.upper, str.lower, str.title))(word)
    if draw.random() < 0.2:
        shown = "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in shown)
    return shown + draw.choice(("", "", ",", "!", "."))


UNDERSTOOD = Signs(is_judged=True, has_form=True, is_nlu_error=False)
SAID_MISUNDERSTOOD = Signs(is_judged=True, has_form=False, is_nlu_error=True)


def scores_of(
    texts: Sequence[str],
    *,
    settings: Settings,
    corpus: Comparison,
    signs: Signs = UNDERSTOOD,
    elsewhere: Sequence[str] = (),
) -> list[CommandScore]:
    """The score after each command."""
    found: list[CommandScore] = []
    earlier: list[Earlier] = []
    for text in texts:
        score = score_command(settings, text, earlier=earlier, elsewhere=elsewhere, signs=signs, corpus=corpus)
        earlier.append(Earlier(text, score.counted, score.creativity, score.diversity, score.near))
        found.append(score)
    return found
