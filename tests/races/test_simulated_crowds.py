"""Crowds of known kinds, through the API and on paper: gates, consensus, references and closing do what theory says.

A crowd through the API is a sample of a few hundred answers, each looked at: what the server did with it must be what
the same calculations do on paper, answer by answer. On paper there are thousands, enough to tell a wrong rate from bad
luck. Every bound is a probability: most are four standard errors, which a right program passes but once in 16 000 seeds
a side.
"""

import math
from collections import Counter
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from django.db.models import Sum

from annotation.consensus import aggregation
from annotation.consensus.aggregation import Vote
from annotation.consensus.consensus import rule_of
from annotation.consensus.rater_fit import estimate, refit
from annotation.models import Annotation, Consensus, Fit, GateAction, Method, Project, Rater, Task
from annotation.quality import gates, pauses
from annotation.tool_registry import tool_named, verdict_of
from demo.crowds.markers import ALWAYS_SUCCESS, CARELESS, SPAMMER, Behaviour, Colluding, Drifter, Honest, Member
from lib.statistics import dawid_skene, posterior
from lib.statistics.sequential import plain_path
from tests.support.builders import NOON, make_project
from tests.support.crowds import GATE, PLATFORM, Site, insert_answers, paused_after, seed_claims
from tests.support.simulated_raters import (
    CROWDS,
    FEW_SPAMMERS,
    PLAN,
    fates,
    grow,
    lead,
    member,
    right_by,
    run_length,
    said_of,
    slack,
    wald_length,
)
from workforce.models import LedgerEntry, Worker

GOOD = Honest(0.9, 0.9)
PAY = Decimal("0.10")
WORKERS = 800
"""Simulated on paper, of each kind."""


def fewest(n: int, p: float, *, once_in: float = 16_000) -> int:
    """Of `n` that each happen with chance `p`, how many do at the least, but once in so many seeds."""
    tail = 0.0
    for k in range(n + 1):
        tail += math.comb(n, k) * p**k * (1 - p) ** (n - k)
        if tail > 1 / once_in:
            return k
    return n


def members(kinds: dict[str, tuple[int, Behaviour]]) -> dict[str, list[Member]]:
    return {
        kind: [member(behaviour, name=f"{kind}-{number}") for number in range(size)]
        for kind, (size, behaviour) in kinds.items()
    }


# Gates on paper ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accuracy", "acted", "length"), [(0.5, 0.9995, 8.0), (0.7, 0.955, 20.2), (0.8, 0.583, 36.6), (0.9, 0.034, 24.6)]
)
def test_on_classes_that_alternate_the_gate_errs_and_lasts_as_the_table_of_the_books(
    accuracy: float, acted: float, length: float
) -> None:
    """Wald's test as 20 000 runs measured it: who is paused, and after how many references it is decided."""
    paths = []
    for number in range(WORKERS):
        one = member(Honest(accuracy, accuracy), seed=f"plain:{number}")
        truths = [index % 2 == 0 for index in range(250)]
        paths.append(plain_path([one.says(str(index), truth) == truth for index, truth in enumerate(truths)], PLAN))
    first = [len(path.sprt) for path in paths]
    share = sum(path.passed_at is None for path in paths) / WORKERS
    assert share == pytest.approx(acted, abs=slack(max(acted, 0.005) if acted < 0.995 else 0.995, WORKERS))
    assert np.mean(first) == pytest.approx(length, abs=4 * float(np.std(first)) / math.sqrt(WORKERS))


@pytest.mark.parametrize(("accuracy", "is_good"), [(PLAN.good, True), (PLAN.bad, False)])
def test_a_decision_takes_at_least_what_wald_computes(accuracy: float, is_good: bool) -> None:
    """His formula neglects by how much a bound is passed; and classes that are even only by chance cost some more."""
    lengths = fates(Honest(accuracy, accuracy), workers=WORKERS, references=200, seed="wald", minimum=1).lengths
    wald = wald_length(PLAN, is_good=is_good)
    assert len(lengths) == WORKERS
    assert wald - 4 * np.std(lengths) / math.sqrt(WORKERS) <= np.mean(lengths) <= 1.5 * wald


