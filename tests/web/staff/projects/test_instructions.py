"""Writing instructions: the editor without a script, versions, what workers then see; and their pictures."""

import io
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from PIL import Image, ImageSequence
from PIL.PngImagePlugin import PngInfo
from rest_framework.test import APIClient

from annotation.models import Assignment, InstructionVersion, Picture, Project
from annotation.offer.instruction_pictures import MOST_BYTES, MOST_FRAMES, MOST_SIDE, SHOWN_SIDE
from annotation.offer.instructions import compare, keep_instructions
from audit.models import AuditEvent
from jobs import outbox
from jobs.models import Job
from tests.support.builders import NOON, annotate, claim, make_project, make_task, token_for
from tests.support.calls import content, lines
from tests.support.pages import text_of, words_of
from workforce.models import Worker

PAGE = "/staff/projects/p/instructions/"


@pytest.fixture
def project(db: None) -> Project:
    project = make_project("p", instructions=["# One\n\nWatch.", "# Two\n\nMark."])
    keep_instructions(project=project, by="key:pipe", at=NOON)
    return project


def send(client: Client, act: str, pages: list[str], *, based_on: int = 1, **extra: Any) -> Any:
    return client.post(PAGE, {"act": act, "page": pages, "based_on": str(based_on), **extra})


def typed(answer: Any) -> list[str]:
    """The values of the form."""
    return [page.text for page in answer.context["pages"]]


def present(project: Project) -> list[str]:
    project.refresh_from_db()
    return list(project.instructions)


def a_picture(kind: str = "PNG", *, size: tuple[int, int] = (40, 30), name: str = "ball.png", **options: Any) -> Any:
    out = io.BytesIO()
    Image.new("RGB", size, "red").save(out, kind, **options)
    return SimpleUploadedFile(name, out.getvalue())


# The editor --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "pages"),
    [
        ("up:1", ["b", "a", "c"]),
        ("up:0", ["a", "b", "c"]),
        ("down:0", ["b", "a", "c"]),
        ("down:2", ["a", "b", "c"]),
        ("add:0", ["a", "", "b", "c"]),
        ("remove:1", ["a", "c"]),
        ("remove:99", ["a", "b"]),
        ("preview", ["a", "b", "c"]),
        ("nonsense:x", ["a", "b", "c"]),
    ],
)
def test_buttons_rearrange_what_is_typed_and_save_nothing(
    act: str, pages: list[str], project: Project, dora: Client
) -> None:
    answer = send(dora, act, ["a", "b", "c"])
    assert typed(answer) == pages
    assert "not saved yet" in text_of(answer.content.decode())
    assert typed(send(dora, "remove:0", ["only"])) == [""], "the last page is emptied and not taken away"
    assert present(project) == ["# One\n\nWatch.", "# Two\n\nMark."]
    assert InstructionVersion.objects.count() == 1


def test_a_change_is_shown_and_saved_as_a_version(project: Project, dora: Client) -> None:
    begun = dora.get(PAGE)
    assert typed(begun) == project.instructions
    assert "<h1>One</h1>" in begun.content.decode()
    preview = dora.post(f"{PAGE}preview/", {"page": "# A\n\n<script>x</script>"}).content.decode()
    assert ("<h1>A</h1>" in preview, "<script" in preview) == (True, False)
    same = dora.post(PAGE, {"act": "save", "page": project.instructions, "based_on": "1"}, follow=True)
    assert "Nothing changed" in text_of(same.content.decode())
    answer = dora.post(PAGE, {"act": "save", "page": ["New.\r\nLine", "  "], "based_on": "1"}, follow=True)
    assert "✓ Saved as version 2" in text_of(answer.content.decode())
    assert present(project) == ["New.\nLine"]
    version = InstructionVersion.objects.get(number=2)
    assert (version.by, project.instruction_version) == ("staff:dora", version)
    event = AuditEvent.objects.get(verb="project.instructions")
    assert (event.actor, event.project, event.detail) == (
        "staff:dora",
        "p",
        {"before": {"version": 1}, "after": {"version": 2}},
    )


