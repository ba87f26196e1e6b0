"""Prints the tables of `docs/quality.md` on gates, methods and early closing: `python -m bench.quality_tables`."""

import os

import django
import numpy as np

from demo.crowds.markers import ALWAYS_SUCCESS, CARELESS, SPAMMER, Behaviour, Colluding, Drifter, Honest

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from annotation.models import Method  # noqa: E402
from tests.support.simulated_raters import CROWDS, FEW_SPAMMERS, MOST, fates, grow, right_by, said_of  # noqa: E402

TURN = 60
"""References that a drifter answers well."""
MET = 120
"""References that each simulated worker meets."""
KINDS: dict[str, Behaviour] = {
    "honest, .95": Honest(0.95, 0.95),
    "honest, .9": Honest(0.9, 0.9),
    "careless, .7": CARELESS,
    "colluding, .6": Colluding("pair", 0.6),
    "spammer": SPAMMER,
    "always success": ALWAYS_SUCCESS,
    f"drifter, .92, from {TURN} on .55": Drifter(Honest(0.92, 0.92), Honest(0.55, 0.55), turns_at=TURN),
}


def print_gates() -> None:
    print("| worker | paused by 20 | by 40 | by 120 references | of these, median references until then |")  # noqa: T201
    print("|---|---|---|---|---|")  # noqa: T201
    for name, behaviour in KINDS.items():
        found = fates(behaviour, workers=4000, references=MET, seed=name)
        by = " | ".join(f"{found.share_by(n):.3f}" for n in (20, 40, MET))
        print(f"| {name} | {by} | {np.median(found.paused):.0f} |")  # noqa: T201


def print_methods() -> None:
    print("| crowd | majority | weighted | Dawid–Skene |\n|---|---|---|---|")  # noqa: T201
    for name, behaviours in CROWDS.items():
        said = said_of(behaviours, tasks=20_000, seed=1)
        by = " | ".join(f"{right_by(said, method).mean():.3f}" for method in Method)
        print(f"| {name} | {by} |")  # noqa: T201
    print("\n| tasks close | annotations a task | right |\n|---|---|---|")  # noqa: T201
    grown = {confidence: grow(FEW_SPAMMERS, tasks=4000, confidence=confidence, seed=1) for confidence in (0.9, 0.95)}
    for confidence, found in grown.items():
        print(f"| at confidence {confidence} | {found.annotations.mean():.2f} | {found.right.mean():.3f} |")  # noqa: T201
    for n in (2, 3, 5, MOST):
        print(f"| at redundancy {n} | {n} | {grown[0.9].fixed[n].mean():.3f} |")  # noqa: T201


if __name__ == "__main__":
    print_gates()
    print()  # noqa: T201
    print_methods()
