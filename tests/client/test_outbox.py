"""The outbox keeps messages, in order, until the server has them."""

from collections.abc import Sequence

import pytest

from crosswalk_client.outbox import Outbox, OutboxFull


def filled(count: int, *, last_cseq: int = 0) -> Outbox:
    outbox = Outbox(last_cseq=last_cseq)
    for number in range(count):
        outbox.put("say", {"text": str(number)})
    return outbox


@pytest.mark.parametrize(
    ("settled", "left"), [((), [4, 5, 6]), ((4,), [5, 6]), ((5, 4), [6]), ((6,), []), ((3,), [4, 5, 6])]
)
def test_settled_messages_are_dropped_and_the_rest_stays_in_order(settled: Sequence[int], left: list[int]) -> None:
    outbox = filled(3, last_cseq=3)
    for cseq in settled:
        outbox.settle(cseq)
    assert [held.cseq for held in outbox.after(0)] == left


@pytest.mark.parametrize(("held", "settled", "following"), [(2, 2, 3), (1, 7, 8)])
def test_numbers_go_on_after_the_last_one_that_the_server_has(held: int, settled: int, following: int) -> None:
    outbox = filled(held)
    outbox.settle(settled)
    assert outbox.put("say", {}).cseq == following


def test_a_full_outbox_takes_no_more_until_the_server_has_some() -> None:
    outbox = Outbox(limit=1)
    outbox.put("say", {})
    with pytest.raises(OutboxFull):
        outbox.put("say", {})
    outbox.settle(1)
    assert outbox.put("say", {}).cseq == 2


@pytest.mark.parametrize(
    ("held", "last_cseq", "can"), [(5, 1, False), (5, 2, True), (5, 3, True), (5, 5, True), (2, 1, False), (2, 2, True)]
)
def test_a_server_that_lost_messages_cannot_be_served(held: int, last_cseq: int, can: bool) -> None:
    outbox = filled(held)
    outbox.settle(2)
    assert outbox.can_go_on_from(last_cseq) is can
