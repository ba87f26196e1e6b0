from jsonschema import Draft202012Validator

from lib.logical_form.asking.questions import answer_faults
from lib.logical_form.asking.walk import record_of, walk
from lib.logical_form.english.differences import differences
from lib.logical_form.english.outline import outline, sentence
from lib.logical_form.normal import normal, same
from lib.logical_form.schema import schema
from lib.logical_form.spans import tokenise
from lib.logical_form.upgrade import upgraded
from lib.logical_form.validate import faults_of
from tests.support.shared_data import needs_real_pairs, real_pairs

pytestmark = needs_real_pairs
_NOW = Draft202012Validator(schema())
_THEN = Draft202012Validator(schema(old=True))


def test_every_pair_marked_valid_is_valid_once_its_spellings_are_upgraded() -> None:
    pairs = [pair for pair in real_pairs() if pair.is_valid]
    assert len(pairs) == 462
    wrong = {}
    for pair in pairs:
        form, changes = upgraded(pair.form)
        if faults := faults_of(form, words=len(tokenise(pair.text))):
            wrong[pair.text] = faults
        assert bool(changes) == (form != pair.form), pair.text
        assert _THEN.is_valid(pair.form), pair.text
    assert wrong == {}


def test_pairs_marked_invalid_are_refused_and_repaired_with_a_reason() -> None:
    pairs = [pair for pair in real_pairs() if not pair.is_valid]
    assert len(pairs) == 38
    for pair in pairs:
        assert not _NOW.is_valid(pair.form), pair.text
        assert faults_of(pair.form), pair.text
        form, changes = upgraded(pair.form)
        assert all(change.reason.endswith(".") for change in changes), pair.text
        assert any("is called event_sequence now" not in change.reason for change in changes), pair.text
        assert faults_of(form, words=len(tokenise(pair.text))) == [], pair.text


def test_schema_and_validation_agree_on_every_pair_old_and_upgraded() -> None:
    for pair in real_pairs():
        for form in (pair.form, upgraded(pair.form)[0]):
            assert _NOW.is_valid(form) == (not faults_of(form)), pair.text


def test_every_pair_comes_back_the_same_from_few_questions() -> None:
    steps = []
    for pair in real_pairs():
        form, words = upgraded(pair.form)[0], len(tokenise(pair.text))
        record = record_of(form)
        walked = walk(record)
        assert (walked.open, walked.faults) == ([], []), pair.text
        assert same(walked.form, pair.form), pair.text
        for step in walked.done:
            assert answer_faults(step, record[step.key], words=words) == [], (pair.text, step.key)
        steps.append(len(record))
    assert sorted(steps)[len(steps) // 2] <= 11


def test_every_pair_has_one_normal_form_and_reads_as_english_without_raw_keys() -> None:
    for pair in real_pairs():
        form, tokens = upgraded(pair.form)[0], tokenise(pair.text)
        assert normal(normal(pair.form)) == normal(pair.form), pair.text
        assert differences(pair.form, form, tokens) == [], pair.text
        lines = outline(form, tokens)
        english = " ".join([sentence(form, tokens), *(f"{line.label} {line.text}" for line in lines)])
        assert sentence(form, tokens).endswith("."), pair.text
        assert lines, pair.text
        for token in tokens:
            english = english.replace(token, "") if "_" in token else english
        assert "_" not in english, english