def test_good_workers_are_paused_at_most_as_often_as_stated() -> None:
    """Within 40 references: alpha by the first test, and 40 in 1964 by the watch that follows it (Brook & Evans)."""
    stated = PLAN.alpha + 40 / run_length(0.9)
    assert fates(GOOD, workers=WORKERS, references=40, seed="good").share <= stated + slack(stated, WORKERS)
    best = fates(Honest(0.95, 0.95), workers=WORKERS, references=40, seed="best").share
    assert best <= PLAN.alpha / 2


@pytest.mark.parametrize(
    ("behaviour", "within"),
    [(CARELESS, 120), (Colluding("pair", 0.6), 60), (SPAMMER, 40), (ALWAYS_SUCCESS, 40)],
    ids=["careless", "colluding", "spammer", "always success"],
)
def test_a_worker_who_errs_too_much_is_found(behaviour: Behaviour, within: int) -> None:
    """At most beta of them are missed by the first test, and the watch goes on looking at these."""
    share = fates(behaviour, workers=WORKERS, references=within, seed="bad").share
    assert share >= 1 - PLAN.beta - slack(PLAN.beta, WORKERS)


def test_a_worker_who_drifts_is_found_soon_after_and_hardly_ever_before() -> None:
    """The mean delay of a plain CUSUM from 0 is 14.2 references at .55 (Brook & Evans); even classes by chance cost a
    little, a head start when the drift begins saves a little."""
    turn = 60
    found = fates(Drifter(Honest(0.92, 0.92), Honest(0.55, 0.55), turn), workers=WORKERS, references=200, seed="drift")
    late = np.array([at - turn for at in found.paused if at > turn])
    early = len(found.paused) - len(late)
    assert found.share == 1
    assert early / WORKERS <= PLAN.alpha + slack(PLAN.alpha, WORKERS)
    assert 0.8 * run_length(0.55) <= late.mean() <= 1.2 * run_length(0.55)
    assert np.quantile(late, 0.95) <= 3 * run_length(0.55)


# Gates through the API -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.django_db
def test_the_server_pauses_whom_the_calculation_pauses_and_when(monkeypatch: Any) -> None:
    seed_claims(monkeypatch.setitem, 11)
    project = make_project(reference_rate=1.0, gates=[GATE], base_pay=PAY, redundancy=3)
    site = Site(project)
    site.post_tasks([True, False])
    site.post_references(successes=60, failures=60)
    crew = members(
        {
            "honest": (4, GOOD),
            "careless": (2, CARELESS),
            "spammer": (2, SPAMMER),
            "clicker": (2, ALWAYS_SUCCESS),
            "pair": (2, Colluding("pair", 0.5)),
            "drifter": (2, Drifter(Honest(0.97, 0.97), Honest(0.5, 0.5), turns_at=16)),
        }
    )
    everybody = [one for group in crew.values() for one in group]
    site.let_in(*everybody)
    most = {one.name: 50 if one in crew["drifter"] else 26 for one in everybody}
    site.work([one for one in everybody if one not in crew["drifter"]], most=26)
    site.work(crew["drifter"], most=50)

    paused = set()
    for one in everybody:
        expected = paused_after(site.history(one))
        # Whose last answer decided it has not asked for more.
        has_met_it = expected is not None and expected < most[one.name]
        assert site.refusals.get(one.name) == ("paused" if has_met_it else None), one.name
        # Not one more after the pause, and not one fewer: the last answer is the one that decided.
        assert expected in (None, len(site.met(one))), one.name
        actions = list(GateAction.objects.filter(enrolment=site.enrolment(one)))
        assert len(actions) == (expected is not None)
        if expected is not None:
            paused.add(one.name)
            on_paper = gates.evidence_of(gates.rules_of(project)[0], site.history(one))
            assert on_paper is not None
            for name in ("llr", "act_at", "test", "confusion"):
                assert actions[0].evidence[name] == on_paper[name]

    # Four of four honest ones would be bad luck of 1 in 40 000 at 7 % each; and of those who guess, 6 in 6
    # have a chance of .98 each, so fewer than 4 is bad luck of 1 in 6 000.
    assert sum(name.startswith("honest") for name in paused) <= 3
    assert sum(name.split("-")[0] in {"spammer", "clicker", "pair"} for name in paused) >= 4
    for one in crew["drifter"]:
        assert one.name in paused
        # At .97, none of 16 answers brings the first test to its bound before the drift but once in thousands.
        assert len(site.met(one)) > one.behaviour.turns_at  # type: ignore[attr-defined]
    _everybody_is_paid_and_nobody_blocked(site, everybody)
    _who_is_lifted_goes_on(site, crew["pair"][0] if crew["pair"][0].name in paused else crew["clicker"][0])


