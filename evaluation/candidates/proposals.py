"""Proposals: the body of the scenario that a candidate would become, made of its continuation, command or report."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from commands.models import Command
from evaluation.models import Candidate, Episode
from evaluation.suites import ScenarioBody, wording_of
from lib.splits import same_words, split_of
from routing.models import ErrorReport

CONTINUATION_S = 60.0
"""The time of a scenario that was made of a command, which has none of its own."""
MODULE = "suite"


class Proposal(NamedTuple):
    """The body of the scenario, what was said of the situation, and which agent it was."""

    body: ScenarioBody
    remark: str
    agent: str


def proposals_of(candidates: Sequence[Candidate]) -> dict[int, Proposal]:
    """By the candidate's id; one whose source is gone or erased has none. 4 queries."""
    by_kind: dict[str, dict[str, Candidate]] = {kind: {} for kind in Candidate.Source.values}
    for one in candidates:
        by_kind[one.kind][one.source] = one
    episodes = Episode.objects.filter(external_id__in=by_kind[Candidate.Source.CONTINUATION])
    # An erased command has a fault, and so has one that is no valid command.
    commands = Command.objects.filter(pk__in=[int(source) for source in by_kind[Candidate.Source.COMMAND]], fault="")
    reports = ErrorReport.objects.filter(public_id__in=by_kind[Candidate.Source.REPORT], command__fault="")
    found = {}
    for episode in episodes.select_related("agent", "revision", "scenario"):
        candidate = by_kind[Candidate.Source.CONTINUATION][episode.external_id]
        found[candidate.pk] = _of_episode(episode, candidate)
    for command in commands.select_related("agent", "assignment"):
        found[by_kind[Candidate.Source.COMMAND][str(command.pk)].pk] = _of_command(command)
    for report in reports.select_related("command__agent", "command__assignment"):
        found[by_kind[Candidate.Source.REPORT][report.public_id].pk] = _of_command(report.command)
    return found


def _of_episode(episode: Episode, candidate: Candidate) -> Proposal:
    """The same situation again. The recording is named only within its own suite."""
    wording = wording_of(episode.revision)
    known = wording["source"] if isinstance(wording["source"], dict) else {}
    own: dict[str, Any] = {
        "instruction": episode.instruction,
        "takeover_s": episode.takeover_s,
        "media": {"episode": episode.external_id} if episode.scenario.suite_id == candidate.suite_id else None,
        "source": _source(
            interaction=known.get("interaction") or episode.metadata.get("session") or f"episode {episode.external_id}",
            agent=episode.agent.slug,
            episode=episode.external_id,
            words=episode.instruction,
        ),
    }
    return Proposal(ScenarioBody(**{**wording, **own}), "", episode.agent.slug)  # type: ignore[typeddict-item]


def _of_command(command: Command) -> Proposal:
    agent = command.agent.slug if command.agent else ""
    held = command.assignment
    body: ScenarioBody = {
        "instruction": command.text,
        "category": "general",
        "skill": "general",
        "takeover_s": 0.0,
        "continuation_s": CONTINUATION_S,
        "criteria": "",
        "prompt": "",
        "tags": [],
        "difficulty": None,
        "chance": None,
        "media": None,
        "source": _source(
            interaction=held.public_id if held else f"command {command.pk}",
            agent=agent,
            episode=None,
            words=command.text,
        ),
        "metadata": {},
    }
    remark = ": ".join(part for part in (command.outcome, command.feedback) if part)
    return Proposal(body, remark, agent)


def _source(*, interaction: str, agent: str, episode: str | None, words: str) -> dict[str, Any]:
    """Equal words lie in one split for ever, so that nothing that is tested is also learnt from."""
    return {
        "interaction": interaction,
        "agent": agent,
        "episode": episode,
        "split": split_of(MODULE, same_words(words)),
    }
