"""Ways to earn a bonus without honest work. Each makes the commands of a session, given honest ones to begin from."""

import random
from collections.abc import Callable, Mapping, Sequence

from interaction.stoplight.words import content_of, english_words, words_of

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
