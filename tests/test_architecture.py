"""The house stands as drawn: foreign keys point down, as imports do (import-linter watches those)."""

import re
from pathlib import Path

import pytest
from django.apps import apps

ROOT = Path(__file__).resolve().parent.parent
FLOORS = [
    {"config"},
    {"evaluation", "interaction"},
    {"routing"},
    {"annotation"},
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


@pytest.mark.parametrize(("app", "field", "target"), relations())
def test_foreign_keys_point_down(app: str, field: str, target: str) -> None:
    if target == ACCOUNTS:
        return
    assert target in OURS, f"{field} points out of the house, to {target}"
    assert floor_of(target) > floor_of(app) or target == app, f"{field} points up or sideways to {target}"


def test_there_are_relations_to_look_at() -> None:
    assert len(relations()) > 20


def test_every_app_is_on_a_floor() -> None:
    ours = {config.label for config in apps.get_app_configs() if Path(config.path).parent == ROOT}
    assert ours == OURS


@pytest.mark.parametrize("path", sorted(ROOT.glob("templates/**/*.html")), ids=lambda path: path.name)
def test_templates_hold_no_inline_script_or_style(path: Path) -> None:
    text = path.read_text()
    assert not re.search(r"<script(?![^>]*\bnonce=)(?![^>]*application/json)", text)
    assert not re.search(r"\sstyle\s*=", text)
    assert not re.search(r"\son[a-z]+\s*=\s*[\"']", text)
