"""Programs do not load what they do not need at their start: it would cost each of them memory and time."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.servers import make_tables
from tests.support.shared_data import ROOT

SELDOM = {
    "av",
    "boto3",
    "botocore",
    "storages",
    "httpx",
    "requests",
    "PIL",
    "lxml",
    "qrcode",
    "fido2",
    "cryptography",
    "torch",
    "reportlab",
}
"""Needed by single jobs and pages, which load them."""
UNUSED = {"psycopg", "redis"}
"""Needed by other databases and queues than the embedded ones."""
FREE_OF_DJANGO = {"django", "rest_framework", "celery", "kombu", "channels"} | SELDOM | UNUSED
PAGES = "import config.asgi, uvicorn.main; from django.urls import get_resolver; get_resolver().url_patterns"
EMBEDDED = {"DATABASE_URL": "", "REDIS_URL": "", "CELERY_BROKER_URL": "", "CROSSWALK_S3_BUCKET": ""} | {
    "DJANGO_SETTINGS_MODULE": "config.settings"
}
STARTS = {
    "the keeper": ("import config.serving", FREE_OF_DJANGO | {"numpy", "http.client"}),
    "the built-in agent": ("import builder.__main__", FREE_OF_DJANGO),
    "the web process": (PAGES, SELDOM | UNUSED | {"celery", "kombu", "markdown_it"}),
    "the worker": ("import config.worker, django; django.setup()", SELDOM | UNUSED | {"channels", "click_repl"}),
}


@pytest.mark.parametrize(("start", "unwanted"), STARTS.values(), ids=STARTS)
def test_a_program_starts_without(start: str, unwanted: set[str], tmp_path: Path) -> None:
    code = f"{start}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    environment = {**os.environ, **EMBEDDED, "CROSSWALK_DATA_DIR": str(tmp_path)}
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=True)
    assert set(json.loads(said.stdout)) & unwanted == set()


MAKES_TASKS = """
import json, django
django.setup()
from annotation.work.posting import post_tasks
from jobs import identity
from tests.support.builders import NOON, make_project, make_task, make_worker, token_for
from tests.support.commands import a_scene
payloads = {"parse": {"text": "build a cube"}, "voxels": {"scene": a_scene().as_json(), "phrase": "the cube"}}
settings = {"parse": {"given_to": "one_worker"}}
identity.make_first(at=NOON)
projects = {tool: make_project(tool, tool=tool, settings=settings.get(tool, {})) for tool in ("marker", *payloads)}
make_task(projects["marker"])
for tool, payload in payloads.items():
    post_tasks(project=projects[tool], bodies=[{"key": "k", "payload": payload}], at=NOON)
print(json.dumps({tool: token_for(project, make_worker()) for tool, project in projects.items()}))
"""


def test_no_workers_request_waits_for_a_package_to_be_loaded(tmp_path: Path) -> None:
    environment = {**os.environ, **EMBEDDED, "CROSSWALK_DATA_DIR": str(tmp_path)}
    (tmp_path / "files").mkdir()
    make_tables(tmp_path, environment)

    def said(*words: str) -> str:
        command = [sys.executable, *words]
        return subprocess.run(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=True, text=True
        ).stdout.splitlines()[-1]

    assert json.loads(said("-m", "tests.support.first_calls_process", said("-c", MAKES_TASKS))) == []
