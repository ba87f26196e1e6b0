"""The index against a table of distances worked out one by one."""

import random
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.stoplight import segment
from lib.stoplight.corpus import Index, Row
from lib.stoplight.words import content_of, words_of

WORDS = ["build", "dig", "red", "blue", "house", "hole", "tree", "the", "on", "7"]
COMMANDS = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
CORPORA = st.lists(st.tuples(COMMANDS, st.integers(1, 3)), max_size=40)


def distance(words: Sequence[str], others: Sequence[str], jokers: Collection[int]) -> int:
    """Levenshtein's, a joker being equal to any word."""
    row = list(range(len(others) + 1))
    for at, word in enumerate(words):
        before, row = row, [at + 1]
        for place, other in enumerate(others):
            cost = 0 if at in jokers or word == other else 1
            row.append(min(before[place] + cost, before[place + 1] + 1, row[place] + 1))
    return row[-1]


def plainly(words: Sequence[str], texts: Sequence[tuple[str, int]], jokers: Collection[int] = ()) -> float:
    found = 0.0
    for text, count in texts:
        other = content_of(words_of(text, normalise=True))
        longest = max(len(words), len(other))
        found += count * distance(words, other, jokers) / longest if longest else 0.0
    return found / sum(count for _, count in texts)


def index_of(*portions: Sequence[Row]) -> Index:
    index = Index(normalise=True)
    for portion in portions:
        index.extend(portion)
    return index


@given(CORPORA.filter(bool), st.lists(st.sampled_from([*WORDS, "igloo"]), max_size=12), st.sets(st.integers(0, 11)))
def test_the_mean_distance_is_that_of_the_plain_table(
    texts: list[tuple[str, int]], words: list[str], jokers: set[int]
) -> None:
    words = content_of(words)
    jokers = {at for at in jokers if at < len(words)}
    assert index_of(texts).mean_distance(words, jokers) == pytest.approx(plainly(words, texts, jokers), abs=1e-12)


@given(st.lists(CORPORA, max_size=6), COMMANDS)
def test_portions_make_no_difference_at_all(portions: list[list[tuple[str, int]]], text: str) -> None:
    apart, together = index_of(*portions), index_of([one for portion in portions for one in portion])
    words = words_of(text, normalise=True)
    a, b = apart.snapshot, together.snapshot
    assert a.mean_distance(content_of(words)) == b.mean_distance(content_of(words))
    assert (a.size, a.version, a.pairs, a.usual_pair_count) == (b.size, b.version, b.pairs, b.usual_pair_count)
    assert (a.sample, a.usual_distance, a.norms) == (b.sample, b.usual_distance, b.norms)
    assert a.pair_usage(words) == b.pair_usage(words)
    assert a.compared(words) == b.compared(words)
    assert [a.speaker_count(word) for word in words] == [b.speaker_count(word) for word in words]


@pytest.mark.parametrize("length", [7, 8, 9, 16, 17, 32, 33, 63, 64, 65, 130])
def test_long_commands_are_as_exact(length: int) -> None:
    draw = random.Random(length)
    known = [f"word{number}x" for number in range(20)]
    texts = [(" ".join(draw.choices(known, k=draw.choice((1, 5, 62, 63, 64, 90)))), 1) for _ in range(40)]
    words = draw.choices([*known, "igloo"], k=length)
    jokers = set(draw.sample(range(length), 3))
    assert index_of(texts).mean_distance(words) == pytest.approx(plainly(words, texts), abs=1e-12)
    assert index_of(texts).mean_distance(words, jokers) == pytest.approx(plainly(words, texts, jokers), abs=1e-12)


def test_commands_with_equal_fingerprints_are_not_taken_for_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment, "_prints", lambda tokens, starts, lengths: (lengths * 0).astype("uint64"))
    texts = [("dig holes", 1), ("build houses", 2), ("dig holes", 1), ("paint", 1), ("build holes", 1)]
    words = ["dig", "houses"]
    assert index_of(texts).mean_distance(words) == pytest.approx(plainly(words, texts))


def test_an_empty_corpus_has_no_mean_distance() -> None:
    empty = Index(normalise=True).snapshot
    assert empty.mean_distance(["build"]) is None
    assert (empty.size, empty.version) == (0, 0)


def test_the_usual_distance_is_that_between_any_two() -> None:
    texts = ["dig a hole", "dig", "build a red house", "come here", "dig a hole"]
    words = [content_of(text.split()) for text in texts]
    pairs = [(a, b) for at, a in enumerate(words) for b in words[at + 1 :]]
    apart = [distance(a, b, ()) / max(len(a), len(b)) for a, b in pairs]
    snapshot = index_of([(text, 1) for text in texts]).snapshot
    assert snapshot.usual_distance == pytest.approx(sum(apart) / len(apart))
    assert index_of([("dig", 1)]).snapshot.usual_distance is None


def test_the_usual_distance_of_many_is_that_of_a_sample_of_all() -> None:
    rows = [(f"dig {number % 7}", 1) for number in range(5000)]
    sample = index_of(rows[:1234], rows[1234:]).snapshot.sample
    assert (sample.seen, sample.step, len(sample.texts)) == (5000, 32, 157)
    assert sample.texts == tuple(text for text, _ in rows[::32])


