"""Pictures of scenes: for whom, of what, and how long they may be kept."""

import re

import pytest
from django.test import Client

from annotation.access.roles import Role
from annotation.models import Project, Task
from lib.voxels.scene import read_scene
from tests.support.builders import client_of, make_staff
from tests.support.tool_workers import TOWER, make_voxels_project, marks, post, post_phrases, scene, work

pytestmark = pytest.mark.django_db
SCENE = f"/staff/scenes/{read_scene(scene()).digest}.svg"


def address_in(client: Client, project: Project) -> str:
    html = client.get(f"/staff/projects/{project.slug}/masks/").content.decode()
    found = re.search(r'<img src="([^"]+)"', html)
    assert found is not None
    return found[1].replace("&amp;", "&")


def is_marked(client: Client, address: str) -> bool:
    return 'fill="url(#hatch)"' in client.get(address).content.decode()


def test_a_picture_shows_what_the_answers_came_to(dora: Client) -> None:
    project = make_voxels_project("p")
    post_phrases(project, {"a": "the <red> tower"})
    before = address_in(dora, project)
    assert not is_marked(dora, before)
    work(project, "ann", lambda _: marks(TOWER))
    after = address_in(dora, project)
    assert after != before
    answer = dora.get(after)
    assert answer["Content-Type"].startswith("image/svg+xml")
    assert "the &lt;red&gt; tower" in answer.content.decode()
    assert is_marked(dora, after)
    assert not is_marked(dora, SCENE)


def test_the_truth_goes_before_answers_and_these_before_the_agent(dora: Client) -> None:
    project = make_voxels_project("p", reference_rate=1.0)
    told = {"scene": scene(), "phrase": "the red tower", "agent_mask": TOWER}
    post(project, {"a": told})
    assert is_marked(dora, address_in(dora, project))
    work(project, "ann", lambda _: marks(None))
    assert not is_marked(dora, address_in(dora, project))
    post(project, {"r": {**told, "agent_mask": []}}, reference={"answers": [marks(TOWER)]})
    assert is_marked(dora, address_in(dora, project))


def test_a_picture_is_kept_as_long_as_its_address_says_what_is_in_it(dora: Client) -> None:
    project = make_voxels_project("p")
    post_phrases(project, {"a": "the red tower"})
    address = address_in(dora, project)
    first = dora.get(address)
    assert first["Cache-Control"] == "private, max-age=86400, immutable"
    assert "Expires" not in first
    work(project, "ann", lambda _: marks(TOWER))
    stale = dora.get(address)
    assert stale["Cache-Control"] == "private, no-cache"
    assert stale["ETag"] != first["ETag"]
    assert dora.get(address, headers={"if-none-match": stale["ETag"]}).status_code == 304
    assert dora.get(address, headers={"if-none-match": first["ETag"]}).status_code == 200


def test_a_scene_is_for_those_who_see_a_project_that_shows_it(dora: Client) -> None:
    mine, other = make_voxels_project("mine"), make_voxels_project("other")
    post_phrases(mine, {"a": "the red tower"})
    post(other, {"b": {"scene": scene(agent=None), "phrase": "the red tower"}})
    theirs = Task.objects.get(key="b")
    client = client_of(make_staff("vera", Role.VIEWER, mine))
    assert client.get(SCENE).status_code == 200
    assert client.get(f"/staff/scenes/{theirs.payload['scene']}.svg").status_code == 404
    assert client.get(f"{SCENE}?task={Task.objects.get(key='a').pk}").status_code == 200
    for name in (str(theirs.pk), "0", "x", "9" * 30, "²"):
        assert client.get(f"{SCENE}?task={name}").status_code == 404, name
    assert dora.get(f"{SCENE}?task={theirs.pk}").status_code == 404
    refused = Client().get(SCENE)
    assert refused.status_code == 302
    assert "no-store" in refused["Cache-Control"]
