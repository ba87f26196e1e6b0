"""The page of a project's masks: what it shows and counts, its files, and importing."""

import io
import json
import re
from typing import Any

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.access.members import give_role
from annotation.access.roles import Role, pseudonym_of
from annotation.models import Project, Task
from tests.lib.voxels.test_droidlet import payload
from tests.support.builders import NOON, Made, client_of, for_module, make_project, make_staff
from tests.support.pages import text_of, words_of
from tests.support.tool_workers import TOWER, make_voxels_project, marks, post, post_phrases, scene, work
from web.staff.datasets import masks as page
from workforce.models import Worker

pytestmark = pytest.mark.django_db
PAGE, MARKED = "/staff/projects/p/masks/", "/staff/projects/marked/masks/"
RIM = [*TOWER, [1, 4, 1]]
"""The tower with one block too many on top: a border of one block off."""
BLUE = {"tags": ["the blue thing"], "locs": [[1, -1, -3]]}


def cells(client: Client, address: str = PAGE) -> dict[str, list[str]]:
    """The rows of the table of tasks, by key."""
    html = client.get(address).content.decode()
    table = html[html.index("<tbody>") : html.index("</tbody>")]
    rows = [[text_of(cell) for cell in re.findall(r"<t[dh].*?</t[dh]>", row, re.S)] for row in table.split("<tr>")[1:]]
    return {row[0].split()[-1]: row[1:] for row in rows}


def make_marked() -> Project:
    """Two workers agree on a, differ by a border on b, wholly on c; nobody has seen d; both met the reference r."""
    project = make_voxels_project("marked", redundancy=2, reference_rate=1.0)
    said: dict[str, list[Any]] = {
        "the tower": [TOWER, TOWER],
        "its rim": [TOWER, RIM],
        "a pyramid": [None, [[4, 1, 2]]],
        "known": [TOWER, RIM],
    }
    post(project, {"a": {"scene": scene(), "phrase": "the tower", "agent_mask": TOWER[:2]}})
    post_phrases(project, {"b": "its rim", "c": "a pyramid"})
    post_phrases(project, {"r": "known"}, reference={"answers": [marks(TOWER), marks([[0, 0, 0]])]})
    for place, name in enumerate(("ann", "bob")):
        assert work(project, name, lambda told, place=place: marks(said[told["phrase"]][place])) == 4  # type: ignore[misc]
    post_phrases(project, {"d": "the sky"})
    return project


made = for_module(make_marked)


@pytest.fixture
def marked(made: Made[Project], db: None) -> Project:
    return made.again()


# What is shown ---------------------------------------------------------------------------------------------------


def test_each_task_says_how_well_its_answers_agree(marked: Project, dora: Client) -> None:
    rows = cells(dora, MARKED)
    assert list(rows) == ["d", "r", "c", "b", "a"]
    # Sure, not there, IoU, border forgiven, the agent's IoU.
    assert rows["a"][2:] == ["100 %", "0 of 2", "1.00", "1.00", "0.67"]
    assert rows["b"][3:] == ["0 of 2", "0.75", "1.00", "–"]
    assert rows["c"][3:] == ["1 of 2", "0.00", "0.00", "–"]
    assert rows["d"][2:] == ["–", "–", "–", "–", "–"]
    assert "wants review" in rows["c"][1]


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("only=differ", {"c"}),
        ("only=agent", {"a"}),
        ("only=absent", set()),
        ("kind=reference", {"r"}),
        ("kind=task", {"a", "b", "c", "d"}),
        ("q=PYRAMID", {"c"}),
        ("q=rim", {"b"}),
    ],
)
def test_the_list_narrows(query: str, keys: set[str], marked: Project, dora: Client) -> None:
    if keys:
        assert set(cells(dora, f"{MARKED}?{query}")) == keys
    else:
        assert "No task fits" in words_of(dora, f"{MARKED}?{query}")


def test_what_settled_as_not_there_is_found_and_counted(dora: Client) -> None:
    project = make_voxels_project("p")
    post_phrases(project, {"a": "the tower", "b": "a pyramid"})
    work(project, "ann", lambda told: marks(TOWER if told["phrase"] == "the tower" else None))
    assert set(cells(dora, f"{PAGE}?only=absent")) == {"b"}
    words = words_of(dora, PAGE)
    assert "2 settled tasks" in words
    assert "1 of these: it is not there (50%)" in words.replace(" %", "%")


def test_workers_are_held_against_the_references(marked: Project, dora: Client, django_user_model: Any) -> None:
    words = words_of(dora, MARKED)
    assert "direct:ann 1 1.00 0.21 – 1.00 1.00 1 of 1" in words
    assert "direct:bob 1 0.75 0.12 – 0.99 1.00 0 of 1" in words
    viewer = make_staff("vera")
    give_role(account=viewer, project=marked, role=Role.VIEWER, by="staff:dora", at=NOON)
    seen = words_of(client_of(viewer), MARKED)
    assert "direct:ann" not in seen
    assert pseudonym_of(Worker.objects.get(external_id="ann")) in seen


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("references", {"0.75,0.8,1", "0.95,1.0,1", "0.0,0.05,0"}),
        ("between-workers", {"0.75,0.8,1", "0.95,1.0,1", "0.0,0.05,1"}),
        ("workers", {"worker,references,iou,low,high,tolerant_iou,to_the_voxel"}),
    ],
)
def test_each_plot_has_its_numbers(name: str, lines: set[str], marked: Project, dora: Client) -> None:
    csv = dora.get(f"{MARKED}?plot={name}&as=csv").content.decode().splitlines()
    assert lines <= set(csv)