def test_a_snapshot_stays_as_it_was() -> None:
    index = index_of([("build a house", 2)])
    before = index.snapshot
    index.add("build a house")
    index.add("dig a hole", 3)
    assert (before.version, before.size, before.mean_distance(["build", "house"])) == (2, 2, 0.0)
    assert (index.version, index.snapshot.mean_distance(["build", "house"])) == (6, 0.5)
    assert before.speaker_count("hole") == 0


def test_a_version_may_be_given_and_may_skip_numbers() -> None:
    index = index_of()
    assert index.extend([("dig", 1)], version=7).version == 7
    assert index.extend([], version=9).version == 9
    assert index.snapshot.size == 1


def test_a_corpus_may_keep_no_pairs() -> None:
    index = Index(normalise=True, with_pairs=False)
    index.add("build a house")
    assert (index.snapshot.usual_pairs, index.snapshot.pair_usage(["build", "a"]).known) == (0.0, 0)


def test_usual_pairs_of_words_differ_from_words_thrown_together() -> None:
    snapshot = index_of([("build a house beside the lake", 2), ("dig a hole under the bridge", 2)]).snapshot
    usual = snapshot.pair_usage(words_of("build a hole under the lake", normalise=True))
    thrown = snapshot.pair_usage(words_of("lake hole the a under build", normalise=True))
    assert usual.total == thrown.total == 6
    assert usual.known >= 4
    assert thrown.known <= 1
    assert usual.oddness < 0.5 < thrown.oddness
    assert 0.3 < snapshot.usual_pairs < 1


LONG = " ".join(["zqxvwk wkjhpp"] * 13)


@pytest.mark.parametrize(
    ("rows", "words", "speakers", "known"),
    [
        ([("dig dig dig", 1), ("dig a hole", 2), ("hole", 1)], ["dig", "hole", "igloo"], [3, 3, 0], 1),
        ([("go to 3 4", 9)], ["go", "to", "7"], [9, 0, 0], 3),
        ([("go to 3 4", 9)], ["7", "8", "9"], [0, 0, 0], 0),
        ([(LONG, 5)], ["zqxvwk", "wkjhpp"], [0, 0], 0),
    ],
    ids=["once for each command", "numbers are one word", "numbers in a row", "too long to teach"],
)
def test_speakers_and_usual_pairs(rows: list[Row], words: list[str], speakers: list[int], known: int) -> None:
    snapshot = index_of(rows).snapshot
    assert [snapshot.speaker_count(word) for word in words] == speakers
    assert snapshot.pair_usage(words).known == known


def test_words_that_one_person_repeats_are_not_usual() -> None:
    rows = [("zqxvwk wkjhpp paint", 1, 7)] * 5
    words = ["zqxvwk", "wkjhpp", "paint"]
    alone, several = index_of([], rows).snapshot, index_of(rows, [("zqxvwk wkjhpp paint", 1, 8)]).snapshot
    assert [alone.speaker_count(word) for word in words] == [1, 1, 1]
    assert [several.speaker_count(word) for word in words] == [2, 2, 2]
    assert (alone.pair_usage(words).known, several.pair_usage(words).known) == (0, 3)


@given(CORPORA.filter(bool), st.lists(st.sampled_from([*WORDS, "igloo"]), max_size=12))
def test_the_nearest_is_that_of_the_plain_table(texts: list[tuple[str, int]], words: list[str]) -> None:
    words = content_of(words)
    others = [(content_of(words_of(text, normalise=True)), count) for text, count in texts]
    apart = [distance(words, other, ()) / max(len(words), len(other), 1) for other, _ in others]
    found = index_of(texts).snapshot.compared(words)
    assert found.equal == sum(count for one, (_, count) in zip(apart, others, strict=True) if not one)
    # Of those that share no more than a word nobody asks.
    nearest = min((one for one in apart if one), default=1.0)
    assert found.other == pytest.approx(nearest) if nearest < 0.5 else found.other >= 0.5


@pytest.mark.long
def test_a_corpus_is_surveyed_at_the_same_sizes_however_it_comes() -> None:
    texts = [
        (f"build {number % 9} {('red', 'blue', 'green')[number % 3]} huts by tree {number % 31}", 1, number % 5)
        for number in range(400)
    ]
    together, apart = index_of(texts), Index(normalise=True)
    for text in texts:
        apart.extend([text])
    one, other = together.snapshot, apart.snapshot
    assert (one.norms, one.next_survey, one.usual_pairs) == (other.norms, other.next_survey, other.usual_pairs)
    assert one.next_survey > 400
    assert 0 < one.norms.near_share <= 0.4


def test_many_read_while_one_adds() -> None:
    """Each reader sees whole commands only: the mean belongs to the version that it is read at."""
    index = index_of([("build house", 1)])

    def read(_: int) -> None:
        for _ in range(50):
            snapshot = index.snapshot
            assert snapshot.mean_distance(["build", "house"]) == (snapshot.version - 1) / snapshot.version

    with ThreadPoolExecutor(4) as threads:
        readers = [threads.submit(read, one) for one in range(3)]
        for number in range(200):
            index.add(f"dig {number}x pits{number % 3}")
        for reader in readers:
            reader.result()
    assert index.version == 201
