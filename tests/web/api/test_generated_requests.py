"""Requests that schemathesis makes from the OpenAPI document: the API refuses the wrong ones and no others.

schemathesis makes requests that the document allows and requests that it does not allow: first those at each limit of
each field, then random ones. All random choices come from a fixed seed.
"""

import json
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from itertools import islice
from typing import Any
from urllib.parse import parse_qsl

import jsonschema
import pytest
import requests
import schemathesis
from django.db import transaction
from django.urls import resolve
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import load_all_checks
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import FailureGroup
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.transport import Response
from schemathesis.specs.openapi.checks import negative_data_rejection

from tests.support.builders import Made, for_module
from tests.support.call_world import World, make_world
from tests.support.calls import CALLS, Call, client_for
from tests.support.documents import check

pytestmark = pytest.mark.long

RANDOM_CASES = 12
"""Random requests of each operation, as many right ones as wrong ones."""
REFUSED = {400, 404, 412, 413, 415, 422}

NAMES: dict[str, dict[str, list[str]]] = {
    "EpisodeDataRequest": {"agent": ["alfa"], "suite": ["s"], "scenario": ["k"]},
    "EpisodeJsonRequest": {"agent": ["alfa"], "suite": ["s"], "scenario": ["k"]},
    "PastCommandBodyRequest": {"project": ["parses", "p"]},
    "ProjectBodyRequest": {"suite": ["s"], "version": ["v1"], "qualification": ["passed"]},
    "ProjectBodyPatchRequest": {"suite": ["s"], "version": ["v1"], "qualification": ["passed"]},
    "RouteContentRequest": {"project": ["parses"], "tree": ["rating"]},
    "RouteContentPatchRequest": {"project": ["parses"], "tree": ["rating"]},
    "WebhookBodyRequest": {"url": ["https://93.184.216.34/hook"]},
    "SessionEpisodeBodyRequest": {"suite": ["s"], "scenario": ["k"]},
}
"""Fields of bodies that name rows, with names of the world: with other names nearly every request were refused."""
QUERY_NAMES = {
    ("export_commands", "project"): ["p"],
    ("export_error_reports", "project"): ["p"],
    ("get_funnel", "agent"): ["alfa"],
    ("get_funnel", "project"): ["p"],
    **{
        (f"get_{what}", name): known
        for what in (
            "ranking",
            "time_to_completion",
            "correlations",
            "better_measures",
            "consistency",
            "difficulty",
            "scenario_notes",
            "human_time",
            "information",
            "comparison",
            "runs",
            "repeats",
        )
        for name, known in (("project", ["p"]), ("version", ["v1"]), ("a", ["alfa"]), ("b", ["rival"]))
    },
}

schemathesis.serializer.alias("application/zip", "application/octet-stream")
BY_TOOL = (
    r"#/(tasks/\d+/(payload|reference/answers)|questions/\d+/(payload|accept|tool)|answer|(.*/)?settings|lines|parts)\b"
)
"""Places of JSON of which a tool, a format or an earlier answer decides what it may be."""
STORED = [
    r"There is (no|an) (project|agent|suite|tree|scenario|arm|node|module|trainer) '",
    r"(Files are taken from the places that CROSSWALK_S3_IMPORTS names, |The bucket has no file )",
    r"There is no (such (command|report|upload|event)\.|block (here\.|with the id ))",
    r"(This project has|The session has|The suite has|There are only|A suite has) ",
    r"No (project|version of the tree) '",
    r"The same (key|command) is at ",
    r"The project '[^']*' has the tool ",
    r"There are two questions ",
    r"Send the file of a suite as the body\.",
    r"This (is no zip file that can be read: |zip file has no manifest)",
    r"Part \d+ must have \d+ bytes; ",
    r"This is before `since`\.",
    r"The first frames of steps must not go down\.",
    r"Name a node by letters",
    r"There is room for at most",
    r"The ground is 1 deep or more and leaves",
    r"This is the least and the greatest number",
    r"At most \d+ tasks are made at once",
    r"[xyz] is -?\d+; the scene has ",
    r"Use one currency in a project",
    r"(Name either a budget|A budget needs the price of one|A rating costs |The budget has another currency)",
    r"A task cannot stop growing below its redundancy\.",
    r"None of these scenes has a tag",
    r"An item of (nlu|vision) has ",
    r"A shadow predicts in every session; ",
    r"This campaign does not learn '",
    r"The name lab\.example\.org has no address\.",
    r"The project has this, and the body leaves it out\.",
]
"""Details of faults that OpenAPI 3.0 cannot say beforehand: they depend on what is stored, or compare two values."""


@pytest.fixture(scope="module")
def schema() -> Any:
    document = json.loads(json.dumps(SchemaGenerator().get_schema(request=None, public=True)))  # type: ignore[no-untyped-call]
    for component, fields in NAMES.items():
        for field, names in fields.items():
            shape = document["components"]["schemas"][component]["properties"][field]
            shape["enum"] = [*names, None] if shape.get("nullable") else names
    for path in document["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", ()):
                if known := QUERY_NAMES.get((operation["operationId"], parameter["name"])):
                    parameter["schema"]["enum"] = known
    load_all_checks()
    config = SchemathesisConfig.from_dict(
        {
            "generation": {"allow-x00": False, "with-security-parameters": False, "deterministic": True},
            "phases": {"coverage": {"unexpected-methods": []}},
        }
    )
    return schemathesis.openapi.from_dict(document, config=config)


made = for_module(make_world)


@pytest.fixture
def world(made: Made[World], db: None, settings: Any) -> World:
    settings.KEY_REQUESTS_A_MINUTE = settings.WORKER_REQUESTS_A_MINUTE = 1_000_000
    return made.again()


