"""What a worker's browser called its page goes with them."""

import pytest

from interaction.models import Session
from interaction.privacy import erase
from tests.support.builders import NOON
from tests.support.sessions import both
from workforce.privacy import person_of

pytestmark = pytest.mark.django_db


def test_neither_the_page_that_is_there_nor_the_one_that_wrote_last_is_known_of_an_erased_person() -> None:
    worker, _ = both()
    worker.send("pose", x=1, y=2, z=3, pitch=0, yaw=0)
    assert (worker.now().worker_resume, worker.now().worker_wrote) == ("tab", "tab")
    erase(person_of(worker.hold.worker), NOON)
    assert list(Session.objects.values_list("worker_resume", "worker_wrote")) == [("", "")]
