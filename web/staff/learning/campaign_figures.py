"""The plots of a campaign: what each iteration brought and cost, how workers marked, and its replays."""

from collections import defaultdict
from collections.abc import Mapping
from statistics import fmean
from typing import Any, NamedTuple

from commands.models import Command
from interaction.reports.funnel import Funnel, funnel_of, narrowed
from learning.models import Campaign, Iteration, Replay, Tested
from learning.serving.gate import VISION
from learning.training.metrics import Score, mean_on, repeats_in, score_of
from lib.plots.charts import Point, line_plot, row_plot
from lib.plots.series import series_plot
from web.staff.figure_files import Figure
from web.staff.learning.paper_figures import LEVELS, Mean, mean_of_values

COUNTED = {
    "all_commands": "Commands",
    "marked_nlu_errors": "Marked as misunderstood",
    "marked_nlu_errors_annotated": "… with a known true form",
    "marked_true_nlu_errors": "… and proved misunderstood",
    "known_nlu_errors": "All proved misunderstood",
}
"""Rows of the funnel that compare marks with proofs."""


class Judged(NamedTuple):
    """An iteration that the gate has judged.

    Attributes:
        n: The test items.
        before, after: The mean score on them of what acted before, and of the new model.
    """

    number: int
    module: str
    tested_on: int
    n: int
    before: float
    after: float
    p: float
    spent: float


def campaign_figures(campaign: Campaign, shown: Mapping[str, Any]) -> list[tuple[str, Figure]]:
    """The plots by their names in the address. Some 9 queries."""
    judged = _judged(campaign)
    replays: dict[tuple[str, float], list[Replay]] = defaultdict(list)
    for one in campaign.replays.all():
        replays[one.module, one.share].append(one)
    return [
        ("scores", _scores(judged)),
        ("costs", _costs(shown)),
        ("gains", _gains(judged, campaign)),
        ("marks", _marks(campaign)),
        *(
            (f"replays_{module}_{100 * share:g}".replace(".", "_"), replayed(campaign, module, share, found))
            for (module, share), found in sorted(replays.items())
        ),
    ]


def _judged(campaign: Campaign) -> list[Judged]:
    """3 queries."""
    rows = list(campaign.iterations.filter(verdict__isnull=False, model__isnull=False).select_related("verdict"))
    found = []
    tests: dict[int, dict[int, Score]] = defaultdict(dict)
    repeats = repeats_in(campaign.modules)
    models = {pk for row in rows if row.verdict for pk in (row.model_id, row.verdict.against_id)}
    for test in Tested.objects.filter(model__in=models, n__gt=0).select_related("tranche"):
        if (score := score_of(test, repeats)) is not None:
            tests[test.model_id][test.tranche.number] = score
    for row in rows:
        judged = _one(row, tests)
        if judged is not None:
            found.append(judged)
    return found


def _one(row: Iteration, tests: Mapping[int, Mapping[int, Score]]) -> Judged | None:
    assert row.verdict is not None and row.model_id is not None  # noqa: S101, PT018 - the rows were chosen by it
    verdict = row.verdict.content
    after = _mean_until(tests.get(row.model_id, {}), verdict["tested_on"])
    if after is None:
        return None
    before = _mean_until(tests.get(row.verdict.against_id or 0, {}), verdict["tested_on"])
    if before is None:
        # Nothing but the agent's own rules acted. There are none for scenes; of commands it is kept what was gained and
        # lost.
        gained = after if row.module == VISION else (verdict["gained"] - verdict["lost"]) / (verdict["n"] or 1)
        before = after - gained
    spent = float(row.spent or 0)
    return Judged(
        row.number, row.module, verdict["tested_on"], verdict["n"], round(before, 6), after, verdict["p"], spent
    )


def _mean_until(tests: Mapping[int, Score], number: int) -> float | None:
    return mean_on([n for n in tests if n <= number], tests)


def _scores(judged: list[Judged]) -> Figure:
    """The gate's figures: the accuracy of each new model on its test items, and of the one before."""
    last = max((one.number for one in judged), default=1)
    return Figure(
        "Right on the test items until then, by iteration",
        "The point is the new model; its line begins at what acted before, on the same items.",
        line_plot(
            [
                Point((one.number - 0.5) / last, one.after, min(one.before, one.after), max(one.before, one.after))
                for one in judged
            ],
            bounds=(0, 1),
            edges=[((number - 0.5) / last, str(number)) for number in range(1, last + 1)],
            levels=LEVELS,
        ),
        ("iteration", "module", "tested_on", "n", "before", "after", "p"),
        [one[:-1] for one in judged],
    )


