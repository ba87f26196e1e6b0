"""The program of docs/how-to/train-elsewhere.md trains for a server, as it stands there."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from django.test import Client as Browser
from django.utils import timezone

from agents.keys import create_key
from agents.models import ApiKey
from crosswalk_client import Client
from learning.models import TrainedModel
from tests.support.shared_data import ROOT
from tests.support.small_corpus import small_corpus

GUIDE = (ROOT / "docs" / "how-to" / "train-elsewhere.md").read_text()


@pytest.fixture
def client(db: None) -> Iterator[Client]:
    """A client whose requests reach the application without a network."""
    key = create_key(name="trainer", scopes=[ApiKey.Scope.READ, ApiKey.Scope.WRITE], at=timezone.now())
    with Client("http://testserver", key, http=httpx.Client(transport=httpx.MockTransport(_answer))) as client:
        yield client


def _answer(request: httpx.Request) -> httpx.Response:
    headers = {name: value for name, value in request.headers.items() if name not in ("host", "content-length")}
    kind = headers.pop("content-type", "application/octet-stream")
    # Django's own client leaves the test's transaction open between requests.
    path = request.url.raw_path.decode()
    answer: Any = Browser().generic(request.method, path, request.read(), content_type=kind, headers=headers)
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return httpx.Response(answer.status_code, headers=dict(answer.items()), content=content)


def test_the_program_of_the_guide_trains_what_the_server_asks_for(client: Client) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {"__name__": "guide"}
    exec(program, names)
    corpus = small_corpus()
    client.tranches.fill("nlu", [{"text": one.given, "form": one.truth} for one in corpus])
    asked = {"module": "nlu", "trainer": "external", "tranches": [0], "kind": "rebiased", "seeds": 1}
    training = client.trainings.post(**asked)["training"]
    updated, rebiased = names["train_next"](client), names["train_next"](client)
    assert names["train_next"](client) is None
    models = {model.public_id: model for model in TrainedModel.objects.all()}
    assert (models[updated].kind, models[rebiased].kind) == ("updated", "rebiased")
    assert models[rebiased].parent == models[updated]
    assert client.trainings.get(training)["models"] == [updated, rebiased]
