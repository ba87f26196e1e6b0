"""The documents say what is there: links, paths, settings, codes, addresses and words are held against the code."""

import ast
import json
import re
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from django.apps import apps
from django.utils import timezone

from agents.keys import create_key
from agents.models import ApiKey
from annotation.models import Assignment
from annotation.tool_registry import tool_named, tool_names
from evaluation.ranking import GROUPINGS
from jobs import outbox
from lib.faults import CrosswalkError
from lib.stoplight.settings import PRESETS, read_settings
from lib.trees.parser import read_tree
from lib.trees.shipped import DEFAULT, shipped_tree
from lib.trees.tree import KNOWN_OUTCOMES
from lib.video.problems import ProblemCode
from lib.voxels.droidlet import read_payload
from lib.voxels.scene import read_scene
from lib.voxels.table import PALETTE
from tests.support.shared_data import ROOT
from web.api import urls
from web.api.episodes import EpisodeData, EpisodeReference
from web.api.projects import ProgressAnswer, ProjectBody
from web.api.qualifications import QualificationBodySerializer, QuestionBody
from web.api.rankings import (
    AgentStanding,
    BootstrapAnswer,
    CorrectionAnswer,
    GroupRate,
    RankingQuery,
    RaterAnswer,
    VerdictAnswer,
)
from web.api.suites import ScenarioBody

RANKING_PARTS = (
    RankingQuery,
    AgentStanding,
    GroupRate,
    RaterAnswer,
    VerdictAnswer,
    BootstrapAnswer,
    CorrectionAnswer,
)
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), ROOT / "demo/README.md"])
PIPELINES = (DOCS / "pipelines.md").read_text()
WORKERS = (DOCS / "workers-api.md").read_text()

FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")


def prose(path: Path) -> str:
    return FENCE.sub("", path.read_text())


def blocks(text: str, *languages: str) -> list[str]:
    return [body for language, body in FENCE.findall(text) if language in languages]


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links() -> list[tuple[str, str]]:
    return [
        (str(page.relative_to(ROOT)), target)
        for page in PAGES
        for target in LINK.findall(prose(page))
        if not re.match(r"[a-z]+:", target)
    ]


def test_every_link_leads_somewhere() -> None:
    broken = []
    for page, target in links():
        name, _, anchor = unquote(target).partition("#")
        found = (ROOT / page).parent / name if name else ROOT / page
        if not found.exists() or (anchor and anchor not in anchors(found)):
            broken.append((page, target))
    assert broken == []


def test_no_page_names_a_machine() -> None:
    paths = re.compile(r"(?<![\w.])/(?:home|root|tmp|Users|work/(?:main|shared))/")
    assert [page.name for page in PAGES if paths.search(page.read_text())] == []


# Where things live -------------------------------------------------------------------------------------------

HOMES = (DOCS / "where-things-live.md").read_text()
GUESSES = tomllib.loads((ROOT / "tests/first_guesses.toml").read_text())["question"]


def named_paths() -> set[str]:
    return {name for name in CODE.findall(HOMES) if re.fullmatch(r"[\w./-]+(?:/|\.\w+)", name) and "/" in name}


def test_where_things_live_names_existing_paths_and_every_app() -> None:
    assert [name for name in named_paths() if not (ROOT / name).exists()] == []
    ours = {config.label for config in apps.get_app_configs() if Path(config.path).parent == ROOT}
    assert {f"{name}/" for name in ours} <= named_paths()


def test_each_question_of_a_newcomer_has_the_home_that_is_written_down() -> None:
    lost = [one["ask"] for one in GUESSES if one["symbol"] not in (ROOT / one["home"]).read_text()]
    assert lost == []


# Settings ----------------------------------------------------------------------------------------------------


