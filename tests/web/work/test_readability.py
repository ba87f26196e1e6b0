"""Workers read their pages with ease: grade 6 of school at most, page by page and sentence by sentence."""

from collections import defaultdict
from collections.abc import Callable, Iterable

import pytest

from tests.support.readability import ROOT, grade, of_front_end, of_python, of_templates

MOST = 6.0
MOST_ALONE, LONG = 8.0, 10
"""One sentence alone may be a little harder; a few words are too few for the measure."""
TELLING = 8
"""Fewer words may be a title or a short phrase, which many pages have."""
PYTHON = (
    *(f"web/work/{path.name}" for path in sorted((ROOT / "web" / "work").glob("*.py"))),
    *(
        f"lib/logical_form/asking/{path.name}"
        for path in sorted((ROOT / "lib" / "logical_form" / "asking").glob("*.py"))
    ),
    "annotation/offer/information_page.py",
    "annotation/quality/gates.py",
    "annotation/tools/parse/practice.py",
    "annotation/tools/voxels/practice.py",
    "annotation/work/messages.py",
    "demo/load_episodes.py",
)
SOURCES: dict[str, tuple[Callable[[], Iterable[tuple[str, str]]], int]] = {
    "pages": (of_templates, 80),
    "scripts": (lambda: of_front_end("work", "tools"), 400),
    "server": (lambda: of_python(*PYTHON), 100),
}


@pytest.mark.parametrize("source", SOURCES)
def test_workers_read_it_with_ease(source: str) -> None:
    read, least = SOURCES[source]
    found = list(read())
    assert len(found) >= least, "the sentences are not found any more"
    files: dict[str, list[str]] = defaultdict(list)
    for file, sentence in found:
        files[file].append(sentence)
    assert {file: round(grade(said), 1) for file, said in files.items() if len(said) > 4 and grade(said) > MOST} == {}
    hard = [(file, one) for file, one in found if len(one.split()) >= LONG and grade([one]) > MOST_ALONE]
    assert hard == []


def test_no_sentence_stands_twice() -> None:
    """A sentence that stands in two files is changed, or translated, in one of them alone."""
    where: dict[str, set[str]] = defaultdict(set)
    for read, _ in SOURCES.values():
        for file, sentence in read():
            if len(sentence.split()) >= TELLING:
                where[sentence.strip(" .").lower()].add(file)
    assert {sentence: files for sentence, files in where.items() if len(files) > 1} == {}


@pytest.mark.parametrize(
    ("sentence", "low", "high"),
    [
        ("Press the key.", -3, 1),
        ("Look at the ball, and press S when it is in the box.", -1, 3),
        ("Participants' adjudications necessitate comprehensive familiarity with idiosyncratic terminology.", 20, 50),
    ],
)
def test_the_measure_tells_easy_from_hard(sentence: str, low: float, high: float) -> None:
    assert low < grade([sentence]) < high
