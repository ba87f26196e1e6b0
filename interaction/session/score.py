"""The stoplight after a command: its score, by the settings with which its session began.

A command is scored once, when its questions are answered, against the corpus of that moment. The score is kept with the
version of the corpus, so that it can be computed again.
"""

from decimal import Decimal
from typing import Any

from annotation.models import Project
from annotation.offer.experiments import base_pay_in
from commands import corpora
from commands.models import Command
from common.data.values import MoneyDict, money
from interaction.models import LiveCommand, Session
from interaction.project.settings import Chosen
from interaction.session.event_log import SessionWrite
from lib.stoplight.formula import CommandScore, Earlier, Signs, score_command
from lib.stoplight.settings import Settings, read_settings
from lib.trees.tree import NLU_ERROR

ELSEWHERE = 200
"""A new command is compared with so many of the commands that the worker gave in earlier sessions."""
NOT_ACTED_ON = frozenset({"NOOP"})
"""Dialogue types of a form that asks for nothing."""


def kept_settings(project: Project, chosen: Chosen, *, base_pay: Decimal | None) -> dict[str, Any] | None:
    """The scoring settings of a session that is opened now, every default spelled out; None: it is not scored.

    A session that measures the agent is scored only if the project asks for it. Money is promised only where the
    project names the value of a point, and has base pay.
    """
    if chosen.stoplight is None and chosen.is_evaluation:
        return None
    found = read_settings(chosen.stoplight).as_json()
    if chosen.stoplight is None or not base_pay:
        found |= {"per_point": "0", "most": "0"}
    return found | {"corpus": found["corpus"] or project.slug}


def most_bonus(project: Project, arm: str) -> Decimal:
    """The most that a session of this arm may earn above its base pay."""
    kept = kept_settings(project, Chosen(project, arm=arm), base_pay=base_pay_in(project, arm))
    return Decimal(0) if kept is None else Decimal(kept["most"])


def settings_of(session: Session) -> Settings | None:
    return None if session.stoplight is None else read_settings(session.stoplight)


def corpus_of(session: Session) -> str | None:
    """The slug of the corpus that the session's commands are compared with."""
    kept: dict[str, Any] | None = session.stoplight
    return None if kept is None else kept["corpus"]


def warm(session: Session) -> None:
    """Load the corpus into this process. Call outside a transaction: a large corpus takes seconds."""
    settings, corpus = settings_of(session), corpus_of(session)
    if settings is not None and corpus is not None:
        corpora.warm(corpus, settings)


def light_of(session: Session) -> dict[str, MoneyDict | None] | None:
    """The stoplight as a page receives it before there is any score; None: the session has none."""
    settings = settings_of(session)
    return None if settings is None else {"most": _money(session, settings.most) if settings.most else None}


def score(write: SessionWrite, live: LiveCommand) -> None:
    """Score a command that has just been judged, and send the score; the caller saves `live.scores`.

    Locks: call with the session locked.
    """
    session = write.session
    settings, corpus = settings_of(session), corpus_of(session)
    if settings is None or corpus is None:
        return
    comparison, version = corpora.comparison(corpus, settings)
    found = score_command(
        settings,
        live.command.text,
        earlier=_earlier(live),
        elsewhere=_elsewhere(live.command),
        signs=_signs(live),
        corpus=comparison,
    )
    live.scores = {**found.as_json(), "corpus": corpus, "corpus_version": version}
    session.score, session.bonus_expected = found.score, found.bonus if settings.most else Decimal(0)
    write.add_from_server("score", _body(session, live, settings, found))


def _earlier(live: LiveCommand) -> list[Earlier]:
    rows = LiveCommand.objects.filter(session=live.session_id, scores__isnull=False).exclude(pk=live.pk)
    return [
        Earlier(text, scores["counted"], scores["creativity"], scores["diversity"], scores.get("near", False))
        for text, scores in rows.order_by("seq").values_list("command__text", "scores")
        if scores
    ]


def _elsewhere(command: Command) -> list[str]:
    theirs = Command.objects.filter(worker=command.worker_id, project=command.project_id)
    return list(
        theirs.exclude(assignment=command.assignment_id).order_by("-pk").values_list("text", flat=True)[:ELSEWHERE]
    )


def _signs(live: LiveCommand) -> Signs:
    command, form = live.command, live.command.form
    return Signs(
        is_judged=bool(command.outcome),
        # An agent that sends no parse at all counts as having acted if it reports the command done.
        # An agent may send any object as a form, so its dialogue type may be any value.
        has_form=(str(form.get("dialogue_type")) not in NOT_ACTED_ON if isinstance(form, dict) and form else False)
        or (form is None and live.status == LiveCommand.Status.DONE),
        is_nlu_error=command.outcome == NLU_ERROR,
    )


def _body(session: Session, live: LiveCommand, settings: Settings, found: CommandScore) -> dict[str, Any]:
    return {
        "command": live.name,
        "score": round(found.score, 2),
        "colour": found.colour,
        "bonus": _money(session, found.bonus) if settings.most else None,
        "most": _money(session, settings.most) if settings.most else None,
        "counted": found.counted,
        "advice": found.advice,
    }


def _money(session: Session, amount: Decimal) -> MoneyDict:
    return money(amount, session.project.currency)


def inputs_of(session: Session) -> dict[str, Any]:
    """The inputs of the session's bonus, without words of the worker."""
    rows = LiveCommand.objects.filter(session=session).order_by("seq").values_list("command__public_id", "scores")
    return {
        "session": session.public_id,
        "score": session.score,
        "stoplight": session.stoplight,
        "commands": [{"command": name, "scores": scores} for name, scores in rows],
    }