@pytest.mark.parametrize(
    ("pages", "words"),
    [
        ([" ", ""], "one page at least"),
        (["x" * 20_001], "more than 20000 characters"),
        ([f"![x](/pictures/{'0' * 64})"], "not on this server"),
        (["x"] * 51, "50 pages at most"),
    ],
)
def test_what_cannot_be_saved_stays_in_the_form(pages: list[str], words: str, project: Project, dora: Client) -> None:
    answer = send(dora, "save", pages)
    assert answer.status_code == 422
    assert words in text_of(answer.content.decode())
    assert typed(answer) == pages
    assert InstructionVersion.objects.count() == 1


def test_two_editors_do_not_overwrite_each_other(project: Project, dora: Client) -> None:
    send(dora, "save", ["Hers."])
    answer = send(dora, "save", ["His."], based_on=1)
    assert answer.status_code == 409
    assert "Somebody else has saved" in text_of(answer.content.decode())
    assert typed(answer) == ["His."]
    assert present(project) == ["Hers."]
    assert answer.context["based_on"] == 2, "saving again is a decision, made in sight of the warning"
    send(dora, "save", ["His."], based_on=2)
    assert present(project) == ["His."]


# Versions ----------------------------------------------------------------------------------------------------


def test_versions_tell_what_changed_and_come_back(project: Project, dora: Client) -> None:
    send(dora, "save", ["# One\n\nLook.", "# Two\n\nMark."])
    page = words_of(dora, f"{PAGE}versions/")
    assert "removed: Watch." in page
    assert "added: Look." in page
    send(dora, "save", ["# One\n\nSee."], based_on=2)
    page = words_of(dora, f"{PAGE}versions/?from=1&to=3")
    assert "From version 1 to version 3" in page
    assert "removed: Mark." in page
    assert words_of(dora, f"{PAGE}versions/?from=1&to=9", status=404)
    dora.post(f"{PAGE}versions/1/restore/")
    assert present(project) == ["# One\n\nWatch.", "# Two\n\nMark."]
    assert InstructionVersion.objects.order_by("-number").first().number == 4  # type: ignore[union-attr]


def test_comparing_tells_lines_added_removed_and_kept() -> None:
    old, new = "\n".join("abcdefgh"), "\n".join("abcdefgX")
    (page,) = compare(["same", old], ["same", new])
    assert page.number == 2
    assert [(line.change, line.text) for line in page.lines] == [
        ("same", "f"),
        ("same", "g"),
        ("removed", "h"),
        ("added", "X"),
    ]
    assert compare(["a"], ["a"]) == []


def test_a_worker_sees_the_new_version_and_annotations_know_theirs(
    project: Project, alice: Worker, dora: Client, pipe: APIClient
) -> None:
    make_task(project), make_task(project)
    annotate(claim(project, alice))
    send(dora, "save", ["New."])
    project.refresh_from_db()
    annotate(claim(project, alice))
    browser = Client()
    browser.get(f"/enter/p?token={token_for(project, alice)}")
    page = browser.get("/work/p/").content.decode()
    assert 'data-version="2"' in page
    assert "New." in page
    rows = lines(pipe.get("/api/v1/projects/p/annotations.jsonl"))
    assert [row["instructions_version"] for row in rows] == [1, 2]
    assert Assignment.objects.filter(instruction_version__number=1).count() == 1


# Pictures ----------------------------------------------------------------------------------------------------


def run_jobs(seconds: float = 0) -> None:
    for pk in Job.objects.unfinished().values_list("pk", flat=True):
        outbox.run(pk)