def _described(path: str) -> str:
    """The address template of the document that an address belongs to."""
    return "/" + re.sub(r"<[a-z]+:([a-z_]+)>", r"{\1}", resolve(path).route)


def _cases(schema: Any, operation: Any, try_case: Callable[[Any], None]) -> None:
    """Call `try_case` with each request that is made for an operation."""
    generation = schema.config.generation_for(operation=operation, phase="coverage")
    modes = list(schemathesis.GenerationMode)
    for case in schema.iter_coverage_cases(operation, generation_modes=modes, generation_config=generation):
        try_case(case)
    for mode in modes:
        few = settings(
            max_examples=RANDOM_CASES,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        # Nothing can be wrong about a request without parameters and body.
        with suppress(Unsatisfiable):
            few(given(case=operation.as_strategy(generation_mode=mode))(try_case))()


def _send(case: Any, call: Call, world: World) -> Response:
    kept = ("method", "url", "headers", "params", "data", "json", "files", "cookies")
    arguments = case.as_transport_kwargs(base_url="http://testserver")
    request = requests.Request(**{name: arguments[name] for name in kept if name in arguments}).prepare()
    headers: dict[str, Any] = {
        f"HTTP_{name.upper().replace('-', '_')}": value
        for name, value in request.headers.items()
        if name.lower() not in ("content-type", "content-length", "authorization")
    }
    kind: Any = request.headers.get("Content-Type") or ""
    body: Any = request.body or b""
    with transaction.atomic():
        answer: Any = client_for(call, world).generic(call.method, request.path_url, body, content_type=kind, **headers)
        # Ten thousand scenes are many, and no cursor of the database stays open behind them.
        pieces = 1 if call.template == "generated_scenes.jsonl" else None
        found = b"".join(islice(answer.streaming_content, pieces)) if answer.streaming else answer.content
        transaction.set_rollback(True)
    said = {name: [value] for name, value in answer.headers.items()}
    return Response(answer.status_code, said, found, request, elapsed=0, verify=False)


def _complaint(case: Any, response: Response) -> str | None:
    """The fault of the answer; None if there is none."""
    status = response.status_code
    if status >= 500:
        return f"{status}"
    if case.meta.generation.mode.is_negative:
        if status >= 400:
            return None if status in REFUSED else f"{status} to a wrong request"
        if case.media_type == "multipart/form-data" and _is_right_episode(case):
            return None
        if case.media_type == "application/json" and _is_right_body(case):
            return None
        try:
            # The check knows wrong requests that become right ones on their way: the text "1" for the number 1.
            case.validate_response(response, checks=[negative_data_rejection])
        except FailureGroup as failures:
            return f"{status}: {failures}"
        return None
    if status < 400 or status in (403, 409, 412, 413):
        return None
    problem = json.loads(response.content)
    if case.operation.method.upper() == "PATCH" and status == 422:
        # The rules of `PUT` hold for the merged content, and the document can only describe the patch.
        return None
    said = [(fault["pointer"], fault["detail"]) for fault in problem["errors"]] or [("#", problem["detail"])]
    unexplained = {
        f"{re.sub('[0-9]+', 'N', pointer)} {detail}"
        for pointer, detail in said
        if not re.match(BY_TOOL, pointer) and not re.match("|".join(STORED), detail)
    }
    return f"{status} to a right request: {'; '.join(sorted(unexplained))[:200]}" if unexplained else None


def _is_right_body(case: Any) -> bool:
    """Whether nothing but the body was made wrong, and the document allows the body after all.

    The names that the fixture `schema` adds are those of the world, so that requests find its rows; other names are
    right as well.
    """
    wrong = {place for place, made in case.meta.components.items() if made.mode.is_negative}
    if wrong != {ParameterLocation.BODY}:
        return False
    document = deepcopy(case.operation.schema.raw_schema)
    for component, fields in NAMES.items():
        for field in fields:
            document["components"]["schemas"][component]["properties"][field].pop("enum")
    told = document["paths"][case.operation.path][case.operation.method.lower()]["requestBody"]
    try:
        check(document, told["content"]["application/json"]["schema"], case.body)
    except jsonschema.ValidationError:
        return False
    return True


def _is_right_episode(case: Any) -> bool:
    """Whether a multipart body is allowed after all: schemathesis may change null into a number where both are."""
    document = case.operation.schema.raw_schema
    try:
        check(document, document["components"]["schemas"]["EpisodeDataRequest"], case.body["data"])
    except jsonschema.ValidationError:
        return False
    return True


@pytest.fixture(autouse=True)
def no_logs() -> Iterator[None]:
    """Thousands of refusals are not logged."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_a_call_refuses_what_the_document_does_not_allow_and_nothing_else(
    call: Call, world: World, schema: Any
) -> None:
    path, _, query = world.address(call.template).partition("?")
    complaints: dict[str, str] = {}

    def try_case(case: Any) -> None:
        parts = case.meta.components
        if ParameterLocation.PATH not in parts or not parts[ParameterLocation.PATH].mode.is_negative:
            case.path_parameters = dict(resolve(path).kwargs)
        if case.meta.generation.mode.is_positive:
            # No list gave this cursor. Only the server can make a signature.
            case.query.pop("cursor", None)
            case.query.update(parse_qsl(query))
        found = _complaint(case, _send(case, call, world))
        if found:
            complaints.setdefault(found, f"{case!r}"[:1000])

    _cases(schema, schema[_described(path)][call.method], try_case)
    assert not complaints, json.dumps(complaints, indent=1, ensure_ascii=False)