def _costs(shown: Mapping[str, Any]) -> Figure:
    """The cost of each iteration; modules of one iteration share it."""
    costs = {row["n"]: row["spent"] for row in shown["iterations"]}
    return Figure(
        "Spent, by iteration",
        "Sessions and annotation between its start and its end.",
        row_plot(
            [
                (f"Iteration {n}", float(cost["amount"]), f"{cost['amount']} {cost['currency']}")
                for n, cost in costs.items()
            ]
        ),
        ("iteration", "amount", "currency"),
        [(n, float(cost["amount"]), cost["currency"]) for n, cost in costs.items()],
    )


def _gains(judged: list[Judged], campaign: Campaign) -> Figure:
    """The gain of each iteration for its money, in points of the mean score on the same test items."""
    rows = [
        (one.number, one.module, 100 * (one.after - one.before), one.spent, campaign.currency)
        for one in judged
        if one.spent
    ]
    return Figure(
        f"Points gained for 100 {campaign.currency}, by iteration",
        "The difference in right answers between the new model and what acted before, for what the iteration cost. "
        "An iteration that lost has no bar.",
        row_plot(
            [
                (
                    f"Iteration {number}, {module}",
                    max(100 * points / spent, 0.0),
                    f"{100 * points / spent:+.1f} points",
                )
                for number, module, points, spent, _ in rows
            ]
        ),
        ("iteration", "module", "points", "spent", "currency"),
        rows,
    )


def _marks(campaign: Campaign) -> Figure:
    """Errors that workers marked against errors that were proved, among the commands of the campaign. 1 query."""
    of_project = Command.objects.filter(project=campaign.project_id)
    given = narrowed(of_project, since=campaign.started_at or campaign.created_at, until=campaign.ended_at)
    found = funnel_of(given, compare="normal")
    rows = [(name, label, getattr(found, name)) for name, label in COUNTED.items()] if found.all_commands else []
    return Figure(
        "Errors marked by workers, and errors proved",
        _rates(found),
        row_plot([(label, count, f"{count:,}") for _, label, count in rows]),
        ("row", "label", "commands"),
        rows,
    )


def _rates(found: Funnel) -> str:
    told = "An error is proved where the true form is known and means something else than the agent's parse. "
    rates = (("Precision", found.precision, "89 %"), ("recall", found.recall, "43 %"))
    known = [f"{name} of the marks {value:.0%} (paper: {paper})" for name, value, paper in rates if value is not None]
    return told + (f"{', '.join(known)}." if known else "")


# Replays -----------------------------------------------------------------------------------------------------------


def replayed(campaign: Campaign, module: str, share: float, replays: list[Replay]) -> Figure:
    """Accuracy over what annotation cost, policy beside policy; the mean of the seeds. Each may spend this share."""
    groups: dict[tuple[str, int], list[tuple[float, float]]] = defaultdict(list)
    for replay in replays:
        for iteration, spent, _, _, value in replay.steps:
            groups[replay.policy, iteration].append((spent, value))
    rows: list[tuple[str, int, float, Mean]] = []
    for (policy, iteration), found in sorted(groups.items(), key=lambda one: (_POLICIES.index(one[0][0]), one[0][1])):
        spent = fmean(cost for cost, _ in found)
        rows.append((policy, iteration, spent, mean_of_values([value for _, value in found])))
    most = max((spent for _, _, spent, _ in rows), default=0.0) or 1.0
    lines = [
        (_NAMES[policy], [mean.at(spent / most) for name, _, spent, mean in rows if name == policy])
        for policy in _POLICIES
    ]
    top = min(1.0, 1.25 * max((mean.value for _, _, _, mean in rows), default=0.8))
    return Figure(
        f"Replayed under other policies: {module}, {share:.0%} of the cost",
        "Right on all test items over what annotation cost, had the same answers been bought in another way. A policy "
        "can only buy what the campaign collected.",
        series_plot(
            lines,
            edges=[(0.0, "0"), (1.0, f"{most:,.2f} {campaign.currency}")],
            levels=[(0.0, "0 %"), (round(top / 2, 2), f"{100 * round(top / 2, 2):.0f} %")],
            top=top,
        ),
        ("policy", "iteration", "spent", "seeds", "value", "standard_error"),
        [(policy, n, spent, mean.seeds, mean.value, mean.error) for policy, n, spent, mean in rows],
    )


_POLICIES = [policy.value for policy in Replay.Policy]
_NAMES = {"in_order": "all commands", "errors": "marked errors", "random": "at random", "unsure": "least certain"}
