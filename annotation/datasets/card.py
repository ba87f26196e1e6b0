"""The card of a project's datasets: what was asked of whom, how it was judged, how much there is.

It is the `README.md` of a folder with Parquet files, in the form that `datasets.load_dataset` reads.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db.models import Count

from annotation.models import Annotation, Project


def dataset_card(project: Project, *, names: Sequence[str], counts: Mapping[str, int], at: datetime) -> str:
    """The card as Markdown.

    Args:
        names: The datasets that the project has; each is in `data/NAME.parquet`.
        counts: The progress of the project: what is counted, with its number.

    Costs: 2 queries.
    """
    return "\n".join(
        [*_head(project, names), *_what(project), *_who(project), *_how(project), *_counts(project, counts, at)]
    )


def _head(project: Project, names: Sequence[str]) -> list[str]:
    """The machine-readable part of the card, as YAML; JSON in it, which is YAML too, quotes any title."""
    facts = [f"pretty_name: {json.dumps(project.title)}", "license: unknown", "tags: [crosswalk, human-feedback]"]
    configs = [line for name in names for line in _config(name)]
    return ["---", *facts, "configs:", *configs, "---", "", f"# {' '.join(project.title.split())}", ""]


def _config(name: str) -> list[str]:
    lines = [f"- config_name: {name}", f"  data_files: data/{name}.parquet"]
    return [*lines, "  default: true"] if name == "annotations" else lines


def _what(project: Project) -> list[str]:
    fence = "~~~~"
    while any(fence in page for page in project.instructions):
        fence += "~"
    pages = [line for page in project.instructions for line in (fence, page, fence, "")]
    said = f"Answers of people in the project `{project.slug}` of Crosswalk, given with the tool `{project.tool}`."
    return [said, "", "## What was asked", "", *pages]


def _who(project: Project) -> list[str]:
    platforms = (
        Annotation.objects.filter(project=project)
        .order_by()
        .values_list("worker__platform")
        .annotate(count=Count("worker", distinct=True))
    )
    rows = [f"- {count} from {platform}" for platform, count in sorted(platforms)]
    names = "People have a pseudonym, unless the key that wrote this folder may see names."
    return ["## Who answered", "", *(rows or ["- nobody yet"]), "", names, ""]


def _how(project: Project) -> list[str]:
    facts = [
        f"- {project.redundancy} answers are wanted for each task; their consensus is by `{project.consensus_method}`",
        f"- about {project.reference_rate:.0%} of what a worker gets has a known answer (`is_reference`, `score`)",
    ]
    if project.qualification:
        facts.append(f"- workers passed the qualification `{project.qualification.slug}` first")
    for gate in project.gates:
        facts.append(f"- workers below a balanced accuracy of {gate['below']} meet the action `{gate['action']}`")
    return ["## How it was judged", "", *facts, ""]


def _counts(project: Project, counts: Mapping[str, int], at: datetime) -> list[str]:
    last = Annotation.objects.filter(project=project).order_by("-number").values_list("public_id", flat=True).first()
    return [
        "## How much there is",
        "",
        *(f"- {name}: {count}" for name, count in counts.items()),
        f"- last annotation: {last or 'none'}",
        f"- written at {at.isoformat(timespec='seconds')}",
        "",
        "`SHA256SUMS` has the digest of each file, where the program `crosswalk dataset` wrote the folder.",
        "",
        "## Licence",
        "",
        "None is stated. Whoever publishes this folder states one here and in the first lines of this file.",
        "",
    ]
