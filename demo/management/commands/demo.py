"""`manage.py demo`: load the demo if it is not there, serve, and print the links."""

import json
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import authenticate
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import transaction
from django.utils import timezone

from agents.keys import find_key
from annotation.models import Project
from annotation.work.enrolments import enrol, make_link
from config.first_start import ADMIN, make_first_admin, make_first_key
from demo import load_campaign, load_commands, load_episodes, load_scenes, load_sessions
from demo.commands import read_commands
from workforce.blocking import DIRECT, worker_on

FOLDER = Path(settings.BASE_DIR) / "demo"


class Command(BaseCommand):
    help = "Load the demo once, and serve it."

    def handle(self, *args: Any, **options: Any) -> None:
        if not load_episodes.is_loaded():
            with transaction.atomic():
                load_episodes.load(FOLDER, at=timezone.now(), say=self._say)
        if not load_sessions.is_loaded():
            with transaction.atomic():
                known = [
                    load_sessions.KnownCommand(one["text"], one["form"])
                    for one in read_commands()
                    if not one["context"]
                ]
                repairs = load_sessions.Repairs(load_commands.PROJECT, load_scenes.PROJECT)
                held = load_sessions.load(known=known, repairs=repairs, at=timezone.now())
            self._say(
                f"simulated workers have had {held} sessions with the built-in agent, in “{load_sessions.PROJECT}”"
            )
        if not load_campaign.is_loaded():
            with transaction.atomic():
                campaign = load_campaign.load(FOLDER, at=timezone.now())
            self._say(f"a campaign of {campaign.iterations.count()} iterations that simulated workers went through")
        call_command("serve", announce=self._links(_secrets()))

    def _say(self, line: str) -> None:
        self.stdout.write(f"demo: {line}")
        self.stdout.flush()

    def _links(self, kept: dict[str, str]) -> str:
        now = timezone.now()
        make_first_admin(kept["password"])
        make_first_key(kept["key"], name="demo pipeline")
        key = kept["key"] if find_key(kept["key"], at=now) else "the one that you made"
        password = (
            kept["password"] if authenticate(username=ADMIN, password=kept["password"]) else "the one that you chose"
        )
        worker = worker_on(DIRECT, "you", at=now)

        def link_to(slug: str) -> str:
            """The worker's link to this project; an older demo may lack the project."""
            project = Project.objects.filter(slug=slug).first()
            if project is None:
                return "–"
            return make_link(enrolment=enrol(project=project, worker=worker, at=now), by="system", at=now).url

        at = settings.PUBLIC_URL
        return f"""
Crosswalk serves on {at}

  command an agent   {link_to(load_sessions.PROJECT)}
  mark as a worker   {link_to(load_episodes.PROJECT)}
  begin as a worker  {link_to(load_episodes.NEW_WORKERS)}
  read commands      {link_to(load_commands.PROJECT)}
  mark in scenes     {link_to(load_scenes.PROJECT)}
  name what is there {link_to(load_scenes.NAMES)}
  the learning loop  {at}/staff/learning/campaigns/{load_campaign.PROJECT}/
  staff pages        {at}/staff/   user {ADMIN}, password {password}
  admin              {at}/admin/
  API docs           {at}/api/v1/docs/
  pipeline key       {key}

  post an episode:
  {_curl(at, key)}

Ctrl-C stops it; the data stays in {settings.DATA_DIR}.
"""


def _secrets() -> dict[str, str]:
    """The API key and the password of this demo: from the environment, else made at the first start and kept."""
    path = Path(settings.DATA_DIR) / "demo.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    kept.setdefault("key", f"cw_{secrets.token_urlsafe(24)}")
    kept.setdefault("password", secrets.token_urlsafe(9))
    path.touch(mode=0o600)
    path.write_text(json.dumps(kept))
    return {"key": settings.FIRST_API_KEY or kept["key"], "password": settings.FIRST_ADMIN_PASSWORD or kept["password"]}


def _curl(at: str, key: str) -> str:
    manifest = json.loads((FOLDER / "manifest.json").read_text())
    episode = manifest["episodes"][0]
    data = {
        "external_id": "my-first-episode",
        **{name: episode["data"][name] for name in ("agent", "suite", "scenario")},
        "continuation": 100,
    }
    return (
        f"curl -H 'Authorization: Api-Key {key}' -F 'data={json.dumps(data)}' "
        f"-F 'video=@demo/episodes/{episode['video']}' {at}/api/v1/episodes/"
    )
