"""Artefacts of models in the file storage: their hash and size are compared whenever one is read."""

from hashlib import sha256

from django.core.files.storage import default_storage

from learning.models import TrainedModel
from lib.faults import Conflict, FilesUnavailable, NotFound

MOST_BYTES = 500 * 2**20


class Altered(Conflict):
    """A stored artefact is not the one that the training made."""

    code, title = "artefact_altered", "The artefact was altered"
    sentence = "The stored file of this model is not the one that its training made, so it is not used."


def artefact_of(model: TrainedModel) -> bytes:
    """The artefact.

    Raises:
        Altered: its hash or size is another.
        FilesUnavailable: the file is not there.
    """
    try:
        with default_storage.open(model.file, "rb") as file:
            found: bytes = file.read(model.bytes + 1)
    except FileNotFoundError as error:
        raise FilesUnavailable from error
    if len(found) != model.bytes or sha256(found).hexdigest() != model.sha256:
        raise Altered
    return found


def model_named(public_id: str) -> TrainedModel:
    """The model, with its training and the model it continues. 1 query.

    Raises:
        NotFound: there is none.
    """
    found = TrainedModel.objects.select_related("training", "parent").filter(public_id=public_id).first()
    if found is None:
        raise NotFound
    return found
