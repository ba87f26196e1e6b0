"""Corpora as they are kept: entered in order, and read alike by every thread and process."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from threading import Event
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import F

from commands import corpora
from commands.models import Command, Corpus, CorpusCommand
from lib.stoplight.settings import PRESETS
from tests.support.builders import NOON
from tests.support.servers import own_site
from tests.support.sessions import both, judged
from tests.support.shared_data import ROOT
from tests.support.stoplight import OTHERS, SESSIONS

DEFAULT, PAPER = PRESETS["default"], PRESETS["paper"]
HOUSE = ["build", "house"]
Ask = Callable[..., Any]


def enter(*texts: str, slug: str = "blocks") -> int:
    return corpora.enter(slug=slug, texts=[(text, None) for text in texts], at=NOON)


@pytest.mark.django_db
def test_commands_are_numbered_in_their_order() -> None:
    assert enter("dig a hole", "build a house") == 2
    assert enter() == 2
    assert enter("come here") == 3
    assert enter("come here", slug="others") == 1
    rows = CorpusCommand.objects.filter(corpus__slug="blocks").order_by("number")
    assert list(rows.values_list("number", "text")) == [(1, "dig a hole"), (2, "build a house"), (3, "come here")]
    assert Corpus.objects.get(slug="blocks").version == 3


@pytest.mark.django_db
def test_a_command_is_entered_once() -> None:
    worker, agent = both()
    judged(worker, agent)
    command = Command.objects.get()
    assert corpora.enter(slug="blocks", texts=[("dig", command.pk), ("dig", command.pk)], at=NOON) == 1
    assert corpora.enter(slug="blocks", texts=[("dig", command.pk), ("dig", None)], at=NOON) == 2
    assert corpora.enter(slug="others", texts=[("dig", command.pk)], at=NOON) == 1


@pytest.mark.django_db
def test_a_word_is_counted_once_for_each_worker() -> None:
    """Otherwise a worker could make a word known by repeating it."""
    project = None
    for said in ("dig zqxvwk pits", "fill zqxvwk pits"):
        worker, agent = both(project)
        project = worker.session.project
        judged(worker, agent)
        command = Command.objects.latest("pk")
        texts: list[tuple[str, int | None]] = [(said, command.pk)]
        corpora.enter(slug="blocks", texts=texts, at=NOON)
        judged(worker, agent, name="again")
        corpora.enter(slug="blocks", texts=[(f"{said} again", Command.objects.latest("pk").pk)], at=NOON)
    corpus, version = corpora.comparison("blocks", DEFAULT)
    assert (version, corpus.speaker_count("zqxvwk")) == (4, 2)


@pytest.mark.django_db
def test_an_entry_that_is_rolled_back_leaves_no_gap() -> None:
    enter("dig a hole")
    point = transaction.savepoint()
    enter("build a house")
    transaction.savepoint_rollback(point)
    assert enter("come here") == 2
    assert list(CorpusCommand.objects.values_list("number", flat=True)) == [1, 2]


@pytest.mark.django_db
def test_a_comparison_has_the_entered_commands_and_stays_as_it_is() -> None:
    empty, version = corpora.comparison("blocks", DEFAULT)
    assert (empty.size, version, empty.compared(HOUSE, ()).distance) == (0, 0, None)
    assert corpora.comparison_at("blocks", DEFAULT, 3).size == 0
    enter("build a house")
    before, first = corpora.comparison("blocks", DEFAULT)
    enter("dig a hole")
    after, second = corpora.comparison("blocks", DEFAULT)
    assert (first, before.size, before.compared(HOUSE, ()).distance) == (1, 1, 0.0)
    assert (second, after.size, after.compared(HOUSE, ()).distance) == (2, 2, 0.5)


@pytest.mark.django_db
def test_a_corpus_without_new_commands_costs_one_query(django_assert_num_queries: Any) -> None:
    enter(*OTHERS)
    corpora.warm("blocks", DEFAULT)
    with django_assert_num_queries(1):
        corpora.comparison("blocks", DEFAULT)
    with django_assert_num_queries(0):
        corpora.warm("blocks", DEFAULT)
    enter("build a house")
    with django_assert_num_queries(4):
        corpora.comparison("blocks", DEFAULT)


@pytest.mark.django_db
def test_only_new_commands_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    enter(*OTHERS)
    corpora.warm("blocks", DEFAULT)
    read = _watch(monkeypatch)
    enter("build a house", "dig a hole")
    corpora.comparison("blocks", DEFAULT)
    assert read == [(len(OTHERS), len(OTHERS) + 2)]


@pytest.mark.django_db
def test_settings_that_split_words_differently_have_indices_of_their_own() -> None:
    enter("Build a House!")
    assert corpora.comparison("blocks", DEFAULT)[0].compared(HOUSE, ()).distance == 0.0
    assert corpora.comparison("blocks", PAPER)[0].compared(HOUSE, ()).distance == 1.0


@pytest.mark.django_db
def test_an_erased_text_is_forgotten() -> None:
    enter("build a house", "dig a hole")
    corpora.warm("blocks", DEFAULT)
    CorpusCommand.objects.filter(number=1).update(text="")
    Corpus.objects.update(generation=F("generation") + 1)
    corpus, version = corpora.comparison("blocks", DEFAULT)
    assert (version, corpus.size, corpus.compared(HOUSE, ()).distance) == (2, 1, 1.0)
    assert corpora.comparison_at("blocks", DEFAULT, 1).size == 0


@pytest.mark.django_db
def test_a_database_that_was_set_back_is_read_anew() -> None:
    enter("dig a hole")
    point = transaction.savepoint()
    enter("build a house")
    corpora.warm("blocks", DEFAULT)
    transaction.savepoint_rollback(point)
    assert corpora.comparison("blocks", DEFAULT)[0].compared(HOUSE, ()).distance == 1.0
    enter("fill the pool")
    corpus, version = corpora.comparison("blocks", DEFAULT)
    assert (version, corpus.size, corpus.compared(HOUSE, ()).distance) == (2, 2, 1.0)


@pytest.mark.django_db
def test_an_appeal_sees_the_corpus_of_that_time() -> None:
    versions = [enter(text) for text in OTHERS[:6]]
    corpora.warm("blocks", DEFAULT)
    for version in versions:
        corpus = corpora.comparison_at("blocks", DEFAULT, version)
        assert corpus.size == version
        assert (corpus.compared(OTHERS[version - 1].split(), ()).distance or 0) < 1
    assert corpora.comparison_at("blocks", DEFAULT, 0).size == 0


@pytest.mark.django_db
def test_a_process_holds_only_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpora, "MOST_HELD", 2)
    for slug in ("a", "b", "c"):
        enter(*OTHERS, slug=slug)
        corpora.warm(slug, DEFAULT)
    assert [slug for slug, *_ in corpora._all_held] == ["b", "c"]
    monkeypatch.setattr(corpora, "MOST_COMMANDS", len(OTHERS))
    enter("one more", slug="c")
    corpora.comparison("c", DEFAULT)
    assert [slug for slug, *_ in corpora._all_held] == ["c"]


@pytest.mark.django_db(transaction=True)
def test_one_thread_loads_and_the_others_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    enter(*OTHERS)
    begun = Event()
    read = _watch(monkeypatch, begun=begun)

    def warm() -> int:
        try:
            corpora.warm("blocks", DEFAULT)
            return corpora.comparison("blocks", DEFAULT)[1]
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        versions = [threads.submit(warm) for _ in range(4)]
        assert begun.wait(10)
        assert [version.result() for version in versions] == [len(OTHERS)] * 4
    assert read == [(0, len(OTHERS))]


def _watch(monkeypatch: pytest.MonkeyPatch, begun: Event | None = None) -> list[tuple[int, int]]:
    """The versions from which and up to which an index is read, each time that one is."""
    found: list[tuple[int, int]] = []
    extended = corpora._extended

    def watched(index: Any, corpus: int, *, upto: int) -> Any:
        found.append((index.version, upto))
        if begun:
            begun.set()
        return extended(index, corpus, upto=upto)

    monkeypatch.setattr(corpora, "_extended", watched)
    return found


# Several processes ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Ask]]:
    """Three processes with one database."""
    with own_site(tmp_path_factory.mktemp("site")) as site, ExitStack() as stack:
        started = [stack.enter_context(_process(site.environment)) for _ in range(3)]
        for process in started:
            assert _line(process) == "ready"
        yield [partial(_ask, process) for process in started]
        for process in started:
            assert process.stdin is not None
            process.stdin.close()
            assert process.wait(30) == 0


def test_two_processes_agree_and_see_each_others_commands(processes: list[Ask]) -> None:
    one, other, late = processes
    assert one(enter="blocks", texts=OTHERS) == len(OTHERS)
    _agree(one, other, slug="blocks", version=len(OTHERS))
    assert other(enter="blocks", texts=SESSIONS[0]) == len(OTHERS) + 10
    assert one(enter="blocks", texts=SESSIONS[1]) == len(OTHERS) + 20
    _agree(one, other, slug="blocks", version=len(OTHERS) + 20)
    assert late(score="blocks", text=OTHERS[3]) == one(score="blocks", text=OTHERS[3])


def test_processes_that_enter_at_once_lose_and_double_nothing(processes: list[Ask]) -> None:
    def busy(ask: Ask) -> list[int]:
        return [ask(enter="busy", texts=texts) for texts in SESSIONS]

    with ThreadPoolExecutor(3) as threads:
        versions = [version for found in threads.map(busy, processes) for version in found]
    assert sorted(versions) == [10 * (number + 1) for number in range(18)]
    _agree(processes[0], processes[1], slug="busy", version=180)


def _agree(one: Ask, other: Ask, *, slug: str, version: int) -> None:
    """Both processes score the same commands at the same time, with equal digits."""
    with ThreadPoolExecutor(2) as threads:
        for text in (*SESSIONS[2], "build an igloo", "xqzw the vvbnm"):
            for preset in ("default", "paper"):
                found = [threads.submit(ask, score=slug, text=text, preset=preset) for ask in (one, other)]
                first, second = (answer.result() for answer in found)
                assert first == second
                assert (first["version"], first["size"]) == (version, version)


def _process(environment: dict[str, str]) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.support.corpus_process"]
    environment = {"DJANGO_SETTINGS_MODULE": "config.settings", **environment}
    return subprocess.Popen(
        command, env=environment, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def _ask(process: "subprocess.Popen[str]", **words: Any) -> Any:
    assert process.stdin is not None
    process.stdin.write(json.dumps(words) + "\n")
    process.stdin.flush()
    return _line(process)


def _line(process: "subprocess.Popen[str]") -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())
