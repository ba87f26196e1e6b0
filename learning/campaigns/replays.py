"""Counterfactual replay: an ended campaign again, on the answers that it collected, bought under other policies.

`lib/statistics/replay.py` buys; this module finds what there was to buy, trains and tests. A replay is a job that may
be killed at any moment and then begins anew: its result is written once, at its end.
"""

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from audit.log import record
from jobs.models import Job
from jobs.outbox import Running, enqueue
from learning.campaigns.bought import costs_of, marked_among
from learning.campaigns.plans import subject_of
from learning.models import Campaign, Item, Replay, Tranche
from learning.models.campaigns import UNDER_WAY
from learning.models.trainings import ENDED
from learning.trainers.protocol import Example, Progress, Trainer
from learning.trainers.registry import trainer_for
from learning.training.inputs import examples_of, items_of
from learning.training.processes import run_child, trainer_path, write_examples
from learning.training.testing import said_of
from lib.extras import check_installed
from lib.faults import Conflict, CrosswalkError, Invalid, ServerFault
from lib.files.scratch import scratch_folder
from lib.statistics.replay import POLICIES, Bought, replayed

REPLAY = "learning.replay"
"""The kind of job that plays one replay; its subject is the replay's primary key. One is played at a time."""
SHARE = 1 / 3
"""Of what the annotations cost. With all of it every policy would buy the same in the end."""
SEEDS, MOST_SEEDS = 1, 5
_RENEW_S = 20.0
Status = Replay.Status


def request_replays(
    *, campaign: Campaign, module: str, share: float, seeds: int, by: str, at: datetime
) -> list[Replay]:
    """Have the campaign replayed under each policy. Those that were asked for before stay as they are, unless they
    failed: these are played anew.

    Raises:
        Conflict: the campaign has not ended, or collected nothing to learn from.
        Invalid: the campaign does not learn this module.
        NotInstalled: what its trainer needs is not installed.
    """
    if module not in campaign.modules:
        raise Invalid.at("#/module", f"This campaign does not learn {module!r}.")
    if campaign.status in UNDER_WAY or campaign.status == Campaign.Status.DRAFT:
        raise Conflict("A campaign can be replayed once it has ended.")
    if not any(tranche.train for tranche in tranches_of(campaign, module)):
        raise Conflict("This campaign closed no tranche with items to learn from.")
    check_installed(_trainer(campaign, module).extra)
    with transaction.atomic():
        found = [
            Replay.objects.get_or_create(
                campaign=campaign,
                module=module,
                policy=policy,
                share=share,
                seed=seed,
                defaults={"by": by, "created_at": at},
            )
            for policy in POLICIES
            for seed in range(seeds)
        ]
        for replay, _ in found:
            if replay.status == Status.FAILED:
                replay.status, replay.error, replay.ended_at = Status.QUEUED, "", None
                replay.save(update_fields=["status", "error", "ended_at"])
        if any(is_new for _, is_new in found):
            record(
                verb="campaign.replayed", actor=by, subject=subject_of(campaign.slug), at=at, module=module,
                share=round(share, 4), seeds=seeds, project=campaign.project.slug,
            )  # fmt: skip
        play_next()
    return [replay for replay, _ in found]


def play_next() -> None:
    """Have the next replay played, unless one is being played. 2 queries. Each minute, and after each replay."""
    if Job.objects.unfinished().filter(unique_key=REPLAY).exists():
        return
    waiting = Replay.objects.exclude(status__in=ENDED).order_by("pk").first()
    if waiting is not None:
        enqueue(REPLAY, str(waiting.pk), unique_key=REPLAY)


def keep_playing(at: datetime) -> None:
    """Have the next replay played, in case a process died between two of them."""
    play_next()


def play(running: Running) -> None:
    """Job handler: play the replay of the subject, then have the next one played."""
    replay = Replay.objects.select_related("campaign").get(pk=int(running.subject))
    if replay.status not in ENDED:
        Replay.objects.filter(pk=replay.pk).update(status=Status.RUNNING)
        try:
            steps = _played(replay, running)
        except ServerFault:
            raise
        except CrosswalkError as refused:
            reasons = "; ".join(fault.detail for fault in refused.faults)
            _end(replay, Status.FAILED, error=f"{refused.detail} {reasons}".strip())
        else:
            _end(replay, Status.DONE, steps=steps)
    running.free_key()
    play_next()


def abandon(subject: str) -> None:
    """Mark the replay as failed when every attempt of its job has failed."""
    replay = Replay.objects.get(pk=int(subject))
    _end(replay, Status.FAILED, error="Every attempt failed; the list of background work says why.")
    play_next()


def _end(replay: Replay, status: Replay.Status, *, steps: Sequence[Any] = (), error: str = "") -> None:
    Replay.objects.filter(pk=replay.pk).exclude(status__in=ENDED).update(
        status=status, steps=list(steps), error=error, ended_at=timezone.now()
    )


# What there was to buy ---------------------------------------------------------------------------------------------


