"""The practice task in a project's forms: typed, kept, shown as a worker sees it."""

import json
from typing import Any

from django.test import Client

from annotation.models import Project
from tests.support.builders import make_episode, make_film, make_project, make_task
from web.staff.setup.project_body import body_of

SETTINGS = "/staff/projects/p/settings/"
TRIAL = "/staff/projects/p/setup/try/"
RIGHT = [{"outcome": "success", "time_s": 3.0}]


def _typed(client: Client, **practice: str) -> dict[str, str]:
    """The form as it is shown, with these fields of the practice."""
    page = client.get(SETTINGS)
    shown = {one.field.path: one.text for drawn in page.context["sections"] for one in drawn.fields}
    return {**shown, **{f"practice/{name}": text for name, text in practice.items()}}


def _practice(episode: str) -> dict[str, str]:
    payload, accept = json.dumps({"episode": episode}), json.dumps(RIGHT)
    return {"use": "own", "payload": payload, "accept": accept, "tolerance_s": "0.5", "why": "Look.", "first": "yes"}


def _episode() -> str:
    episode = make_episode()
    make_film(episode)
    return episode.external_id


def _settings() -> Any:
    return body_of(Project.objects.get())["settings"]


def test_a_practice_is_typed_and_taken_away_beside_the_other_settings(dora: Client) -> None:
    make_project("p", settings={"grace_s": 60})
    episode = _episode()
    assert dora.post(SETTINGS, _typed(dora, **_practice(episode))).status_code == 302
    kept = {"payload": {"episode": episode}, "accept": RIGHT, "tolerance_s": 0.5, "why": "Look.", "first": True}
    assert _settings() == {"grace_s": 60, "practice": kept}
    assert dora.post(SETTINGS, _typed(dora, tolerance_s="0")).status_code == 302
    kept["tolerance_s"] = 0.0
    assert _settings() == {"grace_s": 60, "practice": kept}
    # What is shown can be saved again, and changes nothing.
    assert dora.post(SETTINGS, _typed(dora)).status_code == 302
    assert _settings() == {"grace_s": 60, "practice": kept}
    assert dora.post(SETTINGS, _typed(dora, use="off")).status_code == 302
    assert _settings() == {"grace_s": 60, "practice": False}
    assert dora.post(SETTINGS, _typed(dora, use="")).status_code == 302
    assert _settings() == {"grace_s": 60}


def test_faults_of_a_practice_stand_at_its_fields(dora: Client) -> None:
    project = make_project("p")
    episode = _episode()
    for changed, field, words in [
        ({"accept": "[]"}, "practice/accept", ""),
        ({"payload": "{"}, "practice/payload", "This is not JSON."),
        ({"payload": '{"episode": "none"}'}, "practice/payload", "There is no episode"),
    ]:
        refused = dora.post(SETTINGS, _typed(dora, **{**_practice(episode), **changed}))
        assert refused.status_code == 422
        assert words in refused.context["errors"][field]
    reference = make_task(project, truth="success").payload["episode"]
    refused = dora.post(SETTINGS, _typed(dora, **_practice(reference)))
    assert "A reference is about this" in refused.context["errors"]["practice/payload"]
    unchosen = dora.post(SETTINGS, _typed(dora, **{**_practice(episode), "use": ""}))
    assert "Choose" in unchosen.context["errors"]["practice/use"]
    twice = {**_typed(dora), "settings": '{"practice": false}'}
    assert dora.post(SETTINGS, twice).context["errors"]["settings"] == "The practice has fields of its own."


def test_a_saved_practice_can_be_tried(dora: Client) -> None:
    make_project("p")
    assert "as a worker does" not in dora.get(SETTINGS).content.decode()
    assert dora.get(f"{TRIAL}practice/").status_code == 404
    assert dora.post(SETTINGS, _typed(dora, **_practice(_episode()))).status_code == 302
    assert "as a worker does" in dora.get(SETTINGS).content.decode()
    page = dora.get(f"{TRIAL}practice/").content.decode()
    assert "data-quiz-payload" in page
    assert "Look." not in page
    for frame, words in [(30, "The practice would be passed"), (60, "A worker would read: Look.")]:
        answer = json.dumps({"outcome": "success", "frame": frame})
        tried = dora.post(TRIAL, {"task": "practice", "q-answer": answer})
        assert words in tried.content.decode()
    assert dora.post(TRIAL, {"task": "practice", "q-answer": "?"}).status_code == 422


def test_live_sessions_have_no_fields_for_a_practice(dora: Client) -> None:
    make_project("p", tool="interaction", settings={})
    assert not [path for path in _typed(dora) if path.startswith("practice/")]
