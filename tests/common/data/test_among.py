"""One of many texts: the rows are those of `in`, whatever characters the texts have."""

import pytest

from annotation.models import Task
from tests.support.builders import make_project, make_task

pytestmark = pytest.mark.django_db
KEYS = ["a", "A", "it's", '"b"', "ä", "%s", "1", "null"]


@pytest.mark.parametrize(
    "asked", [[], ["a"], ["a", "a", "no"], KEYS, ["1"], ["b", "NULL", "A "], [f"k{n}" for n in range(3000)]]
)
def test_a_row_is_found_by_one_of_many_texts(asked: list[str]) -> None:
    project = make_project()
    for key in KEYS:
        make_task(project, key=key)
    found = set(Task.objects.filter(project=project, key__among=asked).values_list("key", flat=True))
    assert found == set(KEYS) & set(asked)