def _everybody_is_paid_and_nobody_blocked(site: Site, everybody: list[Member]) -> None:
    assert not Worker.objects.filter(platform=PLATFORM).exclude(status=Worker.Status.ACTIVE).exists()
    assert not Worker.objects.filter(platform=PLATFORM).exclude(weighting=Worker.Weighting.FULL).exists()
    for one in everybody:
        handed_in = [turn.annotation for turn in site.turns[one.name]]
        worker = site.enrolment(one).worker
        standing = Annotation.objects.current().filter(worker=worker).order_by("number")
        assert list(standing.values_list("public_id", flat=True)) == handed_in
        owed = LedgerEntry.objects.filter(worker=worker).aggregate(total=Sum("amount"))["total"]
        assert owed == len(handed_in) * PAY, f"{one.name} is owed {owed} for {len(handed_in)}"


def _who_is_lifted_goes_on(site: Site, one: Member) -> None:
    before = len(site.turns[one.name])
    assert not site.turn(one)
    action = GateAction.objects.get(enrolment=site.enrolment(one))
    pauses.lift(action=action, by="user:dora", reason="We looked again.", at=GateAction.objects.latest("at").at)
    del site.refusals[one.name]
    # Their history begins anew: nine more references, right or wrong, are fewer than the gate's minimum.
    site.work([one], most=9)
    assert len(site.turns[one.name]) == before + 9
    assert one.name not in site.refusals


# References through the API ------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("successes", [0.1, 0.9])
def test_references_come_as_set_and_of_both_classes_whatever_is_common(successes: float, monkeypatch: Any) -> None:
    """The rarer class is a tenth of the tasks and of the references; each is drawn by a fair coin all the same."""
    seed_claims(monkeypatch.setitem, 5)
    first, start, rate, each = 8, 0.9, 0.3, 40
    site = Site(make_project(reference_rate=rate, start_tasks=first, start_reference_rate=start, redundancy=3))
    common = successes > 0.5
    site.post_tasks([common] * 54 + [not common] * 6)
    site.post_references(successes=round(200 * successes), failures=round(200 * (1 - successes)))
    crew = [member(GOOD, name=f"worker-{number}") for number in range(3)]
    site.let_in(*crew)
    site.work(crew, most=each)

    references = site.references()
    early = late = 0
    truths: Counter[bool] = Counter()
    for one in crew:
        assert len(site.turns[one.name]) == each
        is_reference = [int(turn.asked.task) in references for turn in site.turns[one.name]]
        early, late = early + sum(is_reference[:first]), late + sum(is_reference[first:])
        met = site.met(one)
        assert len({turn.asked.task for turn in met}) == len(met), "a reference came twice"
        truths += Counter(turn.asked.truth for turn in met)
    n_early, n_late = first * len(crew), (each - first) * len(crew)
    assert early / n_early == pytest.approx(start, abs=slack(start, n_early))
    assert late / n_late == pytest.approx(rate, abs=slack(rate, n_late))
    n = truths.total()
    assert truths[True] / n == pytest.approx(0.5, abs=slack(0.5, n))


