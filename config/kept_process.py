"""`python -m config.kept_process KEEPER MODULE …`: runs a module like `python -m MODULE …`, and ends with its keeper.

A killed keeper can end nobody. So each of its processes looks twice a second whether its parent is still the keeper,
and ends by itself if not: otherwise a web process would go on holding the port, and a worker go on taking jobs.
"""

import os
import runpy
import signal
import sys
import threading
import time

LOOK_EVERY_S = 0.5
GRACE_S = 8.0
"""How long the process may take to end in order."""


def end_with(parent: int) -> None:
    """End this process when `parent` is no longer its parent. An orphan gets another one on every system."""
    while os.getppid() == parent:
        time.sleep(LOOK_EVERY_S)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_S)
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    keeper, module = int(sys.argv[1]), sys.argv[2]
    threading.Thread(target=end_with, args=(keeper,), name="looks-at-keeper", daemon=True).start()
    del sys.argv[:2]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
