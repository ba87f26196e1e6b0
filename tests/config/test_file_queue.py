"""Messages of the queue of files are whole or not there."""

import resource
from collections.abc import Iterator
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection

from config import celery  # noqa: F401 - names the transport


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Connection]:
    folders = {name: str(tmp_path) for name in ("data_folder_in", "data_folder_out", "control_folder")}
    with Connection("files://", transport_options=folders) as connection:
        yield connection


def test_a_message_for_which_there_is_no_room_leaves_no_part_of_itself(queue: Connection, tmp_path: Path) -> None:
    line = queue.SimpleQueue("jobs")
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, usual[1]))
    try:
        with pytest.raises(OSError):
            line.put("x" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert [path.name for path in tmp_path.iterdir() if "msg" in path.name] == []
    for message in ("first", "second"):
        line.put(message)
    assert {line.get(block=False).payload for _ in range(2)} == {"first", "second"}
    with pytest.raises(Empty):
        line.get(block=False)
    line.close()
