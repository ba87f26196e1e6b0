"""The use of a project's work for the agent, as its workers are told."""

import pytest

from learning.models import Serving
from learning.taught import Taught, taught_by
from tests.support.builders import NOON
from tests.support.models import make_model, make_tranche

pytestmark = pytest.mark.django_db


def test_it_is_told_by_what_the_model_in_use_gets_right_and_one_before_it_got() -> None:
    posted, collected = make_tranche(0, test=4), make_tranche(1, test=4, train=3)
    project = collected.project
    assert project is not None
    # What staff or a pipeline gave is nothing that people taught.
    assert taught_by(project) is None
    collected.items.update(origin="annotated")
    told = Taught(examples=3, is_in_use=False, right=None, before=None)
    assert taught_by(project) == told

    earlier = make_model(posted, collected, right=1, kind="baseline")
    earlier.tranches.set([posted])
    Serving.objects.create(module="nlu", model=earlier, changed_at=NOON)
    assert taught_by(project) == told
    Serving.objects.update(model=make_model(posted, collected, right=3))
    assert taught_by(project) == Taught(examples=3, is_in_use=True, right=0.75, before=0.25)


def test_a_share_is_told_only_where_both_were_tested_on_the_same() -> None:
    collected = make_tranche(1, test=4)
    assert collected.project is not None
    collected.items.update(origin="annotated")
    make_model(make_tranche(0, test=4), right=1, kind="baseline")
    Serving.objects.create(module="nlu", model=make_model(collected, right=3), changed_at=NOON)
    assert taught_by(collected.project) == Taught(examples=1, is_in_use=True, right=None, before=None)
