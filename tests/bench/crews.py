"""Workers who claim and hand in, on the clock."""

from collections.abc import Callable
from typing import NamedTuple

from annotation.claims import claim_next
from annotation.models import Assignment, Enrolment
from annotation.submissions import submit
from tests.bench.rows import timed
from tests.builders import NOON

ANSWER = {"outcome": "success", "frame": 20}


class Turn(NamedTuple):
    """How long a claim and its submission took, in seconds."""

    claim: float
    submit: float


def loaded(enrolment: Enrolment) -> Enrolment:
    """The enrolment as the authentication of a request loads it."""
    return Enrolment.objects.select_related("project__consent_page", "worker").get(pk=enrolment.pk)


def take_turn(enrolment: Enrolment, *, chance: Callable[[], float] = lambda: 0.99) -> Turn:
    """Claim the next task and hand it in.

    Args:
        chance: As `claim_next` takes it; always near 1, no reference comes.
    """
    held: list[Assignment] = []

    def claim() -> None:
        found = claim_next(enrolment=now, at=NOON, chance=chance)
        assert found is not None
        held.append(found)

    def hand_in() -> None:
        submit(enrolment=now, assignment=held[0], answer=ANSWER, active_s=None, at=NOON)

    now = loaded(enrolment)
    return Turn(timed(claim), timed(hand_in))
