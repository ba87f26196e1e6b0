"""Sockets that flood, addresses with many anonymous sockets, and addresses whose credentials failed."""

from typing import Any

import pytest

from tests.support.sockets import POSE, End, Frame, Place, play
from web.sockets import connection

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sockets")]


def test_a_flood_is_refused_by_name_and_what_was_acknowledged_is_there(settings: Any) -> None:
    settings.WORKER_FRAMES_A_SECOND = 5
    place = Place()

    async def story() -> None:
        worker, _ = await place.worker()
        for _ in range(100):
            await worker.send("pose", **POSE)
        acked: list[int] = []
        refused: list[Frame] = []
        while len(acked) + len(refused) < 100:
            frame = await worker.next()
            if frame["t"] == "ack":
                acked.append(frame["cseq"])
            if frame["t"] == "error":
                refused.append(frame)
        assert acked == list(range(1, len(acked) + 1))
        assert {frame["code"] for frame in refused} <= {"rate", "gap"}
        assert refused[0]["code"] == "rate"
        assert all(frame["last_cseq"] <= len(acked) for frame in refused)
        await worker.frame(t="hello-again")
        await worker.frame_of("error")
        await worker.close()

    play(story)


@pytest.mark.parametrize("raw", ["{", '{"t":"send","cseq":1,"type":"finish","body":{}}', '{"t":"ping","n":1}'])
@pytest.mark.parametrize("is_agent", [False, True])
def test_a_socket_that_goes_on_flooding_is_closed(is_agent: bool, raw: str, settings: Any) -> None:
    settings.AGENT_FRAMES_A_SECOND = 30
    place = Place()

    async def story() -> None:
        end = await place.process() if is_agent else (await place.worker())[0]
        for _ in range(4000):
            await end.raw(raw)
        refused, code = 0, None
        while code is None:
            frame = await end.next()
            refused += frame["t"] == "error"
            code = frame["code"] if frame["t"] == "close" else None
        assert (code, refused < 2500) == (connection.FLOODED, True)
        await end.close()

    play(story)


def test_an_address_has_few_sockets_without_a_credential_and_any_number_with_one(settings: Any) -> None:
    settings.ANONYMOUS_SOCKETS_MAX = 3
    places = [Place() for _ in range(5)]

    async def story() -> None:
        path = f"/ws/work/{places[0].assignment}/"
        workers = [(await place.worker())[0] for place in places]
        silent = [End(path) for _ in range(5)]
        assert [await end.open() for end in silent] == [True, True, True, False, False]
        # Whoever leaves or shows a credential makes room.
        await silent[0].close()
        late = End(path)
        assert await late.open()
        await late.frame(t="hello", token=places[0].token, resume="other", have=0)
        await late.frame_of("welcome")
        assert await End(path).open()
        for end in [*workers, *silent, late]:
            await end.close()

    play(story)


def test_an_address_whose_credentials_failed_often_gets_no_socket(settings: Any) -> None:
    settings.FAILED_CREDENTIALS_A_MINUTE = 2
    place = Place()

    async def story() -> None:
        for _ in range(2):
            end = End(f"/ws/agents/{place.agent}/", authorization="Api-Key wrong")
            assert await end.open()
            assert await end.next() == {"t": "close", "code": connection.BAD_TOKEN}
            await end.close()
        assert not await End(f"/ws/agents/{place.agent}/", authorization="Api-Key wrong").open()

    play(story)