def test_long_lists_have_pages(dora: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "ROWS", 2)
    project = make_voxels_project("p")
    post_phrases(project, dict.fromkeys("abc", "the tower"))
    assert list(cells(dora)) == ["c", "b"]
    html = dora.get(PAGE).content.decode()
    onward = re.search(r'rel="next" href="([^"]+)"', html)
    assert onward is not None
    assert list(cells(dora, PAGE + onward[1].replace("&amp;", "&"))) == ["a"]


def test_an_empty_page_says_how_to_get_the_first_row(dora: Client) -> None:
    make_voxels_project("p")
    html = dora.get(PAGE).content.decode()
    words = text_of(html)
    assert "No tasks yet" in words
    body = re.search(r"-d '(\{.*?\})'", words)
    assert body is not None
    post(Project.objects.get(slug="p"), {"first": json.loads(body[1])["tasks"][0]["payload"]})
    assert set(cells(dora)) == {"first"}


def test_only_a_project_that_marks_has_the_page(dora: Client) -> None:
    make_project("marker")
    make_voxels_project("names", settings={"stage": "name"})
    for slug in ("marker", "names"):
        assert dora.get(f"/staff/projects/{slug}/masks/").status_code == 404
        assert "/masks/" not in dora.get(f"/staff/projects/{slug}/").content.decode()
    make_voxels_project("p")
    assert PAGE in dora.get("/staff/projects/p/").content.decode()


# Files -----------------------------------------------------------------------------------------------------------


def test_the_dataset_is_a_file_in_three_forms(marked: Project, dora: Client) -> None:
    lines = dora.get(f"{MARKED}download/?form=jsonl").getvalue().decode().splitlines()
    assert [json.loads(line)["task"] for line in lines] == ["a", "b"]
    assert json.loads(lines[0])["shares"] == [[*voxel, 1.0] for voxel in TOWER]
    arrays = np.load(io.BytesIO(dora.get(f"{MARKED}download/?form=npz").getvalue()))
    assert arrays["tasks"].tolist() == ["a", "b"]
    later = np.load(io.BytesIO(dora.get(f"{MARKED}download/?form=npz&after=a").getvalue()))
    assert later["tasks"].tolist() == ["b"]
    answer = dora.get(f"{MARKED}download/?form=scenes")
    assert 'filename="marked-scene_list.json"' in answer["Content-Disposition"]
    assert len(json.loads(answer.getvalue())[0]["inst_seg_tags"]) == 2


# Importing -------------------------------------------------------------------------------------------------------


def send(client: Client, content: Any, kind: str = "tasks", prefix: str = "told") -> Any:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    file = SimpleUploadedFile("scenes.json", data, content_type="application/json")
    return client.post(f"{PAGE}import/", {"file": file, "as": kind, "key_prefix": prefix}, follow=True)


@pytest.mark.parametrize("wrap", [lambda one: one, lambda one: [one], lambda one: {"scenes": [one]}])
def test_a_file_of_scenes_becomes_tasks(wrap: Any, dora: Client) -> None:
    make_voxels_project("p")
    words = text_of(send(dora, wrap(payload(inst_seg_tags=[BLUE], mobs=[]))).content.decode())
    assert "1 task made" in words
    assert "Passed over: mobs" in words
    again = text_of(send(dora, wrap(payload(inst_seg_tags=[BLUE]))).content.decode())
    assert "0 tasks made, 1 were there already" in again
    assert Task.objects.get(project__slug="p").payload["phrase"] == "the blue thing"


@pytest.mark.parametrize(
    ("content", "kind", "prefix", "status", "says"),
    [
        (b"[", "tasks", "a", 422, "not JSON"),
        ([payload(blocks=[[0, 0, 0, 300]])], "tasks", "a", 422, "scene 1, blocks/0: There is no block"),
        ([payload()], "tasks", "a", 422, "nothing to ask for"),
        ([payload(inst_seg_tags=[BLUE])], "other", "a", 422, "one of tasks"),
        ([payload(inst_seg_tags=[BLUE])], "tasks", "a b", 422, "letters, digits"),
        ([payload()] * 201, "tasks", "a", 413, "At most 200 scenes"),
    ],
)
def test_a_file_that_cannot_be_is_refused(
    content: Any, kind: str, prefix: str, status: int, says: str, dora: Client
) -> None:
    make_voxels_project("p")
    answer = send(dora, content, kind, prefix)
    assert answer.status_code == status
    assert says in text_of(answer.content.decode())
    assert not Task.objects.filter(project__slug="p").exists()
