"""The gate: a model compared with what acts now, on the same frozen test items, before it may be deployed.

The items are T_n of paper 004: the test items of the newest closed tranche and of all closed ones before it.
`lib/statistics/model_gate/rules.py` judges. This module finds what it needs, and keeps each verdict with its number in
the series of looks at one test set.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from audit.log import Subject, record
from builder.parser.sentence import parse
from learning.models import GateVerdict, Serving, TrainedModel, Tranche
from learning.serving.smoke import SMOKE
from learning.trainers.protocol import Example
from learning.trainers.registry import trainer_for
from learning.training.artefacts import artefact_of
from learning.training.inputs import items_of
from learning.training.metrics import value_of
from learning.training.processes import run_child, trainer_path, write_examples
from learning.training.testing import ensure_tested, predictions_of, said_of
from lib.faults import Conflict
from lib.files.scratch import scratch_folder
from lib.logical_form.spans import tokenise
from lib.logical_form.validate import faults_of
from lib.statistics.model_gate.rules import Answered, GateSettings, Verdict, judge

NLU, VISION = "nlu", "vision"
LATENCY_MS: Mapping[str, float] = {NLU: 20.0, VISION: 1000.0}
"""The longest time of 95 of 100 predictions: a worker waits for a parse, and a scene has thousands of voxels."""


def serving_of(module: str) -> Serving | None:
    """Which models act now; None: what the agent has of its own. 1 query."""
    rows = Serving.objects.select_related("model", "tried", "shadow")
    return rows.filter(module=module).first()


def newest_tests(module: str) -> Tranche:
    """The newest closed tranche that has test items.

    Raises:
        Conflict: there is none.
    """
    found = Tranche.objects.filter(module=module, test__gt=0).closed().order_by("-number").first()
    if found is None:
        raise Conflict("No closed tranche has test items, so there is nothing to compare models on.")
    return found


def tests_until(newest: Tranche) -> list[Tranche]:
    """The closed tranches whose test items are T_n, where n is the number of this one; newest first. 1 query."""
    found = Tranche.objects.filter(module=newest.module, number__lte=newest.number, test__gt=0).closed()
    return list(found.order_by("-number"))


def judge_model(*, model: TrainedModel, by: str, at: datetime) -> GateVerdict:
    """Judge the model against the one that acts now. The same comparison again returns the verdict that it had.

    Where no model acts, commands are compared with the agent's own rules.

    Costs: some seconds, for its smoke list and for test items on which either was not tested.

    Raises:
        Conflict: there are no test items, or the model acts already.
        Altered, Invalid, TrainingFailed: as `ensure_tested`.
    """
    serving = serving_of(model.module)
    against = serving.model if serving else None
    if against is not None and against.pk == model.pk:
        raise Conflict("This model acts already, so there is nothing to compare it with.")
    newest = newest_tests(model.module)
    known = GateVerdict.objects.filter(model=model, against=against, tranche=newest).first()
    if known is not None:
        return known
    tranches = tests_until(newest)
    for one in (model, against):
        if one is not None:
            ensure_tested(model=one, tranches=tranches, at=at)
    smoke = _smoke(model) if model.module == NLU else []
    with transaction.atomic():
        # One look after another: the number of the look decides its level.
        list(Tranche.objects.select_for_update().filter(pk=newest.pk))
        known = GateVerdict.objects.filter(model=model, against=against, tranche=newest).first()
        if known is not None:
            return known
        look = GateVerdict.objects.filter(tranche=newest, content__is_look=True).count() + 1
        verdict = _judged(model, against, tranches, smoke=smoke, look=look)
        made = GateVerdict.objects.create(
            model=model,
            against=against,
            tranche=newest,
            look=look,
            passed=verdict.passed,
            content=_content(verdict, against, newest),
            by=by,
            at=at,
        )
        subject = Subject("model", model.public_id)
        record(
            verb="model.judged", actor=by, subject=subject, at=at, passed=made.passed, tranche=str(newest), look=look
        )
    return made


def _judged(
    model: TrainedModel, against: TrainedModel | None, tranches: list[Tranche], *, smoke: list[bool], look: int
) -> Verdict:
    latencies = model.tests.filter(tranche__in=tranches).values_list("latency_ms", flat=True)
    first = [one for one in tranches if one.number == 0]
    return judge(
        list(_compared(model, against, tranches)),
        list(_compared(model, against, first)),
        look=look,
        smoke=smoke,
        valid=_valid(model, tranches),
        latencies_ms=[latency for latency in latencies if latency is not None],
        are_shares=model.module == VISION,
        settings=gate_settings(model.module),
    )


def gate_settings(module: str) -> GateSettings:
    """The bounds of the gate on this server."""
    return GateSettings(margin=settings.GATE_MARGIN, latency_ms=LATENCY_MS.get(module, 1000.0))


def _compared(model: TrainedModel, against: TrainedModel | None, tranches: list[Tranche]) -> Iterator[Answered]:
    """The answers of both to the test items of these tranches. An item counts once, with its newest truth."""
    seen: set[str] = set()
    for tranche in tranches:
        new = predictions_of(model, tranche)
        old = (
            {row["item"]: value_of(row) for row in predictions_of(against, tranche)}
            if against
            else _rules(model, tranche)
        )
        for row in new:
            if row["item"] not in seen:
                seen.add(row["item"])
                yield Answered(group_of(model.module, row["truth"]), old.get(row["item"], 0.0), value_of(row))


def _rules(model: TrainedModel, tranche: Tranche) -> dict[str, float]:
    """How right the agent's own rules are on the test items, by item. What no rules exist for counts as wrong."""
    if model.module != NLU:
        return {}
    trainer = trainer_for(model.module, model.trainer)
    return {
        item.item: float(trainer.is_correct(parse(tokenise((item.given or {})["text"])), item.truth))
        for item in items_of([tranche], "test")
    }


