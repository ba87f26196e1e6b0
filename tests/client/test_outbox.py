"""The limits of an outbox; `test_reconnect` shows that it keeps every message, in order, until the server has it."""

import pytest

from crosswalk_client.outbox import Outbox, OutboxFull


def filled(count: int, *, last_cseq: int = 0) -> Outbox:
    outbox = Outbox(last_cseq=last_cseq)
    for number in range(count):
        outbox.put("say", {"text": str(number)})
    return outbox


def test_a_full_outbox_takes_no_more_until_the_server_has_some() -> None:
    outbox = Outbox(limit=1)
    outbox.put("say", {})
    with pytest.raises(OutboxFull):
        outbox.put("say", {})
    outbox.settle(7)
    assert outbox.put("say", {}).cseq == 8, "numbers go on after the last one that the server has"


@pytest.mark.parametrize(
    ("held", "last_cseq", "can"), [(5, 1, False), (5, 2, True), (5, 3, True), (5, 5, True), (2, 1, False), (2, 2, True)]
)
def test_a_server_that_lost_messages_cannot_be_served(held: int, last_cseq: int, can: bool) -> None:
    outbox = filled(held)
    outbox.settle(2)
    assert outbox.can_go_on_from(last_cseq) is can