@pytest.fixture(autouse=True)
def _worker_of_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a request waits for the job of a picture, the job runs."""
    monkeypatch.setattr("web.staff.projects.instructions.time.sleep", run_jobs)


def add(client: Client, file: Any, words: str = "a red ball", into: int = 0, pages: list[str] | None = None) -> Any:
    return send(client, "picture", pages or ["One.", "Two."], picture=file, words=words, into=str(into))


@pytest.mark.parametrize(("kind", "content_type"), [("PNG", "png"), ("JPEG", "jpeg"), ("WEBP", "webp"), ("GIF", "gif")])
def test_a_picture_is_kept_and_put_into_the_page(kind: str, content_type: str, project: Project, dora: Client) -> None:
    answer = add(dora, a_picture(kind), into=1)
    picture = Picture.objects.get()
    assert typed(answer) == ["One.", f"Two.\n\n![a red ball](/pictures/{picture.digest})\n"]
    assert (picture.content_type, picture.width, picture.height) == (f"image/{content_type}", 40, 30)
    shown = Client().get(f"/pictures/{picture.digest}")
    assert shown["Content-Type"] == f"image/{content_type}"
    assert shown["Cache-Control"] == "public, max-age=31536000, immutable"
    assert shown["X-Content-Type-Options"] == "nosniff"
    assert Image.open(io.BytesIO(content(shown))).size == (40, 30)
    assert f'<img src="/pictures/{picture.digest}" alt="a red ball">' in answer.content.decode()


def test_what_cameras_and_programs_write_into_a_picture_is_gone(project: Project, dora: Client) -> None:
    exif = Image.Exif()
    exif[0x010F], exif[0x8825] = "CAMERA-OF-ANNA", {1: "N", 2: (52.0, 31.0, 0.0)}
    noted = PngInfo()
    noted.add_text("Author", "ANNA-BERG")
    for file in (
        a_picture("JPEG", exif=exif, comment=b"ANNA-BERG"),
        a_picture("WEBP", exif=exif),
        a_picture("PNG", pnginfo=noted, exif=exif),
        a_picture("GIF", comment=b"ANNA-BERG"),
    ):
        assert b"ANNA" in file.read()
        file.seek(0)
        add(dora, file)
    assert Picture.objects.count() == 4
    for picture in Picture.objects.all():
        with default_storage.open(picture.file) as kept:
            raw = kept.read()
        assert b"ANNA" not in raw
        assert not Image.open(io.BytesIO(raw)).getexif()


def test_a_picture_is_turned_upright_made_smaller_and_kept_once(project: Project, dora: Client) -> None:
    sideways = Image.Exif()
    sideways[0x0112] = 6
    for file, size in (
        (a_picture("JPEG", size=(40, 30), exif=sideways), (30, 40)),
        (a_picture(size=(2400, 1200)), (SHOWN_SIDE, SHOWN_SIDE // 2)),
    ):
        add(dora, file)
        file.seek(0)
        answer = add(dora, file, words='the [red](http://x) "ball"')
        assert 'alt="the (red)(http://x) &quot;ball&quot;"' in answer.content.decode()
        picture = Picture.objects.get()
        assert (picture.width, picture.height) == size
        assert len(default_storage.listdir(f"pictures/{picture.digest[:2]}")[1]) == 1
        picture.delete()


def test_a_moving_picture_keeps_moving(project: Project, dora: Client) -> None:
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "green", "blue")]
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=[100, 200, 300], loop=0)
    add(dora, SimpleUploadedFile("x.gif", out.getvalue()))
    with default_storage.open(Picture.objects.get().file) as kept:
        moving = Image.open(io.BytesIO(kept.read()))
    durations = []
    for number in range(moving.n_frames):  # type: ignore[attr-defined]
        moving.seek(number)
        durations.append(moving.info["duration"])
    assert durations == [100, 200, 300]


def moving(*, size: tuple[int, int], frames: int) -> Any:
    pictures = [Image.new("P", size, number % 2) for number in range(frames)]
    out = io.BytesIO()
    pictures[0].save(out, "GIF", save_all=True, append_images=pictures[1:], duration=50, optimize=False)
    return SimpleUploadedFile("x.gif", out.getvalue())


def test_a_small_file_of_very_many_pixels_is_refused_before_they_are_read(
    project: Project, dora: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    heavy, long = moving(size=(MOST_SIDE, MOST_SIDE), frames=3), moving(size=(2, 2), frames=MOST_FRAMES + 1)
    assert len(heavy.read()) < 200_000
    heavy.seek(0)
    monkeypatch.setattr(ImageSequence, "Iterator", None)
    answer = add(dora, heavy)
    assert answer.status_code == 422
    assert "at most 40 million pixels together here, and these have 50 million" in text_of(answer.content.decode())
    answer = add(dora, long)
    assert f"at most {MOST_FRAMES} frames here, and this has {MOST_FRAMES + 1}" in text_of(answer.content.decode())
    assert {(picture.state, picture.file) for picture in Picture.objects.all()} == {("refused", "")}


def test_a_picture_that_is_still_being_prepared_is_not_shown_and_not_saved(
    project: Project, dora: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.staff.projects.instructions.PICTURE_WAIT_S", 0)
    answer = add(dora, a_picture())
    picture = Picture.objects.get()
    assert "still being prepared" in text_of(answer.content.decode())
    assert Client().get(f"/pictures/{picture.digest}").status_code == 404
    refused = send(dora, "save", typed(answer))
    assert (refused.status_code, typed(refused)) == (422, typed(answer))
    assert "save again in a moment" in text_of(refused.content.decode())
    run_jobs()
    assert Client().get(f"/pictures/{picture.digest}").status_code == 200
    assert send(dora, "save", typed(answer)).status_code == 302


def test_a_picture_whose_job_always_fails_is_refused_and_may_be_added_again(
    project: Project, dora: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("annotation.offer.instruction_pictures._made_anew", lambda raw: 1 // 0)
        patch.setattr("web.staff.projects.instructions.time.sleep", lambda seconds: None)
        patch.setattr("web.staff.projects.instructions.PICTURE_WAIT_S", 0)
        add(dora, a_picture())
        for _ in range(3):
            Job.objects.update(due_at=NOON)
            run_jobs()
    refused = Picture.objects.get()
    assert (refused.state, "could not be prepared" in refused.problem) == ("refused", True)
    add(dora, a_picture())
    assert Picture.objects.get().state == "ready"


def test_a_jpeg_with_a_second_picture_behind_it_is_shown(project: Project, dora: Client) -> None:
    first, second = Image.new("RGB", (40, 30), "red"), Image.new("RGB", (40, 30), "blue")
    out = io.BytesIO()
    first.save(out, "MPO", save_all=True, append_images=[second])
    add(dora, SimpleUploadedFile("phone.jpg", out.getvalue()))
    picture = Picture.objects.get()
    assert (picture.state, picture.content_type) == ("ready", "image/jpeg")


SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


@pytest.mark.parametrize(
    ("file", "refusal"),
    [
        (SimpleUploadedFile("x.svg", SVG), "PNG, JPEG, WebP or GIF"),
        (SimpleUploadedFile("x.png", b"not a picture"), "PNG, JPEG, WebP or GIF"),
        (SimpleUploadedFile("x.png", a_picture().read()[:60]), "damaged"),
        (a_picture("BMP"), "PNG, JPEG, WebP or GIF"),
        (a_picture(size=(MOST_SIDE + 1, 1)), "4096"),
        (SimpleUploadedFile("x.png", b"\x89PNG" + bytes(MOST_BYTES)), "8 MiB"),
        ("", "Choose a file"),
        (a_picture(), "in a few words"),
    ],
    ids=["svg", "text", "cut", "bmp", "large", "heavy", "none", "without words"],
)
def test_what_is_no_picture_is_refused_and_the_text_stays(
    file: Any, refusal: str, project: Project, dora: Client
) -> None:
    if file:
        file.seek(0)
    answer = add(dora, file, words=" " if refusal == "in a few words" else "a red ball")
    assert answer.status_code in {413, 422}
    assert refusal in text_of(answer.content.decode())
    assert typed(answer) == ["One.", "Two."]
    assert not Picture.objects.filter(state=Picture.State.READY).exists()


@pytest.mark.parametrize("digest", ["0" * 64, "x", "..%2Fx"])
def test_an_unknown_picture_is_a_404(digest: str, db: None) -> None:
    assert Client().get(f"/pictures/{digest}").status_code == 404