def tranches_of(campaign: Campaign, module: str) -> list[Tranche]:
    """The closed tranches that the campaign collected for the module, in order. 1 query."""
    numbers = campaign.iterations.filter(module=module).values("tranche")
    return list(Tranche.objects.filter(pk__in=numbers).closed().order_by("number"))


def _trainer(campaign: Campaign, module: str) -> Trainer:
    """The trainer that the campaign trained with; without a training the default one."""
    row = campaign.iterations.filter(module=module, training__isnull=False).select_related("training").first()
    return trainer_for(module, row.training.trainer if row is not None and row.training is not None else None)


def _to_buy(module: str, tranches: Sequence[Tranche]) -> tuple[list[list[Bought]], dict[str, Item]]:
    """The answers of each tranche that were to learn from, and their items by name.

    An item that returned with another truth counts once, where it came first, and is learnt with the truth that stands.
    """
    marked = marked_among(module, tranches)
    known: dict[str, Item] = {}
    iterations = []
    for tranche in tranches:
        costs, new = costs_of(tranche), []
        for item in items_of([tranche], "train"):
            is_new = item.item not in known
            known[item.item] = item
            if is_new:
                new.append(Bought(item.item, float(costs.get(item.pk, 0)), item.task_id in marked))
        iterations.append(new)
    return iterations, known


# Playing -----------------------------------------------------------------------------------------------------------


def _played(replay: Replay, running: Running) -> list[list[float]]:
    campaign, module = replay.campaign, replay.module
    collected = tranches_of(campaign, module)
    iterations, known = _to_buy(module, collected)
    first = list(Tranche.objects.filter(module=module, number=0).closed())
    with scratch_folder(settings.SCRATCH_DIR) as folder:
        lessons = _Lessons(replay, running, folder, _trainer(campaign, module), [*first, *collected], known)
        start = lessons.learnt(())
        cost = sum(one.cost for each in iterations for one in each)
        steps = replayed(
            iterations,
            policy=replay.policy,  # type: ignore[arg-type]
            budget=cost * replay.share / max(len(iterations), 1),
            start=start,
            learnt=lessons.learnt,
            tested=lessons.tested,
            sureness=lessons.sureness,
            seed=replay.seed,
        )
        return [[0, 0.0, 0, 0, lessons.tested(start)], *([*step] for step in steps)]


class _Lessons:
    """Trains and tests the models of one replay, in processes of their own, one after the other."""

    def __init__(
        self,
        replay: Replay,
        running: Running,
        folder: Path,
        trainer: Trainer,
        tranches: Sequence[Tranche],
        known: Mapping[str, Item],
    ) -> None:
        self._replay, self._running, self._folder, self._trainer = replay, running, folder, trainer
        self._known = known
        first = [one for one in tranches if one.number == 0]
        self._first = list(examples_of(replay.module, items_of(first, "train")))
        self._renewed = 0.0
        self._sure: tuple[bytes, dict[str, float]] = (b"", {})
        write_examples(folder / "valid.jsonl", examples_of(replay.module, items_of(tranches, "valid")))
        write_examples(folder / "test", examples_of(replay.module, items_of(tranches, "test")))
        write_examples(folder / "pool", self._examples(known))

    def learnt(self, items: Sequence[str]) -> bytes:
        """The artefact of a model that learns from tranche 0 and from these items. Where one of them is an item of
        tranche 0 that returned, its new truth is learnt in place of the first.

        Raises:
            Invalid: there is nothing to learn from.
        """
        bought = set(items)
        first = [one for one in self._first if one.item not in bought]
        if not write_examples(self._folder / "train.jsonl", [*first, *self._examples(items)]):
            raise Invalid("Tranche 0 has no items to learn from, so a replay has no first model.")
        self._run({"act": "fit", "seed": self._replay.seed, "settings": {}, "continues": False})
        return (self._folder / "artefact").read_bytes()

    def tested(self, artefact: bytes) -> float:
        """The mean score on the test items of tranche 0 and of all tranches of the campaign."""
        scores: list[float] = [said["score"] for said in self._predicted(artefact, "test")]
        return sum(scores) / max(len(scores), 1)

    def sureness(self, artefact: bytes, item: str) -> float:
        """How sure the model is of its answer to the item. The answers to all items are computed at once."""
        if self._sure[0] is not artefact:
            self._sure = artefact, {said["item"]: said["sure"] for said in self._predicted(artefact, "pool")}
        return self._sure[1][item]

    def _examples(self, items: Sequence[str] | Mapping[str, Item]) -> list[Example]:
        return list(examples_of(self._replay.module, (self._known[name] for name in items)))

    def _predicted(self, artefact: bytes, name: str) -> list[dict[str, Any]]:
        (self._folder / "artefact").write_bytes(artefact)
        self._run({"act": "predict", "tests": [name]})
        return list(said_of(self._folder / name))

    def _run(self, task: dict[str, Any]) -> None:
        run_child(self._folder, {**task, "trainer": trainer_path(self._trainer)}, told=_untold, look=self._look)

    def _look(self) -> None:
        now = time.monotonic()
        if now - self._renewed >= _RENEW_S:
            self._renewed = now
            self._running.report(0.0)


def _untold(progress: Progress) -> None:
    """A replay shows no progress of its trainings."""
