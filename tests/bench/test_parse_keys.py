"""The count of keys: a worker who knows the form comes to it from every guess, with one key from a right one."""

import pytest

from bench.parts.parse_keys import keys_of
from lib.logical_form.slips import slip
from lib.logical_form.spans import tokenise
from tests.support.shared_data import OURS, Formed


@pytest.mark.parametrize("pair", OURS, ids=[pair.text for pair in OURS])
def test_every_guess_is_corrected_to_the_true_form(pair: Formed) -> None:
    text, form = pair.text, pair.form
    assert keys_of(text, form, form) == 1
    blank = keys_of(text, form, None)
    wrong = [slip([form], words=len(tokenise(text)), seed=str(seed)) for seed in range(8)]
    keys = [keys_of(text, form, guess) for guess in wrong]
    assert min(keys) > 1
    assert sum(keys) / len(keys) <= blank + 2
