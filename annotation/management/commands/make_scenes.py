"""`manage.py make_scenes N`: scenes made by rule, into a file or as tasks of a project."""

from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.datasets.generated_scenes import post_generated
from annotation.projects.projects import project_named
from lib.faults import CrosswalkError, NotFound
from lib.voxels.generator import as_arrays, as_lines, generate
from lib.voxels.generator_options import BadOption, Options, range_of, size_of

JSONL, NPZ = "jsonl", "npz"
USUAL = Options()


class Command(BaseCommand):
    help = (
        "Make scenes with phrases and exact masks by rule, to train a first model with or as references of a project; "
        "see docs/generated-scenes.md."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("n", type=int, help="How many scenes.")
        parser.add_argument("--seed", type=int, default=0, help="The same seed gives the same scenes.")
        parser.add_argument("--first", type=int, default=0, help="The number of the first scene.")
        parser.add_argument("--negatives", type=float, default=USUAL.negatives, help="Share that means nothing there.")
        parser.add_argument("--shapes", default="1-3", help="Least and greatest number of objects.")
        parser.add_argument("--holes", default="0", help="The same for holes in the ground.")
        parser.add_argument("--size", default=",".join(map(str, USUAL.size)), help="Sides along x, y, z.")
        parser.add_argument("--ground-depth", type=int, default=USUAL.ground_depth)
        parser.add_argument("--per-scene", type=int, default=USUAL.per_scene, help="Phrases for each scene.")
        parser.add_argument("--format", choices=[JSONL, NPZ], default=JSONL)
        parser.add_argument("--out", default="-", help="A file; - is the standard output, for lines.")
        parser.add_argument("--project", default="", help="The slug of a project: make tasks of it and no file.")
        parser.add_argument("--references", action="store_true", help="With --project: make them references.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["references"] and not options["project"]:
            raise CommandError("Name the --project that gets the references.")
        if options["n"] < 1:
            raise CommandError("n: Make at least one scene.")
        try:
            known = _options(options)
            if options["project"]:
                self._post(known, options)
            else:
                self._write(known, options)
        except BadOption as error:
            raise CommandError(f"{error.name}: {error}") from error

    def _post(self, known: Options, options: dict[str, Any]) -> None:
        try:
            posted = post_generated(
                project=project_named(options["project"]),
                seed=options["seed"],
                n=options["n"],
                options=known,
                as_references=options["references"],
                by="system",
                at=timezone.now(),
                first=options["first"],
            )
        except NotFound as error:
            raise CommandError(f"There is no project {options['project']!r}.") from error
        except CrosswalkError as error:
            raise CommandError(" ".join([error.detail, *(fault.detail for fault in error.faults[:3])])) from error
        self.stdout.write(f"{posted.created} created, {posted.unchanged} there already.")

    def _write(self, known: Options, options: dict[str, Any]) -> None:
        scenes = generate(options["seed"], options["n"], known, first=options["first"])
        to_screen = options["out"] == "-"
        if options["format"] == NPZ and to_screen:
            raise CommandError("Arrays go to a file: name it with --out.")
        if to_screen:
            for line in as_lines(scenes):
                self.stdout.write(line.decode(), ending="")
            return
        try:
            with Path(options["out"]).open("wb") as file:
                if options["format"] == NPZ:
                    arrays: dict[str, Any] = as_arrays(scenes)
                    np.savez_compressed(file, **arrays)
                else:
                    file.writelines(as_lines(scenes))
        except OSError as error:
            raise CommandError(str(error)) from error


def _options(options: dict[str, Any]) -> Options:
    """The options of the generator.

    Raises:
        BadOption: a value is out of range.
    """
    return Options(
        size=size_of(options["size"]),
        ground_depth=options["ground_depth"],
        shapes=range_of("shapes", options["shapes"]),
        holes=range_of("holes", options["holes"]),
        negatives=options["negatives"],
        per_scene=options["per_scene"],
    )
