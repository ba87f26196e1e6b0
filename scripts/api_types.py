"""Generates `docs/openapi.json` from the code and the front end's types from that; `--check` only compares."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import django

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "openapi.json"
TYPES = ROOT / "frontend" / "src" / "shared" / "api.generated.ts"


def document() -> str:
    """The OpenAPI document of the code as it is."""
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from drf_spectacular.generators import SchemaGenerator

    schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def types(text: str) -> str:
    """The TypeScript of an OpenAPI document."""
    command = [str(ROOT / "scripts" / "node"), "npx", "--no-install", "openapi-typescript"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=ROOT)  # noqa: S603 - our own command
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say whether both are up to date")
    is_check = parser.parse_args().check
    text = document()
    for path, fresh in ((DOCUMENT, text), (TYPES, types(text))):
        if not is_check:
            path.write_text(fresh)
        elif not path.exists() or path.read_text() != fresh:
            sys.exit(f"{path.relative_to(ROOT)} is not up to date: run `make types`")


if __name__ == "__main__":
    main()
