"""Personal data in learning: what a person said in the items of tranches, and the models that learnt from it."""

from datetime import datetime

from commands.privacy import in_each_text
from learning.models import Item, TrainedModel
from learning.training.lineage import models_that_learnt_from
from routing.privacy import hidden
from workforce import privacy
from workforce.privacy import Holdings, Person

_WORDS = ("text", "phrase")
_AT_ONCE = 500


def erase(person: Person, at: datetime) -> dict[str, int]:
    """Mark the models that learnt from the person, and take their names out of the items that they said.

    An item whose words are gone elsewhere, because it was posted as their command, is emptied. The others stay as the
    tasks do that their commands became, with names and personal data covered word by word. The digest of a closed
    tranche stays that of its closing.
    """
    learnt = list(models_that_learnt_from(person.worker).filter(marked_at=None).values_list("pk", flat=True))
    marked = TrainedModel.objects.filter(pk__in=learnt).update(marked_at=at)
    return {"models_marked": marked, "texts_in_tranches": _cover(person, at)}


def _cover(person: Person, at: datetime) -> int:
    said = Item.objects.usable().filter(authors=person.worker).order_by("pk")
    changed = said.filter(origin=Item.Origin.POSTED).update(given=None, truth=None, erased_at=at)
    for item in said.exclude(origin=Item.Origin.POSTED).iterator(chunk_size=_AT_ONCE):
        given = {
            name: hidden(part, person.mentions) if name in _WORDS else part for name, part in (item.given or {}).items()
        }
        truth = in_each_text(item.truth, person.mentions.without)
        if (given, truth) != (item.given, item.truth):
            changed += Item.objects.filter(pk=item.pk).update(given=given, truth=truth)
    return changed


def register() -> None:
    """Register this app's personal data. Called once, when the app is ready."""
    privacy.register("learning", Holdings(erase=erase))
