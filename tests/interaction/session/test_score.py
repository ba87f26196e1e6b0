"""The light of a session: what a command is worth to it, kept with all that it was worked out from."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction

from annotation.models import Annotation, Enrolment, Project
from annotation.pay import budget
from annotation.pay.approvals import approve, reject
from commands import corpora
from commands.models import Corpus, CorpusCommand
from interaction.models import Event, LiveCommand, Session
from interaction.project.tool import interaction
from interaction.session import bonus, score
from interaction.session.ending import end_session
from interaction.session.opening import state_of
from lib.stoplight.formula import Earlier, Signs, score_command
from lib.stoplight.settings import read_settings
from tests.support.builders import NOON
from tests.support.sessions import LiveWorker, both, judged, make_live_project
from workforce.models import LedgerEntry

pytestmark = pytest.mark.django_db
FORM = {
    "dialogue_type": "HUMAN_GIVE_COMMAND",
    "event_sequence": [{"action_type": "DANCE", "dance_type": {"dance_type_name": "x"}}],
}
TEXTS = (
    "build a small red cube next to the tower",
    "dig a deep hole behind the yellow house",
    "make three sheep dance around the blue tree",
    "fill that hole with grey stone please",
    "copy the wall and put it beside the river",
)


def paid(**columns: object) -> Project:
    return make_live_project(stoplight={"preset": "default"}, columns={"base_pay": Decimal("1.50"), **columns})


def session_of(project: Project, *texts: str) -> LiveWorker:
    """A worker who has given these commands, each carried out well."""
    worker, agent = both(project)
    for number, text in enumerate(texts):
        judged(worker, agent, f"c{number}", text, form=FORM)
    return worker


def handed_in(project: Project) -> tuple[LiveWorker, Annotation]:
    worker = session_of(project, *TEXTS)
    return worker, worker.hand_in()


def scores_of(live: LiveCommand) -> dict[str, Any]:
    assert live.scores is not None
    return dict(live.scores)


def test_a_score_follows_on_each_outcome() -> None:
    worker = session_of(paid(), *TEXTS)
    said = worker.said("score")
    assert [one["command"] for one in said] == ["c0", "c1", "c2", "c3", "c4"]
    assert all(one["counted"] and one["advice"] for one in said)
    assert said[-1]["score"] > said[0]["score"]
    assert said[-1]["most"] == {"amount": "3.00", "currency": "USD"}
    last = scores_of(worker.live())
    assert said[-1]["bonus"] == {"amount": last["bonus"], "currency": "USD"}
    assert worker.now().score == last["score"]
    # After what was said of the outcome, in the same transaction.
    kinds = list(Event.objects.filter(session=worker.session).order_by("seq").values_list("type", flat=True))
    assert kinds[-2:] == ["outcome", "score"]


@pytest.mark.parametrize("kind", [["HUMAN_GIVE_COMMAND"], {"a": 1}, None, 7])
def test_any_object_may_be_a_parse(kind: Any) -> None:
    worker, agent = both(paid())
    assert judged(worker, agent, text=TEXTS[0], form={"dialogue_type": kind}).outcome == "ok"


def test_a_command_that_did_not_count_says_why_and_is_kept() -> None:
    worker = session_of(paid(), TEXTS[0], TEXTS[0].upper() + "!!")
    said = worker.said("score")[-1]
    assert not said["counted"]
    assert said["advice"]
    assert scores_of(worker.live())["why"] == "near_duplicate"


def test_a_command_is_no_copy_because_another_worker_gave_it() -> None:
    project = paid()
    session_of(project, TEXTS[0])
    second = session_of(project, TEXTS[0])
    assert second.said("score")[-1]["counted"]


def test_a_project_without_a_bonus_promises_no_money() -> None:
    worker, agent = both()
    assert state_of(worker.now(), at=worker.at)["light"] == {"most": None}
    judged(worker, agent)
    said = worker.said("score")[-1]
    assert (said["bonus"], said["most"]) == (None, None)
    assert worker.now().bonus_expected == 0


def test_a_measuring_session_has_no_light() -> None:
    worker, agent = both(tree="rate", evaluation=True)
    assert state_of(worker.now(), at=worker.at)["light"] is None
    judged(worker, agent)
    assert worker.said("outcome")
    assert worker.said("score") == []


def test_a_session_keeps_the_settings_that_it_began_with() -> None:
    project = paid()
    worker, agent = both(project)
    project.settings["stoplight"] = {"preset": "paper", "most": "9.00"}
    project.save()
    judged(worker, agent, text=TEXTS[0])
    assert worker.said("score")[-1]["most"]["amount"] == "3.00"


def test_the_score_can_be_computed_again_from_the_stored_inputs() -> None:
    project = paid()
    corpora.enter(slug=project.slug, texts=[(text, None) for text in TEXTS], at=NOON)
    worker = session_of(project, *TEXTS)
    settings = read_settings(worker.now().stoplight)
    earlier: list[Earlier] = []
    for live in LiveCommand.objects.filter(session=worker.session).order_by("seq"):
        kept, command = scores_of(live), live.command
        assert kept["corpus_version"] == len(TEXTS)
        comparison, _ = corpora.comparison(kept["corpus"], settings)
        signs = Signs(is_judged=True, has_form=True, is_nlu_error=False)
        again = score_command(settings, command.text, earlier=earlier, elsewhere=[], signs=signs, corpus=comparison)
        assert again.as_json().items() <= kept.items()
        earlier.append(Earlier(command.text, again.counted, again.creativity, again.diversity, again.near))


def test_commands_enter_the_corpus_once_their_session_is_approved() -> None:
    project = paid()
    worker, annotation = handed_in(project)
    assert not CorpusCommand.objects.exists()
    for _ in range(2):
        approve(annotations=[annotation], by="staff:a", at=worker.at)
    assert list(CorpusCommand.objects.order_by("number").values_list("text", flat=True)) == list(TEXTS)
    assert Corpus.objects.get(slug=project.slug).version == len(TEXTS)


def test_copies_and_numbers_do_not_enter_the_corpus() -> None:
    odd = ("dig 4711 4712 4713 4714 4715", f"{TEXTS[0]}!", "bcvzx zqxvwk wkjhpp gnrt")
    worker = session_of(paid(), *TEXTS, *odd)
    kept = LiveCommand.objects.filter(session=worker.session).order_by("seq").values_list("scores__why", flat=True)
    assert list(kept) == [""] * len(TEXTS) + ["numbers", "near_duplicate", "unknown_words"]
    bonus.remember(worker.now(), at=NOON)
    # These words may be those of another language.
    assert list(CorpusCommand.objects.values_list("text", flat=True)) == [*TEXTS, odd[2]]


def test_the_bonus_is_fixed_at_approval_with_its_inputs() -> None:
    project = paid()
    worker, annotation = handed_in(project)
    expected = worker.now().bonus_expected
    assert expected > 0
    assert interaction.open_bonus(project) == expected
    assert interaction.expected_bonuses([annotation]) == {annotation.pk: expected}
    assert score.most_bonus(project, "") == Decimal("3.00")
    assert LedgerEntry.objects.filter(kind="bonus").count() == 0
    for _ in range(2):
        approve(annotations=[annotation], by="staff:a", at=worker.at)
    assert interaction.open_bonus(project) == 0
    entry = LedgerEntry.objects.get(kind="bonus")
    assert (entry.amount, entry.state, entry.account) == (expected, "approved", project.slug)
    assert entry.inputs is not None
    assert entry.inputs["score"] == worker.now().score
    assert len(entry.inputs["commands"]) == len(TEXTS)
    assert not any(text in str(entry.inputs) for text in TEXTS)
    project.refresh_from_db()
    enrolment = Enrolment.objects.get(project=project, worker=worker.enrolment.worker)
    assert project.spent == enrolment.earned == Decimal("1.50") + expected


@pytest.mark.parametrize(("is_soft", "kinds"), [(False, {"base"}), (True, {"base", "bonus"})])
def test_rejected_sessions_leave_the_corpus_as_it_was(is_soft: bool, kinds: set[str]) -> None:
    worker, annotation = handed_in(paid())
    reject(annotations=[annotation], reason="no sense", is_soft=is_soft, by="staff:a", at=worker.at)
    assert not CorpusCommand.objects.exists()
    assert set(LedgerEntry.objects.values_list("kind", flat=True)) == kinds


def test_a_worker_who_lost_their_agent_keeps_the_bonus() -> None:
    project = paid()
    worker = session_of(project, *TEXTS[:2])
    expected = worker.now().bonus_expected
    assert expected > 0
    for _ in range(2):
        with transaction.atomic():
            end_session(worker.session.pk, Session.Reason.AGENT_LOST, at=worker.at + timedelta(seconds=60))
    entry = LedgerEntry.objects.get(kind="bonus")
    assert (entry.amount, entry.state, worker.now().bonus) == (expected, "approved", expected)
    project.refresh_from_db()
    assert project.spent == sum(LedgerEntry.objects.values_list("amount", flat=True))


def test_a_worker_who_leaves_has_no_bonus() -> None:
    session_of(paid(), TEXTS[0]).leave()
    assert not LedgerEntry.objects.filter(kind="bonus").exists()


def cheaper(project: Project) -> Project:
    """The same project, which now pays and promises less."""
    project.settings["stoplight"] = {"preset": "default", "most": "0.50"}
    Project.objects.filter(pk=project.pk).update(base_pay=Decimal("0.10"), settings=project.settings)
    return Project.objects.get(pk=project.pk)


def test_a_session_is_paid_by_the_terms_with_which_it_began() -> None:
    project = paid()
    worker, agent = both(project)
    cheaper(project)
    judged(worker, agent, text=TEXTS[0])
    worker.hand_in()
    assert LedgerEntry.objects.get(kind="base").amount == Decimal("1.50")


def test_the_budget_counts_the_promises_to_sessions_that_go_on() -> None:
    project = paid(budget=Decimal("5.00"))
    both(project)
    project = cheaper(project)
    # 4.50 are promised to the one that goes on, so there is no room for another of 0.60.
    assert budget.room(project) == Decimal("0.50")


def test_a_bonus_that_is_fixed_at_once_stays() -> None:
    project = paid(approve_after_s=0)
    worker, _ = handed_in(project)
    assert worker.now().bonus == LedgerEntry.objects.get(kind="bonus").amount > 0
    assert interaction.open_bonus(project) == 0
