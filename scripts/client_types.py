"""Writes the Python types of our API for the client library: typed dictionaries, read from the OpenAPI document.

Types that one resource alone uses are in the module of that resource, all others in `shared`. Workers' calls are left
out: the library is for programs with an API key.
"""

import argparse
import json
import keyword
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from api_types import document

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "client" / "crosswalk_client" / "types"
SHARED = "shared"
NOT_FOR_PROGRAMS = ("work",)
"""Tags of calls that only a worker's credential may make."""
PREFIX = "#/components/schemas/"
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "dict[str, Any]"}

ALL = "__init__"
Schema = Mapping[str, Any]


def modules(openapi: Schema) -> dict[str, str]:
    """The text of each module, by its name."""
    schemas = openapi["components"]["schemas"]
    homes = _homes(openapi)
    found = {}
    for home in sorted(set(homes.values())):
        names = sorted(name for name, of in homes.items() if of == home)
        classes = "\n\n".join(map(_Writer(schemas).typed_dict, names))
        used = {name for one in names for name in _references(schemas[one]) if homes.get(name, home) != home}
        found[home] = _module(home, classes, sorted(used))
    return {**found, ALL: _all(homes)}


def written(folder: Path) -> dict[str, str]:
    """The modules that are in the folder, by name."""
    return {path.stem: path.read_text() for path in folder.glob("*.py")}


def formatted(text: str) -> str:
    """The Python text as ruff orders and formats it."""
    for words in (["check", "--fix", "--select", "I,RUF022"], ["format"]):
        command = [sys.executable, "-m", "ruff", *words, "--quiet", "--stdin-filename", str(FOLDER / "any.py"), "-"]
        text = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT).stdout  # noqa: S603 - our own command
    return text


def _homes(openapi: Schema) -> dict[str, str]:
    """The module of each type that a call of programs needs."""
    schemas = openapi["components"]["schemas"]
    users: dict[str, set[str]] = {}
    for operations in openapi["paths"].values():
        for operation in operations.values():
            if not isinstance(operation, dict) or operation.get("tags", [""])[0] in NOT_FOR_PROGRAMS:
                continue
            waiting = set(_references({"request": operation.get("requestBody"), "answers": operation["responses"]}))
            seen: set[str] = set()
            while waiting:
                name = waiting.pop()
                seen.add(name)
                waiting |= set(_references(schemas[name])) - seen
            for name in seen:
                users.setdefault(name, set()).add(operation["tags"][0])
    kept = {name: tags for name, tags in users.items() if _is_record(schemas[name]) and not name.endswith("Page")}
    return {name: next(iter(tags)) if len(tags) == 1 else SHARED for name, tags in kept.items()}


def _is_record(schema: Schema) -> bool:
    return bool(schema.get("properties"))


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        if isinstance(reference := schema.get("$ref"), str):
            yield reference.removeprefix(PREFIX)
        for value in schema.values():
            yield from _references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _references(value)


def _all(homes: Mapping[str, str]) -> str:
    """The module through which all types are found, wherever they are."""
    head = (
        '"""Types of what the API takes and answers. `make types` writes these files from the OpenAPI document."""\n\n'
    )
    for home in sorted(set(homes.values())):
        names = sorted(name for name, of in homes.items() if of == home)
        head += f"from crosswalk_client.types.{home} import {', '.join(names)}\n"
    return formatted(f"{head}\n__all__ = {json.dumps(sorted(homes))}\n")


def _module(home: str, classes: str, used: list[str]) -> str:
    shared = f"from crosswalk_client.types.{SHARED} import {', '.join(used)}\n" if used else ""
    head = f'"""Types of `{home}`. `make types` writes this file from the OpenAPI document."""\n\n'
    head += "from __future__ import annotations\n\n"
    names = {"Any": "typing", "Literal": "typing", "NotRequired": "typing_extensions", "TypedDict": "typing_extensions"}
    for source in ("typing", "typing_extensions"):
        needed = [name for name, of in names.items() if of == source and name in classes]
        head += f"from {source} import {', '.join(needed)}\n" if needed else ""
        head += "\n" if needed and source == "typing" else ""
    return formatted(f"{head}\n{shared}\n\n{classes}\n")


class _Writer:
    """Writes types; references to what is no record (a choice of words, any JSON) are written out."""

    def __init__(self, schemas: Schema) -> None:
        self._schemas = schemas

    def typed_dict(self, name: str) -> str:
        schema = self._schemas[name]
        required = set(schema.get("required", ()))
        kinds = {field: self._kind(of) for field, of in schema["properties"].items()}
        fields = {field: kind if field in required else f"NotRequired[{kind}]" for field, kind in kinds.items()}
        if any(keyword.iskeyword(field) for field in fields):
            # Such a name cannot be written as an attribute.
            inside = ", ".join(f'"{field}": {kind!r}' for field, kind in fields.items())
            return f'{name} = TypedDict("{name}", {{{inside}}})'
        lines = "\n".join(f"    {field}: {kind}" for field, kind in fields.items())
        return f"class {name}(TypedDict):\n{lines}"

    def _kind(self, schema: Schema) -> str:
        kind = self._kind_without_null(schema)
        return f"{kind} | None" if schema.get("nullable") and not kind.endswith(("None", "Any")) else kind

    def _kind_without_null(self, schema: Schema) -> str:
        if "$ref" in schema:
            name = str(schema["$ref"]).removeprefix(PREFIX)
            return name if _is_record(self._schemas[name]) else self._kind(self._schemas[name])
        if len(schema.get("allOf", ())) == 1:
            return self._kind(schema["allOf"][0])
        if choices := schema.get("oneOf") or schema.get("anyOf"):
            kinds = dict.fromkeys(self._kind(one) for one in choices)
            return "Any" if "Any" in kinds else " | ".join(kinds)
        if schema.get("enum"):
            values = [value for value in schema["enum"] if value is not None]
            return f"Literal[{', '.join(json.dumps(value) for value in values)}]" if values else "None"
        if schema.get("type") == "array":
            return f"list[{self._kind(schema.get('items', {}))}]"
        inside = schema.get("additionalProperties")
        if schema.get("type") == "object" and isinstance(inside, Mapping) and inside:
            return f"dict[str, {self._kind(inside)}]"
        return PLAIN.get(str(schema.get("type")), "Any")


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    made = modules(json.loads(document()))
    for name in written(FOLDER).keys() - made.keys():
        (FOLDER / f"{name}.py").unlink()
    for name, text in made.items():
        (FOLDER / f"{name}.py").write_text(text)


if __name__ == "__main__":
    main()
