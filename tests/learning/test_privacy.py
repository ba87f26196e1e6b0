"""Erasing a person: the items that they said lose their names, and models that learnt from them are marked."""

import pytest
from rest_framework.test import APIClient

from annotation.models import Annotation
from learning import privacy
from learning.models import Item
from tests.support.builders import NOON, make_task, make_worker
from tests.support.crowds import insert_answers
from tests.support.models import make_model, make_tranche
from workforce.privacy import person_of

pytestmark = pytest.mark.django_db


def test_a_model_that_learnt_from_the_person_is_marked_and_another_is_not(pipe: APIClient) -> None:
    first, second = make_tranche(0, train=2), make_tranche(1, train=2)
    model, other = make_model(first, second), make_model(first)
    person, author = make_worker(), make_worker()
    task = make_task()
    insert_answers(task.project, [(task, person, "success")])
    item = second.items.first()
    assert item is not None
    item.annotations.set(Annotation.objects.all())
    item.authors.set([author])
    shown = pipe.get(f"/api/v1/models/{model.public_id}/").json()["lineage"]
    assert shown["annotations"] == [Annotation.objects.get().public_id]
    assert shown["workers"] == sorted([person.pseudonym, author.pseudonym])
    assert privacy.erase(person_of(person), NOON)["models_marked"] == 1
    model.refresh_from_db()
    other.refresh_from_db()
    assert (model.marked_at, other.marked_at) == (NOON, None)
    assert pipe.get(f"/api/v1/models/{model.public_id}/").json()["learnt_from_erased_at"] is not None
    assert privacy.erase(person_of(person), NOON)["models_marked"] == 0


def test_names_are_covered_in_what_the_person_said_and_posted_words_are_emptied() -> None:
    tranche = make_tranche(0, train=2)
    person = make_worker("anna-berg")
    annotated, posted = tranche.items.order_by("pk")
    for item, origin in ((annotated, "annotated"), (posted, "posted")):
        Item.objects.filter(pk=item.pk).update(given={"text": "follow anna-berg home"}, origin=origin)
        item.authors.set([person])
    assert privacy.erase(person_of(person), NOON)["texts_in_tranches"] == 2
    annotated.refresh_from_db()
    posted.refresh_from_db()
    assert annotated.given == {"text": "follow [removed] home"}
    assert (posted.given, posted.truth, posted.erased_at) == (None, None, NOON)
    assert list(Item.objects.usable()) == [annotated]