# Consensus on paper --------------------------------------------------------------------------------------------


def test_with_spammers_the_fit_beats_the_weighted_vote_and_that_the_majority() -> None:
    said = said_of(CROWDS["20 honest of .9, 4 careless, 8 spammers, 8 always success"], tasks=4000, seed=1)
    majority, weighted, fitted = (right_by(said, method) for method in Method)
    for better, worse in ((weighted, majority), (fitted, weighted), (fitted, majority)):
        by, error = lead(better, worse)
        assert by > 4 * error


def test_where_all_are_alike_the_fit_loses_next_to_nothing() -> None:
    """Equal votes are the best there is then, so whatever learns weights can only lose: at most half a percent at .85
    with 500 answers of each worker. What references alone teach is rougher: 40 of them cost about a percent."""
    said = said_of(CROWDS["40 alike, of .85"], tasks=4000, seed=2)
    majority, weighted, fitted = (right_by(said, method) for method in Method)
    by, error = lead(fitted, majority)
    assert by > -0.005 - 4 * error
    by, error = lead(weighted, majority)
    assert by > -0.02 - 4 * error


def test_two_who_copy_from_each_other_sway_the_majority_most() -> None:
    """The fit takes raters to err apart, and these do not; references tell what they are like all the same."""
    said = said_of(CROWDS["5 honest of .85, and 2 who copy from each other, of .5"], tasks=4000, seed=3)
    majority, weighted, fitted = (right_by(said, method) for method in Method)
    for better in (weighted, fitted):
        by, error = lead(better, majority)
        assert by > 4 * error


def test_intervals_of_fitted_rates_hold_the_true_ones_about_as_often_as_they_say() -> None:
    """They say 95 %, and take the tasks' probabilities as known, which they are not: at least 90 % must hold, by four
    standard errors of the 160 rates of 80 workers."""
    draw = np.random.default_rng(4)
    behaviours = [Honest(*draw.uniform(0.6, 0.95, 2)) for _ in range(80)]
    answers = said_of(behaviours, tasks=1600, seed=4, references=20).answers
    raters = dawid_skene.fit(answers.task, answers.worker, answers.said, truths=answers.truths).raters()
    held = [
        interval.low <= true <= interval.high
        for who, behaviour in enumerate(behaviours)
        for true, interval in (
            (behaviour.sensitivity, raters[who].sensitivity_interval),
            (behaviour.specificity, raters[who].specificity_interval),
        )
    ]
    assert np.mean(held) >= 0.90 - slack(0.90, len(held))
    assert np.mean(held) <= 0.95 + slack(0.95, len(held))


# Consensus through the API -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.django_db
def test_the_server_settles_as_the_calculation_does(monkeypatch: Any) -> None:
    seed_claims(monkeypatch.setitem, 21)
    site = Site(make_project(reference_rate=0.15, redundancy=5, consensus_method=Method.DAWID_SKENE))
    truths = [number % 5 < 3 for number in range(45)]
    site.post_tasks(truths)
    site.post_references(successes=30, failures=30)
    crew = members(
        {
            "honest": (4, Honest(0.92, 0.9)),
            "careless": (1, CARELESS),
            "spammer": (2, SPAMMER),
            "clicker": (2, ALWAYS_SUCCESS),
        }
    )
    everybody = [one for group in crew.values() for one in group]
    site.let_in(*everybody)
    site.work(everybody, most=100)

    said = site.said()
    right: dict[Method, int] = {}
    for method in Method:
        Project.objects.filter(pk=site.project.pk).update(consensus_method=method)
        refit(project_id=site.project.pk, at=NOON)
        on_paper = estimate(method, said)
        assert on_paper.probability is not None
        rows = {row.task_id: row for row in Consensus.objects.settled().filter(project=site.project)}
        assert sorted(rows) == on_paper.tasks.tolist()
        assert len(rows) == len(truths)
        for task, probability in zip(on_paper.tasks.tolist(), on_paper.probability.tolist(), strict=True):
            assert rows[task].probability == pytest.approx(probability, abs=1e-6)
            assert (rows[task].method, rows[task].annotations) == (method, 5)
        verdict = verdict_of(tool_named("marker"))
        right[method] = sum(verdict(row.answer) is site.truths[task] for task, row in rows.items())
    # 45 tasks tell little of who is better, and 4 000 on paper do: here, that none is far off what these crowds give.
    # Where a fifth of the tasks differ, the difference has a standard deviation of sqrt(45 / 5) = 3 tasks.
    assert right[Method.DAWID_SKENE] >= right[Method.MAJORITY] - 6
    assert right[Method.DAWID_SKENE] >= fewest(len(truths), 0.85)


