"""Options of the generator: what cannot be is refused by its name."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from lib.voxels.generator import generate
from lib.voxels.generator_options import BadOption, Options, range_of, size_of

REFUSED: dict[str, list[object]] = {
    "size": [(0, 13, 17), (257, 3, 17), (256, 13, 256), (1, 13, 1)],
    "ground_depth": [0, 12],
    "shapes": [(0, 3), (3, 1), (1, 9)],
    "holes": [(-1, 0)],
    "kinds": [(), ("cube", "cone"), ("cube", "cube")],
    "materials": [(), (0,), (8,), (47, 47)],
    "negatives": [-0.1, 1.1, float("nan")],
    "per_scene": [0, 21],
    "gap": [-1],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in REFUSED.items() for value in values])
def test_options_that_cannot_be_are_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(BadOption) as refused:
        replace(Options(), **{name: value})  # type: ignore[arg-type]
    assert refused.value.name == name


@pytest.mark.parametrize(
    ("seed", "first", "name"), [(-1, 0, "seed"), (2**32, 0, "seed"), (1, -1, "first"), (1, 2**32, "first")]
)
def test_seeds_and_numbers_have_32_bits(seed: int, first: int, name: str) -> None:
    with pytest.raises(BadOption) as refused:
        generate(seed, 1, first=first)
    assert refused.value.name == name


def test_ranges_and_sizes_are_read_as_people_write_them() -> None:
    assert range_of("shapes", "1-3") == (1, 3)
    assert range_of("shapes", "2") == (2, 2)
    assert size_of("17,13,17") == (17, 13, 17)


RANGES = ["", "-", "1-", "-3", "a", "1-3-5", "1.5", "²"]
SIZES = ["", "17", "17,13", "17,13,17,1", "17,,17", "17, 13, -1", "a,b,c"]


@pytest.mark.parametrize(
    ("read", "text"), [*((partial(range_of, "shapes"), text) for text in RANGES), *((size_of, text) for text in SIZES)]
)
def test_a_text_of_another_form_is_refused(read: Callable[[str], object], text: str) -> None:
    with pytest.raises(BadOption):
        read(text)
