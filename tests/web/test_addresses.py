"""Addresses that are made below `web/` from a prefix in the settings lead to the views that serve them."""

from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.urls import resolve, reverse

from annotation.models import Project
from annotation.work.enrolments import enrol, make_link
from evaluation import uploads
from evaluation.video_addresses import video_address
from tests.support.builders import NOON, make_project, make_worker


@pytest.fixture
def project(db: None) -> Project:
    return make_project()


def test_a_workers_link_leads_to_the_entry_page(project: Project) -> None:
    link = make_link(enrolment=enrol(project=project, worker=make_worker(), at=NOON), by="system", at=NOON)
    assert link.url == f"{settings.PUBLIC_URL}{reverse('enter', args=[project.slug])}?token={link.token}"


@pytest.mark.parametrize("hold", ["a" * 32, "episode:a.b_c-d:e", "task:7"])
def test_a_clips_address_leads_to_its_file(hold: str) -> None:
    address = video_address(hold, "strip-0.webp")
    found = resolve(address)
    assert found.url_name == "clip"
    assert address == reverse("clip", kwargs=found.kwargs)


def test_a_parts_address_leads_to_the_part(db: None) -> None:
    upload = uploads.begin(filename="a.mp4", size=3, sha256="0" * 64, at=NOON)
    (part,) = uploads.parts_of(upload)
    address = urlsplit(part["url"])
    assert f"{address.scheme}://{address.netloc}" == settings.PUBLIC_URL
    assert address.path == reverse("upload-part", args=[upload.public_id, 1])