# Closing early -------------------------------------------------------------------------------------------------


def test_closing_when_sure_takes_fewer_annotations_for_the_same_accuracy() -> None:
    """At confidence .95 about 3 annotations a task do what takes 5 at a fixed redundancy."""
    found = grow(FEW_SPAMMERS, tasks=1200, confidence=0.95, seed=1)
    error = float(np.std(found.annotations)) / math.sqrt(len(found.annotations))
    assert found.annotations.mean() + 4 * error < 3.5
    by, paired = lead(found.right, found.fixed[5])
    assert by > -4 * paired
    by, paired = lead(found.right, found.fixed[3])
    assert by > 4 * paired


@pytest.mark.slow
@pytest.mark.django_db
def test_the_server_closes_tasks_when_the_calculation_is_sure(monkeypatch: Any) -> None:
    seed_claims(monkeypatch.setitem, 31)
    project = make_project(
        redundancy=2,
        consensus_method=Method.WEIGHTED,
        confidence_wanted=0.95,
        least_annotations=2,
        most_annotations=6,
    )
    site = Site(project)
    truths = [number % 2 == 0 for number in range(36)]
    site.post_references(successes=20, failures=20)
    crew = [
        *(member(GOOD, name=f"honest-{number}") for number in range(6)),
        *(member(CARELESS, name=f"careless-{number}") for number in range(2)),
        member(SPAMMER, name="spammer"),
    ]
    site.let_in(*crew)
    references = list(Task.objects.references().filter(project=project))
    insert_answers(
        project,
        (
            (task, site.enrolment(one).worker, "success" if one.says(str(task.pk), site.truths[task.pk]) else "failure")
            for one in crew
            for task in references
        ),
    )
    site.post_tasks(truths)
    # Once, before the first task: the records on references stay what they are.
    refit(project_id=project.pk, at=NOON)
    site.work(crew, most=len(truths))

    fitted = Rater.objects.filter(fit=Fit.objects.get(project=project))
    raters = {
        row.worker_id: posterior.Rater(row.sensitivity, row.specificity, row.positives, row.negatives) for row in fitted
    }
    votes: dict[int, list[Vote]] = {}
    rows = Annotation.objects.on_tasks().filter(project=project).order_by("number")
    for row in rows:
        votes.setdefault(row.task_id, []).append(Vote(row.worker_id, row.answer))
    settled = {row.task_id: row for row in Consensus.objects.settled().filter(project=project)}
    assert len(settled) == len(truths), "the crowd is large enough for every task to close"
    for task in Task.objects.ordinary().filter(project=project):
        rule = rule_of(project, task.own_redundancy)
        confidences = [
            aggregation.aggregate(tool_named("marker"), votes[task.pk][:n], raters=raters).confidence
            for n in range(1, len(votes[task.pk]) + 1)
        ]
        closes = [
            aggregation.completion_of(rule, n=n, confidence=c).is_done for n, c in enumerate(confidences, start=1)
        ]
        assert closes == [False] * (len(closes) - 1) + [True], f"{task} closed after {len(closes)} at {confidences}"
        assert settled[task.pk].confidence == pytest.approx(confidences[-1], abs=1e-9)
    taken = [row.annotations for row in settled.values()]
    # On paper 3.0 with a standard deviation of 1.2; here one more spammer in ten.
    assert 2 <= np.mean(taken) <= 4.2
