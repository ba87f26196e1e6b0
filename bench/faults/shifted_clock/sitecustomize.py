"""The clock of a server under test: each process with this folder in `PYTHONPATH` imports this module first.

`FAULTS_CLOCK_FILE` names a file with the number of seconds by which the clock is wrong. The server reads the time of
day by `django.utils.timezone.now`, and where Django checks the age of signatures by `time.time`.
"""

import os
import time
from datetime import datetime, timedelta
from pathlib import Path

from django.utils import timezone

_real_now, _real_time = timezone.now, time.time
_file = Path(os.environ["FAULTS_CLOCK_FILE"])


def _shift_s() -> float:
    try:
        return float(_file.read_text())
    except (OSError, ValueError):
        return 0.0


def _now() -> datetime:
    return _real_now() + timedelta(seconds=_shift_s())


def _time() -> float:
    return _real_time() + _shift_s()


timezone.now, time.time = _now, _time