def settings_read() -> set[str]:
    """Every name that the two modules of settings read from the environment."""
    trees = [ast.parse((ROOT / f"config/{name}.py").read_text()) for name in ("settings", "server_settings")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    return {
        str(call.args[0].value)
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == "env"
        and isinstance(call.args[0], ast.Constant)
    }


def test_every_setting_has_a_row_and_every_row_is_a_setting() -> None:
    rows = re.findall(r"^\| `([A-Z0-9_]+)` \|", (DOCS / "settings.md").read_text(), re.MULTILINE)
    assert len(rows) == len(set(rows))
    assert set(rows) == settings_read()
    fixed = {"CROSSWALK_DATA_DIR", "CROSSWALK_PORT", "CROSSWALK_API_KEY", "CROSSWALK_ADMIN_PASSWORD"}
    assert fixed | {"DATABASE_URL", "REDIS_URL", "CELERY_BROKER_URL", "CROSSWALK_S3_BUCKET"} <= set(rows)


# Errors and problems -----------------------------------------------------------------------------------------


def kinds(of: type[CrosswalkError]) -> list[type[CrosswalkError]]:
    return [kind for below in of.__subclasses__() for kind in (below, *kinds(below))]


def video_codes() -> set[str]:
    """The values of `problem.code` of an episode: the codes of videos and those that preparation adds."""
    tree = ast.parse((ROOT / "evaluation/preparation.py").read_text())
    returned = [
        node.value.elts[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Return)
        and isinstance(node.value, ast.Tuple)
        and isinstance(node.value.elts[0], ast.Constant)
    ]
    constants = [
        node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    return {str(code) for code in (*ProblemCode, *returned, *constants)}


def rows_of(text: str, *, column: int) -> set[str]:
    """The code words in one column of all tables."""
    cells = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {word for row in cells if len(row) > column for word in CODE.findall(row[column].removeprefix("| "))}


def test_every_error_code_and_every_problem_of_a_video_has_its_row() -> None:
    assert {kind.code for kind in kinds(CrosswalkError)} - rows_of(PIPELINES, column=1) == set()
    assert video_codes() - rows_of(PIPELINES, column=0) == set()


def test_preparation_adds_codes_of_its_own() -> None:
    assert {"takeover_outside", "preparation_failed"} <= video_codes() - set(ProblemCode)


# The API -----------------------------------------------------------------------------------------------------


def addresses() -> list[str]:
    """Every address of the API as the documents write it: `/suites/{slug}/ranking/`."""
    found = ["/" + str(pattern.pattern) for pattern in urls.urlpatterns]
    return [re.sub(r"<\w+:(\w+)>", r"{\1}", address) for address in found if address != "/"]


def test_every_address_is_described() -> None:
    texts = {True: WORKERS.replace("{id}", "{assignment}"), False: PIPELINES}
    described = {
        is_work: {word.split(" ")[-1].split("?")[0] for word in rows_of(text, column=0)}
        for is_work, text in texts.items()
    }
    assert [one for one in addresses() if one not in described[one.startswith("/work/")]] == []


@pytest.mark.parametrize(
    ("heading", "fields"),
    [
        ("1. The agents", {"metric", "value", "n", "standard_error", "suite", "version"}),
        ("2. A suite, its scenarios, a version", set(ScenarioBody().fields)),
        ("3. A project", set(ProjectBody().fields) | set(ProgressAnswer().fields)),
        ("4. Episodes", set(EpisodeData().fields) | set(EpisodeReference().fields)),
        (
            "9. The ranking",
            {name for part in RANKING_PARTS for name in part().fields} | set(GROUPINGS),
        ),
        ("11. Qualifications", set(QualificationBodySerializer().fields) | set(QuestionBody().fields)),
        ("The key", set(ApiKey.Scope.values)),
    ],
)
def test_every_field_is_explained(heading: str, fields: set[str]) -> None:
    section = PIPELINES.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    words = {word for code in CODE.findall(FENCE.sub("", section)) for word in re.findall(r"\w+", code)}
    assert fields - words == set()


def test_every_tool_and_every_kind_of_report_is_named() -> None:
    fields = {name for tool in tool_names() for name in tool_named(tool).answer().fields}
    assert fields - set(re.findall(r"\w+", WORKERS)) == set()
    assert [problem for problem in Assignment.Problem.values if f"`{problem}`" not in WORKERS] == []


# Examples ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in PRESETS["default"].as_json() if name != "preset"])
def test_the_page_of_the_stoplight_has_each_setting_with_its_values(name: str) -> None:
    def shown(value: Any) -> str:
        if isinstance(value, dict):
            return ", ".join(f"{one:g}" for one in value.values())
        return value if isinstance(value, str) else json.dumps(value)

    values = [shown(PRESETS[preset].as_json()[name]) for preset in ("default", "paper")]
    assert f"| `{name}` | {values[0]} | {values[1]} |" in (DOCS / "stoplight.md").read_text()


def test_the_page_of_trees_draws_every_question_and_every_end_of_the_default_tree() -> None:
    drawing = "silent" + (DOCS / "trees.md").read_text().split("```\nsilent", 1)[1].split("```")[0]
    tree = read_tree(shipped_tree(DEFAULT))
    assert re.findall(r"^(\w+)  ", drawing, re.MULTILINE) == list(tree.nodes)
    assert set(re.findall(r"▶ (\w+)$", drawing, re.MULTILINE)) - set(tree.nodes) == set(KNOWN_OUTCOMES)


def test_the_page_of_voxels_lists_the_palette() -> None:
    listed = re.findall(r"(?<=\| )(\d+) \| ([^|]+) \| ([^|]+) (?=\|)", (DOCS / "voxels.md").read_text())
    assert {(int(id_), name, word) for id_, name, word in listed} == {
        (row.id, row.name, row.word) for row in PALETTE.values()
    }


def test_examples_of_trees_scenes_and_settings_can_be_read() -> None:
    pages = ("stoplight.md", "trees.md", "voxels.md")
    settings, tree, scene, payload = (
        json.loads(block) for page in pages for block in blocks((DOCS / page).read_text(), "json")
    )
    assert str(read_settings(settings).most) == "1.50"
    assert len(read_tree(tree).nodes) == 3
    assert read_scene(scene).size == (3, 3, 3)
    assert [(one.phrase, one.voxels) for one in read_payload(payload).phrases] == [("the blue thing", [[3, 0, 0]])]


def test_examples_in_python_compile_and_examples_in_json_are_json() -> None:
    for page in PAGES:
        for example in blocks(page.read_text(), "python"):
            compile(example, str(page), "exec")
        for example in blocks(page.read_text(), "json"):
            json.loads(example)


def bodies() -> list[str]:
    """JSON in single quotes after `-d` or in the part `data` of a curl command."""
    shell = "\n".join(example for page in PAGES for example in blocks(page.read_text(), "sh"))
    return re.findall(r"-d '(\{[^']*)'", shell) + re.findall(r"-F 'data=([^']*);type=application/json'", shell)


def test_bodies_of_curl_examples_are_json() -> None:
    assert len(bodies()) > 8
    assert all(isinstance(json.loads(body), dict) for body in bodies())


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_python_of_the_pipeline_guide_runs(
    live_server: Any, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """All of its examples, in order, against a server that prepares each episode as soon as it is posted."""
    settings.PUBLIC_URL = live_server.url
    settings.UPLOAD_PART_BYTES = 10_000
    monkeypatch.setattr(outbox, "_send", outbox.run)
    monkeypatch.setenv("CROSSWALK_URL", f"{live_server.url}/api/v1")
    monkeypatch.setenv("CROSSWALK_KEY", create_key(name="guide", scopes=ApiKey.Scope.values, at=timezone.now()))
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    for example in blocks(PIPELINES, "python"):
        exec(compile(example, "docs/pipelines.md", "exec"), names)
    assert names["ranking"]["agents"][0]["successes"] == 2
    names["api"].close()
    names["work"].close()
