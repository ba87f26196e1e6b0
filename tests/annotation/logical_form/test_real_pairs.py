from jsonschema import Draft202012Validator

from annotation.logical_form.differences import differences
from annotation.logical_form.normal import normal, same
from annotation.logical_form.questions import answer_faults
from annotation.logical_form.schema import schema
from annotation.logical_form.spans import tokenise
from annotation.logical_form.upgrade import upgraded
from annotation.logical_form.validate import faults_of
from annotation.logical_form.walk import record_of, walk
from annotation.logical_form.words import outline, sentence
from tests.annotation.logical_form.real import needs_real_pairs, real_pairs

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
    assert wrong == {}


def test_every_pair_marked_valid_is_valid_as_it_stands_by_the_schema_of_old_spellings() -> None:
    assert [pair.text for pair in real_pairs() if pair.is_valid and not _THEN.is_valid(pair.form)] == []


def test_the_pairs_marked_invalid_are_refused_as_they_stand_and_repaired_with_a_stated_reason() -> None:
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


def test_every_pair_comes_back_the_same_from_its_questions() -> None:
    for pair in real_pairs():
        form, words = upgraded(pair.form)[0], len(tokenise(pair.text))
        record = record_of(form)
        walked = walk(record)
        assert (walked.open, walked.faults) == ([], []), pair.text
        assert same(walked.form, pair.form), pair.text
        for step in walked.done:
            assert answer_faults(step, record[step.key], words=words) == [], (pair.text, step.key)


def test_the_questions_of_a_command_are_few() -> None:
    steps = sorted(len(record_of(upgraded(pair.form)[0])) for pair in real_pairs())
    assert steps[len(steps) // 2] <= 11


def test_the_normal_form_of_a_pair_is_its_own_normal_form() -> None:
    for pair in real_pairs():
        assert normal(normal(pair.form)) == normal(pair.form), pair.text
        assert differences(pair.form, upgraded(pair.form)[0], tokenise(pair.text)) == [], pair.text


def test_every_pair_reads_as_a_sentence_and_an_outline_without_raw_keys() -> None:
    for pair in real_pairs():
        form, tokens = upgraded(pair.form)[0], tokenise(pair.text)
        lines = outline(form, tokens)
        said = " ".join([sentence(form, tokens), *(f"{line.label} {line.text}" for line in lines)])
        assert sentence(form, tokens).endswith("."), pair.text
        assert lines, pair.text
        of_the_command = {word for token in tokens if "_" in token for word in (token,)}
        for word in of_the_command:
            said = said.replace(word, "")
        assert "_" not in said, said
