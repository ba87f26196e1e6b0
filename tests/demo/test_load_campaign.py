"""The demo's past campaign: its pages show it, nothing acts because of it, and the file is written as it is read."""

import json
import zipfile
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.access.roles import Role
from annotation.models import Project
from demo import load_campaign
from demo.loop import archive
from demo.management.commands.demo import FOLDER
from learning.models import Campaign, Deployment, Iteration, Serving, TrainedModel
from learning.training.artefacts import artefact_of
from lib import extras
from tests.support.builders import client_of, make_staff
from tests.support.campaigns import make_campaign
from tests.support.pages import text_of
from tests.support.sessions import make_live_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return load_campaign.load(FOLDER, at=timezone.now())


def test_it_has_ended_before_now_and_no_model_acts(campaign: Campaign) -> None:
    assert load_campaign.is_loaded()
    assert campaign.status == "done"
    assert campaign.ended_at is not None
    assert campaign.ended_at < timezone.now()
    assert campaign.iterations.count() >= 3
    assert not Iteration.objects.filter(started_at__gt=timezone.now()).exists()
    assert not Serving.objects.exists()
    assert not TrainedModel.objects.filter(status="deployed").exists()
    assert Project.objects.get(slug=load_campaign.PROJECT).status == "closed"


def test_models_that_passed_the_gate_were_deployed_in_it(campaign: Campaign) -> None:
    deployed = campaign.iterations.filter(outcome="deployed").select_related("verdict", "model")
    assert deployed
    for one in deployed:
        assert one.verdict is not None
        assert one.verdict.passed
        assert one.verdict.model == one.model
        assert Deployment.objects.filter(model=one.model, act="deploy", forced_because="").exists()


def test_its_models_are_whole(campaign: Campaign) -> None:
    for model in TrainedModel.objects.all():
        assert len(artefact_of(model)) == model.bytes


def test_its_pages_show_what_it_brought_also_without_the_extra(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    chief = client_of(make_staff("clara", Role.ADMIN))
    shown = text_of(chief.get(f"/staff/learning/campaigns/{campaign.slug}/").content.decode())
    for words in (
        "It has gone through 3 iterations, as planned.",
        "Points gained for 100 USD, by iteration",
        "Errors marked by workers, and errors proved",
        "Replayed under other policies: nlu",
    ):
        assert words in shown
    shown = text_of(chief.get("/staff/learning/").content.decode())
    for words in ("Exact match on T_all", "Exact match on T_n", "Exact match on T_0", "Errors by noun"):
        assert words in shown
    assert "Nothing to show yet" not in shown
    best = campaign.iterations.filter(model__isnull=False).latest("number").model
    assert best is not None
    page = chief.get(f"/staff/learning/models/{best.public_id}/")
    assert "mcnemar" in text_of(page.content.decode())


def test_a_campaign_is_kept_as_the_file_that_it_was_loaded_from(campaign: Campaign, tmp_path: Path) -> None:
    call_command("keep_campaign", campaign.slug, to=tmp_path / "again.zip", stdout=StringIO())
    first, again = (rows_of(path) for path in (FOLDER / load_campaign.FILE, tmp_path / "again.zip"))
    for kind in archive.KEPT:
        assert len(again[kind.__name__]) == len(first[kind.__name__])
    assert [row["content"]["p"] for row in again["GateVerdict"]] == [
        row["content"]["p"] for row in first["GateVerdict"]
    ]
    assert again["spent"] == first["spent"]


def rows_of(file: Path) -> dict[str, list[dict[str, dict[str, float]]]]:
    with zipfile.ZipFile(file) as kept:
        found: dict[str, list[dict[str, dict[str, float]]]] = json.loads(kept.read(archive.ROWS))
        return found


@pytest.mark.parametrize("slug", ["running", "nowhere"])
def test_a_campaign_that_has_not_ended_is_not_kept(slug: str, tmp_path: Path) -> None:
    make_campaign("running", project=make_live_project(), status="running")
    with pytest.raises(CommandError):
        call_command("keep_campaign", slug, to=tmp_path / "none.zip", stdout=StringIO())