def group_of(module: str, truth: Any) -> str:
    """The group of a test item: for commands the type of its first action, or of its dialogue."""
    if module != NLU or not isinstance(truth, dict):
        return "scene"
    events = truth.get("event_sequence")
    first = events[0] if isinstance(events, list) and events and isinstance(events[0], dict) else {}
    return str(first.get("action_type") or truth.get("dialogue_type"))


def _valid(model: TrainedModel, tranches: list[Tranche]) -> list[bool]:
    """Whether each prediction is whole and valid."""
    rows = [row for tranche in tranches for row in predictions_of(model, tranche)]
    if model.module != NLU:
        return [isinstance(row["prediction"], list) for row in rows]
    texts = {item.item: (item.given or {}).get("text", "") for item in items_of(tranches, "test")}
    return [is_whole(row["prediction"], texts.get(row["item"], "")) for row in rows]


def is_whole(form: Any, text: str) -> bool:
    """Whether a parse is a whole, valid form of these words."""
    return isinstance(form, dict) and bool(form) and not faults_of(form, words=len(tokenise(text)))


def _smoke(model: TrainedModel) -> list[bool]:
    trainer = trainer_for(model.module, model.trainer)
    with scratch_folder(settings.SCRATCH_DIR) as folder:
        (folder / "artefact").write_bytes(artefact_of(model))
        write_examples(folder / "smoke", (Example(text, text, {}) for text in SMOKE))
        task = {"act": "predict", "trainer": trainer_path(trainer), "tests": ["smoke"]}
        run_child(folder, task, told=lambda _: None, look=lambda: None)
        return [is_whole(said["prediction"], said["item"]) for said in said_of(folder / "smoke")]


def _content(verdict: Verdict, against: TrainedModel | None, tranche: Tranche) -> dict[str, Any]:
    return {
        "passed": verdict.passed,
        "status": verdict.status,
        "against": against.public_id if against else None,
        "tested_on": tranche.number,
        "n": verdict.n,
        "gained": verdict.gained,
        "lost": verdict.lost,
        "p": verdict.p,
        "alpha": verdict.alpha,
        "look": verdict.look,
        "is_look": verdict.is_look,
        "reasons": [reason._asdict() for reason in verdict.reasons],
        "sentence": verdict.sentence,
    }
