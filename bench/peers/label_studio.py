"""Label Studio, community edition, as its documentation has it started on one machine."""

import os
import random
import secrets
import shutil
import sys
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from bench.peers.calls import Line
from bench.peers.product import Annotator, Product

PROGRAM = "LABEL_STUDIO"
"""The environment variable that names the program where it is not on the path."""
_LABELS = (
    '<View><Video name="video" value="$video" framerate="30"/>'
    '<Choices name="outcome" toName="video"><Choice value="success"/><Choice value="failure"/></Choices>'
    '<Number name="frame" toName="video" min="0" max="2000"/></View>'
)
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def _result() -> list[dict[str, object]]:
    of = {"to_name": "video"}
    return [
        {**of, "type": "choices", "from_name": "outcome", "value": {"choices": ["success"]}},
        {**of, "type": "number", "from_name": "frame", "value": {"number": random.randrange(900)}},
    ]


class _User(Annotator):
    def __init__(self, line: Line, project: str) -> None:
        self._line, self._project = line, project

    def next(self) -> tuple[int, float, object]:
        answer = self._line.call("GET", f"/api/projects/{self._project}/next")
        return answer.status, answer.seconds, answer.json().get("id") if answer.status == 200 else None

    def draft(self, task: object) -> tuple[int, float]:
        body = {"lead_time": 3.2, "result": _result(), "started_at": None}
        answer = self._line.call("POST", f"/api/tasks/{task}/drafts?project={self._project}", body)
        return answer.status, answer.seconds

    def submit(self, task: object) -> tuple[int, float]:
        body = {"lead_time": 12.3, "result": _result()}
        answer = self._line.call("POST", f"/api/tasks/{task}/annotations/?project={self._project}", body)
        return answer.status, answer.seconds


class LabelStudio(Product):
    name = "Label Studio"
    health = "/health"
    _token = secrets.token_hex(20)
    _password = secrets.token_urlsafe(16)

    @staticmethod
    def program() -> str | None:
        return os.environ.get(PROGRAM) or shutil.which("label-studio")

    @staticmethod
    def missing() -> str:
        if LabelStudio.program():
            return ""
        return (
            f"not installed: pip install label-studio into an environment of its own, and name the program in {PROGRAM}"
        )

    def command(self) -> tuple[Sequence[str], Mapping[str, str]]:
        off = {"LATEST_VERSION_CHECK": "0", "COLLECT_ANALYTICS": "0", "SENTRY_DSN": "", "FEATURE_FLAGS_OFFLINE": "1"}
        ours = ("DATABASE_URL", "DJANGO_SETTINGS_MODULE", "PYTHONPATH")
        kept = {name: value for name, value in os.environ.items() if name not in ours}
        program = self.program() or sys.executable
        words = ["start", "-b", "-p", str(self.port), "--data-dir", str(self.folder), "--enable-legacy-api-token"]
        account = ["--username", "admin@example.com", "--password", self._password, "--user-token", self._token]
        return [program, *words, *account], {**kept, **off}

    def prepare(self) -> None:
        """Start once, so that the tables are made before the start is timed."""
        self.start()
        self.stop()

    def project(self, title: str) -> str:
        body = {"title": title, "label_config": _LABELS, "maximum_annotations": 1, "sampling": "Sequential sampling"}
        return str(self._admin().must("POST", "/api/projects/", body).json()["id"])

    def post(self, project: str, first: int, number: int) -> float:
        tasks = [
            {
                "data": {
                    "video": f"/static/{one % 997:04d}.mp4",
                    "instruction": f"the red duck next to block {one}",
                    "episode_id": f"task-{one:08d}",
                }
            }
            for one in range(first, first + number)
        ]
        return self._admin().must("POST", f"/api/projects/{project}/import", tasks).seconds

    def annotator(self, project: str, name: str) -> Annotator:
        line = Line(self.base)
        line.call("GET", "/user/login/")
        form = {
            "email": f"{name}@example.com",
            "password": self._password,
            "how_find_us": "",
            "elaborate": "",
            "csrfmiddlewaretoken": line.cookies.get("csrftoken", ""),
        }
        line.must("POST", "/user/signup/?", urlencode(form), status=302, Referer=f"{self.base}/user/signup/", **_FORM)
        token = line.must("GET", "/api/current-user/token").json()["token"]
        return _User(Line(self.base, Authorization=f"Token {token}"), project)

    def export(self, project: str) -> tuple[float, float, int]:
        answer = self._admin().must("GET", f"/api/projects/{project}/export?exportType=JSON&download_all_tasks=true")
        return answer.first_s, answer.seconds, len(answer.content)

    def _admin(self) -> Line:
        return Line(self.base, Authorization=f"Token {self._token}")
