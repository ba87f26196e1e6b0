"""Celery's queue of files in a folder, for a server without a broker."""

import json
import time
import uuid
from pathlib import Path
from typing import Any

from kombu.transport import filesystem


class Channel(filesystem.Channel):
    """kombu's channel, whose messages are written whole or not at all.

    kombu's own writes under the final name: on a full disk or in a killed process it leaves a part of a message, and
    each such part ends the worker that reads it.
    """

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]  # as kombu's own
        folder = Path(self.data_folder_out)
        # As kombu names it: messages are read in the order of their names, and so of their milliseconds.
        name = f"{round(time.monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        part = folder / f"{name}.part"
        try:
            part.write_text(json.dumps(payload))
            part.rename(folder / name)
        except OSError:
            part.unlink(missing_ok=True)
            raise


class Transport(filesystem.Transport):
    Channel = Channel
