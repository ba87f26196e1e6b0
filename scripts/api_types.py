"""Writes the TypeScript types of our API: the OpenAPI document of the code, read by `openapi-typescript`."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import django

ROOT = Path(__file__).resolve().parent.parent


def document() -> str:
    """The OpenAPI document of the code as it is; the server has the same at `/api/v1/schema/`."""
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from drf_spectacular.generators import SchemaGenerator

    schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return json.dumps(schema, ensure_ascii=False)


def types(text: str) -> str:
    """The TypeScript of an OpenAPI document."""
    command = [str(ROOT / "scripts" / "node"), "npx", "--no-install", "openapi-typescript"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=ROOT)  # noqa: S603 - our own command
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, help="the file to write")
    path = parser.parse_args().path
    written = types(document())
    # Complete or not at all: `make` takes a file that is there for one that is done.
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(written)
    unfinished.replace(path)


if __name__ == "__main__":
    main()
