"""The light after a command: what it was worth, by the settings that its session began with.

A command is scored once, when its questions are answered, against the corpus as it was then; what that came to is kept
with it, with the version of the corpus, so that it can be worked out again for whoever asks.
"""

from decimal import Decimal
from typing import Any

from annotation.arms import base_pay_in
from annotation.models import Project
from common.values import MoneyDict, money
from interaction import corpora
from interaction.log import Desk
from interaction.models import Command, Session
from interaction.project_settings import Chosen
from interaction.stoplight.formula import CommandScore, Earlier, Signs, score_command
from interaction.stoplight.settings import Settings, read_settings
from routing.trees.tree import NLU_ERROR

ELSEWHERE = 200
"""Of a worker's commands in earlier sessions, how many a new one is compared with."""
NOT_ACTED_ON = frozenset({"NOOP"})
"""Dialogue types of a form that asks for nothing."""


def kept_settings(project: Project, chosen: Chosen, *, base_pay: Decimal | None) -> dict[str, Any] | None:
    """How a session that is opened now is scored, every default spelled out; None: it has no light.

    A measuring session has one only if the project says so. Money is promised only where the project says what its
    light is worth, and pays.
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
    """Have the corpus at hand in this process. Outside a transaction: a large one takes seconds to load."""
    settings, corpus = settings_of(session), corpus_of(session)
    if settings is not None and corpus is not None:
        corpora.warm(corpus, settings)


def light_of(session: Session) -> dict[str, MoneyDict | None] | None:
    """What a page is told of the light before there is any score; None: there is none."""
    settings = settings_of(session)
    return None if settings is None else {"most": _money(session, settings.most) if settings.most else None}


def score(desk: Desk, command: Command) -> None:
    """Score a command that has just been judged, and tell the worker. Locks: call with the session locked."""
    session = desk.session
    settings, corpus = settings_of(session), corpus_of(session)
    if settings is None or corpus is None:
        return
    comparison, version = corpora.comparison(corpus, settings)
    found = score_command(
        settings,
        command.text,
        earlier=_earlier(command),
        elsewhere=_elsewhere(command),
        signs=_signs(command),
        corpus=comparison,
    )
    command.scores = {**found.as_json(), "corpus": corpus, "corpus_version": version}
    command.save(update_fields=["scores"])
    session.score, session.bonus_expected = found.score, found.bonus if settings.most else Decimal(0)
    desk.say("score", _body(session, command, settings, found))


def _earlier(command: Command) -> list[Earlier]:
    rows = Command.objects.filter(session=command.session_id, scores__isnull=False).exclude(pk=command.pk)
    return [
        Earlier(text, scores["counted"], scores["creativity"], scores["diversity"], scores.get("near", False))
        for text, scores in rows.order_by("seq").values_list("text", "scores")
        if scores
    ]


def _elsewhere(command: Command) -> list[str]:
    theirs = Command.objects.filter(worker=command.worker_id, project=command.project_id)
    return list(theirs.exclude(session=command.session_id).order_by("-pk").values_list("text", flat=True)[:ELSEWHERE])


def _signs(command: Command) -> Signs:
    form = command.form
    return Signs(
        is_judged=bool(command.outcome),
        # An agent that tells of no parse at all has acted, where it says that it has.
        # Any object may be a form, so any value its type.
        has_form=(str(form.get("dialogue_type")) not in NOT_ACTED_ON if isinstance(form, dict) and form else False)
        or (form is None and command.status == Command.Status.DONE),
        is_nlu_error=command.outcome == NLU_ERROR,
    )


def _body(session: Session, command: Command, settings: Settings, found: CommandScore) -> dict[str, Any]:
    return {
        "command": command.name,
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
    """What the session's bonus was worked out from; no words of the worker."""
    rows = Command.objects.filter(session=session).order_by("seq").values_list("public_id", "scores")
    return {
        "session": session.public_id,
        "score": session.score,
        "stoplight": session.stoplight,
        "commands": [{"command": name, "scores": scores} for name, scores in rows],
    }
