"""Outcomes of a suite as arrays: agents times wordings of scenarios, from the tallies."""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from django.db.models import Q

from agents.models import Agent
from annotation.models import Project
from evaluation.models import Revision, Suite, Tally, Version
from evaluation.repeats.groups import repeats_by_cell
from lib.statistics.chance import WithoutChance, without_chance

Counts = npt.NDArray[np.int64]

COUNTED = ("ready", "success", "failure", "unjudgeable")
"""The columns of a tally, in the order of the arrays of `SuiteCounts`."""
GROUPINGS = ("category", "skill", "tag", "prompt", "scenario")


class Wording(NamedTuple):
    """One wording of a scenario, with all that a ranking can be split by."""

    scenario: str
    category: str
    skill: str
    prompt: str
    tags: tuple[str, ...]
    cluster: str
    chance: float | None
    source_agent: str
    """The agent whose own continuation or command the scenario was made of; "" where the source names none."""

    def groups(self, by: str) -> tuple[str | None, ...]:
        """The groups that this wording is in; without a value it is in the group None, without tags in none."""
        return self.tags if by == "tag" else (getattr(self, by) or None,)


class SuiteCounts(NamedTuple):
    """How many continuations have which outcome; each array has the shape (agents, wordings).

    `ready` counts all, whatever their outcome. Agents are in the order of their slugs; `kinds` are theirs, and
    `known_since` when each was made known.
    """

    agents: list[str]
    kinds: list[str]
    known_since: list[datetime]
    wordings: list[Wording]
    ready: Counts
    success: Counts
    failure: Counts
    unjudgeable: Counts
    left_out: int = 0
    """Repeats of identical continuations that are not counted."""

    @property
    def judged(self) -> Counts:
        return self.success + self.failure

    def digest(self) -> str:
        """Equal where all of this is equal."""
        found = hashlib.sha256(repr((self.agents, self.kinds, self.wordings)).encode())
        for table in (self.ready, self.success, self.failure, self.unjudgeable):
            found.update(np.ascontiguousarray(table).tobytes())
        return found.hexdigest()

    def of_programs(self) -> "SuiteCounts":
        """Those of the agents that are ranked: programs, not people or guessing."""
        at = [place for place, kind in enumerate(self.kinds) if kind == Agent.Kind.AGENT]
        tables = {name: getattr(self, name)[at] for name in COUNTED}
        return self._replace(
            agents=[self.agents[n] for n in at],
            kinds=[self.kinds[n] for n in at],
            known_since=[self.known_since[n] for n in at],
            **tables,
        )

    def without_chance(self, agent: int, places: Sequence[int]) -> WithoutChance | None:
        """The rate of an agent at these wordings without guessing, which succeeds as often as its continuations say on
        average; None where nothing was judged, or where a judged wording does not say."""
        successes = self.success[agent, places]
        n, hits = successes + self.failure[agent, places], int(successes.sum())
        pairs = [(size, self.wordings[at].chance) for size, at in zip(n.tolist(), places, strict=True) if size]
        known = [(size, chance) for size, chance in pairs if chance is not None]
        if not pairs or len(known) < len(pairs):
            return None
        total = sum(size for size, _ in known)
        chance = sum(size * chance for size, chance in known) / total
        return without_chance(hits, total, chance) if chance < 1 else None

    def own_places(self, agent: int) -> list[int]:
        """The wordings of scenarios that were made of this agent's own continuations or commands."""
        slug = self.agents[agent]
        return [at for at, wording in enumerate(self.wordings) if wording.source_agent == slug]

    def columns(self, names: Iterable[str]) -> tuple[list[str], npt.NDArray[np.float64]]:
        """The distinct names in order, and the matrix (wordings, names) that sums wordings of one name up."""
        found, which = np.unique(list(names), return_inverse=True)
        matrix = np.zeros((len(which), len(found)))
        matrix[np.arange(len(which)), which] = 1
        return found.tolist(), matrix

    def by_scenario(self) -> "ScenarioCounts":
        """Successes and judged continuations of each agent at each scenario, whatever its wording."""
        names, matrix = self.columns(wording.scenario for wording in self.wordings)
        return ScenarioCounts(names, self.success @ matrix, self.judged @ matrix)

    def by_cluster(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Successes and judged continuations, each of the shape (clusters, agents). Clusters that nobody was judged at
        are left out."""
        _, matrix = self.columns(wording.cluster for wording in self.wordings)
        hits, n = (self.success @ matrix).T, (self.judged @ matrix).T
        is_judged = n.sum(axis=1) > 0
        return hits[is_judged], n[is_judged]


class ScenarioCounts(NamedTuple):
    """Successes and judged continuations; both arrays have the shape (agents, scenarios)."""

    scenarios: list[str]
    successes: npt.NDArray[np.float64]
    n: npt.NDArray[np.float64]

    @property
    def rates(self) -> npt.NDArray[np.float64]:
        """The rate of each agent at each scenario; nan where none of its continuations was judged."""
        rates: npt.NDArray[np.float64] = np.full(self.n.shape, np.nan)
        np.divide(self.successes, self.n, out=rates, where=self.n > 0)
        return rates


def read_counts(
    *,
    suite: Suite,
    project: Project | None,
    version: Version | None = None,
    tag: str | None = None,
    is_once: bool = False,
) -> SuiteCounts:
    """The outcomes of the agents that have ready continuations, as this project judged them. References are left out.

    Args:
        is_once: Count identical continuations of an agent at a wording once.

    Costs: 3 queries; in proportion to the tallies (agents times wordings), however many episodes there are. With
    `is_once` 3 more, in proportion to the identical continuations.
    """
    revisions = Revision.objects.filter(scenario__suite=suite)
    if version is not None:
        revisions = revisions.filter(versions=version)
    columns = ("pk", "scenario_id", "scenario__key", "category", "skill", "prompt", "tags", "source", "chance")
    wordings = {
        pk: Wording(
            key,
            category,
            skill,
            prompt,
            tuple(dict.fromkeys(tags)),
            _cluster(scenario, source),
            chance,
            str(_named(source, "agent") or ""),
        )
        for pk, scenario, key, category, skill, prompt, tags, source, chance in revisions.values_list(*columns)
        if tag is None or tag in tags
    }
    theirs = Tally.objects.filter(Q(project=None) | Q(project=project), revision__in=revisions.values("pk"))
    # By arrays: with 500 agents there are more than a hundred thousand tallies.
    found = theirs.values_list("agent_id", "revision_id", *COUNTED)
    rows = np.array(list(found), dtype=np.int64).reshape(-1, 2 + len(COUNTED))
    rows = rows[np.isin(rows[:, 1], list(wordings))]
    tried = rows[rows[:, 2] > 0]
    tested = Agent.objects.filter(pk__in=np.unique(tried[:, 0]).tolist()).order_by("slug")
    known = list(tested.values_list("pk", "slug", "kind", "created_at"))
    agents = {row[0]: at for at, row in enumerate(known)}
    used = set(np.unique(tried[:, 1]).tolist())
    places = {pk: at for at, pk in enumerate(pk for pk in wordings if pk in used)}
    tables = _tables(rows, agents, places)
    left_out = 0
    for (agent, wording), steps in (repeats_by_cell(revisions, project) if is_once else {}).items():
        if agent in agents and wording in places:
            tables[:, agents[agent], places[wording]] -= [steps[name] for name in COUNTED]
            left_out += steps["ready"]
    slugs, kinds = [slug for _, slug, _, _ in known], [kind for _, _, kind, _ in known]
    since = [at for *_, at in known]
    ready, success, failure, unjudgeable = tables
    used_wordings = [wordings[pk] for pk in places]
    return SuiteCounts(slugs, kinds, since, used_wordings, ready, success, failure, unjudgeable, left_out)


def _tables(rows: Counts, agents: dict[int, int], places: dict[int, int]) -> Counts:
    """For each column of `COUNTED` an array (agents, wordings): what the rows of known agents and wordings add up to.

    Args:
        rows: Ids of agent and wording, then the columns of `COUNTED`.
    """
    cells, size = [], len(agents) * len(places)
    for column, at in ((0, agents), (1, places)):
        ids, which = np.unique(rows[:, column], return_inverse=True)
        cells.append(np.array([at.get(pk, -1) for pk in ids.tolist()], dtype=np.int64)[which])
    is_known = (cells[0] >= 0) & (cells[1] >= 0)
    cell = (cells[0] * len(places) + cells[1])[is_known]
    sums = [np.bincount(cell, weights=rows[is_known, 2 + at], minlength=size) for at in range(len(COUNTED))]
    return np.array(sums, dtype=np.int64).reshape(len(COUNTED), len(agents), len(places))


def _cluster(scenario: int, source: Any) -> str:
    """Scenarios that were cut from one interaction resemble each other, so they are drawn together."""
    interaction = _named(source, "interaction")
    return f"interaction {interaction}" if interaction else f"scenario {scenario}"


def _named(source: Any, name: str) -> Any:
    return source.get(name) if isinstance(source, dict) else None
