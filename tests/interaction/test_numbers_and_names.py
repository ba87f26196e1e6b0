"""Numbers and names of frames that no database can keep are refused, and end no socket."""

import pytest

from interaction.consumers.line import text_in
from interaction.log import append
from interaction.refusals import Gap, Refusal
from tests.interaction.live import both

POSE = {"x": 1, "y": 2, "z": 3, "pitch": 0, "yaw": 0}


@pytest.mark.django_db
@pytest.mark.parametrize("cseq", [7, 2**31, 2**63, 10**30])
def test_a_number_far_ahead_is_a_gap_however_large(cseq: int) -> None:
    worker, _ = both()
    with pytest.raises(Gap):
        append(worker.session.pk, worker.sender, cseq=cseq, kind="pose", body=POSE, at=worker.at)


@pytest.mark.parametrize("resume", ["", "x" * 65, None, 5, "a\0b", "a\ud800"])
def test_a_hello_needs_a_text_that_can_be_kept(resume: object) -> None:
    with pytest.raises(Refusal):
        text_in({"resume": resume}, "resume")
