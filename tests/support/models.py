"""Models for tests, made without training: their artefacts are those of `ByHeart`."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from learning.models import GateVerdict, Run, Serving, Tested, TrainedModel, Training, Tranche
from lib.splits import split_of
from tests.support.builders import NOON, make_project

NOOP = {"dialogue_type": "NOOP"}
DANCE = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "DANCE"}]}


HELD_TOKEN = "the-token-of-a-claim"


def texts_in(split: str, number: int = 1) -> list[str]:
    """So many commands of one split."""
    found = (f"dance {word} times" for word in range(100_000))
    return [
        text for text, _ in zip((one for one in found if split_of("nlu", one) == split), range(number), strict=False)
    ]


def make_tranche(number: int = 0, *, test: int = 0, train: int = 1, module: str = "nlu", form: Any = DANCE) -> Tranche:
    """A closed tranche with so many items to learn from and to test."""
    tranche = Tranche.objects.create(
        module=module,
        number=number,
        project=make_project(tool="parse") if number else None,
        status="closed",
        train=train,
        test=test,
        sha256=f"{number:064}",
        created_at=NOON,
        closed_at=NOON,
    )
    for split, wanted in (("train", train), ("test", test)):
        for text in texts_in(split, wanted):
            item = sha256(f"nlu:{text}".encode()).hexdigest()
            tranche.items.create(item=item, split=split, given={"text": text}, truth=form, origin="posted")
    return tranche


def make_model(
    *tranches: Tranche,
    right: int = 0,
    wrong: Any = NOOP,
    module: str = "nlu",
    knows: Mapping[str, Any] | None = None,
    kind: str = "updated",
) -> TrainedModel:
    """A model that was tested on these tranches, of whose test items it got the first `right` ones right."""
    training = Training.objects.create(
        module=module, trainer="by_heart", kind=kind, seeds=1, status="done", by="test", created_at=NOON, ended_at=NOON
    )
    training.tranches.set(tranches)
    digest = sha256(HELD_TOKEN.encode()).hexdigest()
    run = Run.objects.create(
        training=training, number=1, kind=kind, seed=0, status="done", share=1.0, token_digest=digest
    )
    content = json.dumps({"seed": 0, "forms": dict(knows or {}), "always": None}).encode()
    model = TrainedModel.objects.create(
        module=module,
        trainer="by_heart",
        training=training,
        run=run,
        kind=kind,
        seed=0,
        train_examples=1,
        inputs=f"{run.pk:064}",
        file=default_storage.save(f"models/{run.pk}/artefact", ContentFile(content)),
        sha256=sha256(content).hexdigest(),
        bytes=len(content),
        code="test",
        created_at=NOON,
    )
    model.tranches.set(tranches)
    for tranche in tranches:
        _test(model, tranche, right=right, wrong=wrong)
    return model


def _test(model: TrainedModel, tranche: Tranche, *, right: int, wrong: Any) -> None:
    rows = [
        {
            "item": item.item,
            "truth": item.truth,
            "prediction": item.truth if number < right else wrong,
            "correct": number < right,
        }
        for number, item in enumerate(tranche.items.of("test").order_by("pk"))
    ]
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    Tested.objects.create(
        model=model,
        tranche=tranche,
        n=len(rows),
        correct=min(right, len(rows)),
        mean_score=min(right, len(rows)) / len(rows) if rows else None,
        latency_ms=1.0,
        file=default_storage.save(f"models/{model.pk}/test-{tranche.number}.jsonl", ContentFile(content)),
        sha256=sha256(content).hexdigest(),
        at=NOON,
    )


def make_verdict(model: TrainedModel) -> GateVerdict:
    """The model has passed the gate against the agent's own rules, on the last tranche that it was tested on."""
    tranche = model.tests.latest("tranche__number").tranche
    reason = {"rule": "mcnemar", "value": 0.001, "bound": 0.03, "passed": True, "sentence": "It is better."}
    content = {
        "passed": True,
        "status": "passed",
        "against": None,
        "tested_on": tranche.number,
        "n": 1,
        "gained": 1,
        "lost": 0,
        "p": 0.001,
        "alpha": 0.03,
        "look": 1,
        "is_look": True,
        "reasons": [reason],
        "sentence": "It is better.",
    }
    return GateVerdict.objects.create(
        model=model, tranche=tranche, look=1, passed=True, content=content, by="test", at=NOON
    )


def in_the_shadow(model: TrainedModel, verdict: GateVerdict) -> Serving:
    """The model predicts beside the agent's own rules."""
    return Serving.objects.create(module=model.module, shadow=model, changed_at=verdict.at)
