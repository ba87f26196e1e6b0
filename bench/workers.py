"""Workers who claim and submit, with times."""

from collections.abc import Callable
from typing import NamedTuple

from annotation.models import Assignment, Enrolment
from annotation.work.claims import claim_next
from annotation.work.submissions import submit
from bench.rows import seconds_of
from tests.support.builders import NOON

ANSWER = {"outcome": "success", "frame": 20}


class Turn(NamedTuple):
    """The seconds of a claim and of its submission."""

    claim: float
    submit: float


def loaded_enrolment(enrolment: Enrolment) -> Enrolment:
    """The enrolment as a request's authentication loads it."""
    return Enrolment.objects.select_related("project__consent_page", "worker").get(pk=enrolment.pk)


def take_turn(enrolment: Enrolment, *, chance: Callable[[], float] = lambda: 0.99) -> Turn:
    """Claim the next task and submit an answer.

    Args:
        chance: As for `claim_next`; a value always near 1 gives no references.
    """
    held: list[Assignment] = []

    def claim() -> None:
        found = claim_next(enrolment=now, at=NOON, chance=chance)
        assert found is not None
        held.append(found)

    def hand_in() -> None:
        submit(enrolment=now, assignment=held[0], answer=ANSWER, active_s=None, at=NOON)

    now = loaded_enrolment(enrolment)
    return Turn(seconds_of(claim), seconds_of(hand_in))
