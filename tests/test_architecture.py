"""The house stands as drawn: foreign keys point down, as imports do (import-linter watches those)."""

import re
import tomllib
from pathlib import Path

import pytest
from django.apps import apps

from tests.support.shared_data import ROOT

FLOORS = [
    {"demo"},
    {"config"},
    {"web"},
    {"learning"},
    {"evaluation", "interaction"},
    {"routing"},
    {"commands"},
    {"annotation"},
    {"events"},
    {"workforce", "agents"},
    {"audit"},
    {"jobs"},
    {"common"},
]
OURS = set().union(*FLOORS)
ACCOUNTS = "auth"
"""Django's own accounts, of staff: any floor may point at them."""


def floor_of(app: str) -> int:
    return next(number for number, names in enumerate(FLOORS) if app in names)


def relations() -> list[tuple[str, str, str]]:
    return [
        (model._meta.app_label, f"{model.__name__}.{field.name}", field.related_model._meta.app_label)
        for model in apps.get_models()
        if model._meta.app_label in OURS
        for field in [*model._meta.fields, *model._meta.many_to_many]
        if field.is_relation and isinstance(field.related_model, type)
    ]


def test_foreign_keys_point_down() -> None:
    own = [(app, field, target) for app, field, target in relations() if target != ACCOUNTS]
    assert len(own) > 20
    assert [(field, target) for app, field, target in own if target not in OURS] == [], "out of the house"
    up = [(field, target) for app, field, target in own if target != app and floor_of(target) <= floor_of(app)]
    assert up == [], "up or sideways"


def test_every_package_stands_in_the_layers() -> None:
    """import-linter looks at these alone, so a new top-level package must be named there."""
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests", "bench"}
    assert packages | {"crosswalk_client"} == set(linter["root_packages"])
    layers = {name for layer in linter["contracts"][0]["layers"] for name in layer.split(" | ")}
    assert set(linter["root_packages"]) - layers == {"builder", "crosswalk_client"}


def test_every_app_is_on_a_floor() -> None:
    ours = {config.label for config in apps.get_app_configs() if Path(config.path).parent == ROOT}
    assert ours == OURS


def test_templates_hold_no_inline_script_or_style() -> None:
    pages = {path: path.read_text() for path in ROOT.glob("templates/**/*.html")}
    inline = re.compile(r"<script(?![^>]*\bnonce=)(?![^>]*application/json)|\sstyle\s*=|\son[a-z]+\s*=\s*[\"']")
    assert len(pages) > 50
    assert [str(path) for path, text in pages.items() if inline.search(text)] == []


SHAPES = sorted(
    path for name in ("serializers.py", "messages.py") for path in ROOT.glob(f"**/{name}") if ".venv" not in path.parts
)


@pytest.mark.parametrize("path", SHAPES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_that_describe_shapes_know_serializers_and_no_http(path: Path) -> None:
    """Ruff lets these import DRF (TID251); they may use its serializers alone."""
    web = r"^(?:from|import) ((?:rest_framework|drf_spectacular|django\.http|django\.shortcuts|django\.urls)\b.*)$"
    for found in re.findall(web, path.read_text(), re.M):
        assert found == "rest_framework import serializers" or found.startswith("rest_framework.serializers import ")
