"""The order in which threads get a lock."""

import threading
import time

import pytest

from lib.fair_lock import FairLock


def test_threads_get_the_lock_in_the_order_in_which_they_asked() -> None:
    lock, served = FairLock(), list[int]()
    assert lock.acquire(timeout_s=0)

    def ask(number: int) -> None:
        assert lock.acquire(timeout_s=20)
        served.append(number)
        lock.release()

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(5)]
    for number, thread in enumerate(threads, 1):
        thread.start()
        while len(lock._waiting) < number:
            time.sleep(0.001)
    lock.release()
    # Whoever asks again at once is served after those that wait.
    assert lock.acquire(timeout_s=20)
    assert served == [0, 1, 2, 3, 4]
    for thread in threads:
        thread.join()


def test_who_waits_too_long_leaves_the_order() -> None:
    lock = FairLock()
    assert lock.acquire(timeout_s=0)
    assert not lock.acquire(timeout_s=0.01)
    lock.release()
    assert lock.acquire(timeout_s=0)
    lock.release()
    with pytest.raises(RuntimeError):
        lock.release()
