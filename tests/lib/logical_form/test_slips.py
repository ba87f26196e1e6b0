"""Slips: forms that are almost right, valid and wrong."""

import pytest

from lib.logical_form.normal import same
from lib.logical_form.slips import slip
from lib.logical_form.spans import tokenise
from lib.logical_form.validate import faults_of
from tests.support.shared_data import OURS, Formed


@pytest.mark.parametrize("pair", OURS, ids=[pair.text for pair in OURS])
def test_a_slip_is_a_valid_form_of_the_command_that_means_something_else(pair: Formed) -> None:
    text, form = pair.text, pair.form
    words = len(tokenise(text))
    made = [slip([form], words=words, seed=str(seed)) for seed in range(20)]
    assert [faults_of(one, words=words) for one in made] == [[]] * 20
    assert not any(same(one, form) for one in made)
    assert made[0] == slip([form], words=words, seed="0"), "one seed, one slip"


def test_a_slip_is_none_of_several_right_forms() -> None:
    forms = [pair.form for pair in OURS if pair.form["dialogue_type"] != "NOOP"][:2]
    made = [slip(forms, words=5, seed=str(seed)) for seed in range(20)]
    assert not any(same(one, form) for one in made for form in forms)
