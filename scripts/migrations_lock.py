"""Keeps `migrations.lock`: every migration by name, so that two branches that add one meet as a merge conflict."""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "migrations.lock"


def listed() -> str:
    """One `app/name` a line, in order."""
    found = sorted(ROOT.glob("*/migrations/0*.py"))
    return "".join(f"{path.parent.parent.name}/{path.stem}\n" for path in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    if not parser.parse_args().check:
        LOCK.write_text(listed())
    elif not LOCK.exists() or LOCK.read_text() != listed():
        sys.exit("migrations.lock is not up to date: run `make types`")


if __name__ == "__main__":
    main()
