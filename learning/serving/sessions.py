"""The models of a session: drawn when an agent first gets it, and kept to its end."""

from hashlib import sha256
from typing import Any

from django.db import transaction

from learning.models import Serving, SessionModels, TrainedModel

ARTEFACT_PATH = "/api/v1/models/{model}/artefact/"


def models_of_session(session: int, name: str) -> dict[str, Any]:
    """The models of the session, by module, as an agent gets them; {} where it has what it has of its own.

    Args:
        session: The primary key.
        name: Its public id, by which a share of the sessions is drawn.

    Costs: 1 query, 4 the first time.
    """
    found = SessionModels.objects.filter(session=session).first()
    if found is None:
        with transaction.atomic():
            content, given = _chosen(name)
            found, is_new = SessionModels.objects.get_or_create(session_id=session, defaults={"content": content})
            if is_new and given:
                found.given.set(given)
    kept: dict[str, Any] = found.content
    return kept


def _chosen(name: str) -> tuple[dict[str, Any], list[TrainedModel]]:
    content: dict[str, Any] = {}
    given: list[TrainedModel] = []
    for serving in Serving.objects.select_related("model", "tried", "shadow").order_by("module"):
        is_tried = serving.tried is not None and place_of(serving.module, name) < serving.share
        acting = serving.tried if is_tried else serving.model
        shadow = serving.shadow if serving.shadow_id != (acting.pk if acting else None) else None
        if acting is None and shadow is None:
            continue
        empty = {"model": None, "sha256": None, "path": None}
        beside = None if shadow is None else _shown(shadow)
        content[serving.module] = {**(_shown(acting) if acting else empty), "shadow": beside}
        given += [one for one in (acting, shadow) if one is not None]
    return content, given


def place_of(module: str, name: str) -> float:
    """The place of a session in 0..1; those below the share get the model that is tried."""
    return int(sha256(f"{module}:{name}".encode()).hexdigest()[:8], 16) / 2**32


def _shown(model: TrainedModel) -> dict[str, Any]:
    return {
        "model": model.public_id,
        "sha256": model.sha256,
        "path": ARTEFACT_PATH.format(model=model.public_id),
    }
