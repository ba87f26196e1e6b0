"""Notes for the poster and the staff about a video that is black, frozen or cut, and about one without the measure."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.access.roles import Role
from evaluation.marker import marker
from evaluation.models import Film
from tests.support.builders import claim, client_of, make_episode, make_project, make_staff, make_task, make_worker
from tests.support.pages import words_of

ACTIVITY = {
    "band": [0, 255, 3],
    "moments": [10],
    "cuts": [50],
    "frozen": [[20, 99]],
    "black": [[0, 9]],
    "notes": ["black", "frozen", "cut"],
}


@pytest.fixture
def staff(db: None) -> Client:
    return client_of(make_staff("dora", Role.VIEWER))


def test_the_poster_is_told_what_is_seen_and_when(pipe: APIClient) -> None:
    episode = make_episode()
    address = f"/api/v1/episodes/{episode.external_id}/"
    assert pipe.get(address).json()["picture"] is None, "an old video was not measured"
    Film.objects.update(activity=ACTIVITY)
    # 100 frames of a tenth of a second.
    assert pipe.get(address).json()["picture"] == {
        "notes": ["black", "frozen", "cut"],
        "black": [[0.0, 1.0]],
        "frozen": [[2.0, 10.0]],
        "cuts": [5.0],
    }


def test_an_episode_without_a_video_has_no_picture(pipe: APIClient) -> None:
    episode = make_episode(is_ready=False)
    assert pipe.get(f"/api/v1/episodes/{episode.external_id}/").json()["picture"] is None


def test_staff_see_the_notes_on_the_page_and_in_the_list(staff: Client) -> None:
    episode = make_episode()
    page, listed = reverse("staff-episode", args=[episode.external_id]), reverse("staff-episodes")
    for address in (page, listed):
        assert "frozen" not in words_of(staff, address)
        assert "stands still" not in words_of(staff, address)
    Film.objects.update(activity=ACTIVITY)
    assert "The picture stands still for a while." in words_of(staff, page)
    assert "frozen" in words_of(staff, listed)


@pytest.mark.parametrize("activity", [None, ACTIVITY])
def test_a_worker_gets_the_band_and_the_moments_alone(activity: dict[str, Any] | None, db: None) -> None:
    project = make_project()
    make_task(project)
    Film.objects.update(activity=activity)
    held = claim(project, make_worker())
    shown = marker.present(held.task, hold=held.public_id)["video"]["activity"]
    assert shown == (activity and {"band": [0, 255, 3], "moments": [10]})
