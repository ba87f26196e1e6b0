from collections.abc import Sequence

import pytest

from client.outbox import Outbox, OutboxFull


def filled(count: int, *, last_cseq: int = 0) -> Outbox:
    outbox = Outbox(last_cseq=last_cseq)
    for number in range(count):
        outbox.put("say", {"text": str(number)})
    return outbox


@pytest.mark.parametrize(
    ("settled", "left"), [((), [4, 5, 6]), ((4,), [5, 6]), ((5, 4), [6]), ((6,), []), ((3,), [4, 5, 6])]
)
def test_what_the_server_has_is_forgotten_and_the_rest_stays_in_order(settled: Sequence[int], left: list[int]) -> None:
    outbox = filled(3, last_cseq=3)
    for cseq in settled:
        outbox.settle(cseq)
    assert [held.cseq for held in outbox.after(0)] == left


def test_numbers_go_on_after_everything_was_settled() -> None:
    outbox = filled(2)
    outbox.settle(2)
    assert outbox.put("say", {}).cseq == 3


def test_numbers_go_on_behind_what_another_process_has_sent() -> None:
    outbox = filled(1)
    outbox.settle(7)
    assert outbox.put("say", {}).cseq == 8


def test_a_full_outbox_takes_no_more_until_the_server_has_some() -> None:
    outbox = Outbox(limit=1)
    outbox.put("say", {})
    with pytest.raises(OutboxFull):
        outbox.put("say", {})
    outbox.settle(1)
    assert outbox.put("say", {}).cseq == 2


@pytest.mark.parametrize(("last_cseq", "can"), [(1, False), (2, True), (3, True), (5, True)])
def test_a_server_that_lost_what_it_had_cannot_be_served_on(last_cseq: int, can: bool) -> None:
    outbox = filled(5)
    outbox.settle(2)
    assert outbox.can_go_on_from(last_cseq) is can


def test_an_empty_outbox_goes_on_only_where_the_server_stands_as_well() -> None:
    outbox = filled(2)
    outbox.settle(2)
    assert not outbox.can_go_on_from(1)
    assert outbox.can_go_on_from(2)
