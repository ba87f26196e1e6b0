"""How well some cells fit each kind of shape: 1 for an exact fit, 0 for none.

The shapes are those of `lib.voxels.shapes`, of any size, each stretched to the box of the cells. A sphere of even width
and a pyramid on an oblong foot are recognised too. Walls, towers, houses and the like are recognised by their
proportions.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

Body = NDArray[np.bool_]
"""The box of some cells, x, y, z; True where a cell is."""
Fits = dict[str, float]
_EXACT = 0.97
_OTHER_KINDS = 0.6
"""Factor on the fit of all other kinds if one kind fits exactly."""
_MOST_FILLED = 0.2
"""The largest share of the inside of a room that may be filled."""


def body_of(places: NDArray[np.int32]) -> Body:
    """The cells, shape (n, 3), as a body."""
    low = places.min(axis=0)
    body: Body = np.zeros(tuple((places.max(axis=0) - low + 1).tolist()), np.bool_)
    body[tuple((places - low).T)] = True
    return body


def is_exact(places: NDArray[np.int32]) -> bool:
    """True if the cells are exactly one of the shapes that scenes are built from."""
    return any(fit >= _EXACT for fit in _solids(body_of(places)).values())


def fits_of(places: NDArray[np.int32]) -> Fits:
    """The fit of every kind above 0, best first. Of equal fits the narrower kind is first."""
    body = body_of(places)
    found = _solids(body)
    if max(found.values(), default=0.0) >= _EXACT:
        # An exact small cube is not a pyramid, even if only few blocks differ.
        found = {kind: fit if fit >= _EXACT else fit * _OTHER_KINDS for kind, fit in found.items()}
    found |= _proportions(body)
    return dict(sorted(((kind, fit) for kind, fit in found.items() if fit > 0), key=lambda item: -item[1]))


def _solids(body: Body) -> Fits:
    """The fits of the ten kinds of generated scenes."""
    flat = min(body.shape) == 1
    return {kind: fit(body) for kind, fit in (_FLAT if flat else _ROUND).items()}


# Kinds that are more than one block thick ------------------------------------------------------------------------


def _cube(body: Body) -> float:
    """A hollow cube counts too."""
    return _filled_share(body) * _equal_sides(body.shape, strict=4)


def _rectanguloid(body: Body) -> float:
    return _filled_share(body) * (0.6 if len(set(body.shape)) == 1 else 1.0)


def _filled_share(body: Body) -> float:
    """The filled share of the box, or of its surface alone if the inside is empty."""
    inside = body[1:-1, 1:-1, 1:-1]
    shell = body.size - inside.size
    hollow = (body.sum() - inside.sum()) / shell * 0.9 if inside.size and not inside.any() else 0.0
    return max(float(body.mean()), float(hollow))


def _sphere(body: Body) -> float:
    if min(body.shape) < 3:
        return 0.0
    distance = _from_middle(body)
    ball = distance <= 1
    shells = [ball & (distance > 1 - 2 * thick / min(body.shape)) for thick in (1, 2)]
    return _best(body, [ball, *shells]) * _equal_sides(body.shape, strict=3)


def _pyramid(body: Body) -> float:
    """Layers that become smaller by one block on every side, with the same number of layers for each size."""
    width, height, depth = body.shape
    steps = (min(width, depth) + 1) // 2
    if height < 2 or steps < 2:
        return 0.0
    x, y, z = np.indices(body.shape)
    from_side = np.minimum(np.minimum(x, width - 1 - x), np.minimum(z, depth - 1 - z))
    full = from_side >= y * steps // height
    return _best(body, [full, full & ~_eroded(full)])


def _dome(body: Body) -> float:
    """Half a sphere on the ground: its box is half as high as wide."""
    width, height, depth = body.shape
    if min(width, depth) < 5 or abs(2 * height - 1 - min(width, depth)) > 1:
        return 0.0
    x, y, z = np.indices(body.shape)
    across, along, up = (width - 1) / 2, (depth - 1) / 2, height - 1
    squared = ((x - across) / across) ** 2 + ((z - along) / along) ** 2 + (y / up) ** 2
    half = squared <= 1
    radius = min(across, along)
    shells = [half & (squared > (1 - thick / radius) ** 2) for thick in (1, 2) if thick < radius]
    return _best(body, [half, *shells]) * _equal_sides((width, depth), strict=3)


def _thick_arch(body: Body) -> float:
    """An arch that is the same in every slice."""
    return max(
        (_arch(body[:1] if axis == 0 else body[:, :, :1]) * 0.95 for axis in (0, 2) if _same_through(body, axis)),
        default=0.0,
    )


# Kinds that are one block thick ----------------------------------------------------------------------------------


def _square(body: Body) -> float:
    across, up = _flat(body).shape
    if up < 2 or across < 2:
        return 0.0
    return _filled_flat(_flat(body)) * _equal_sides((across, up), strict=4)


def _rectangle(body: Body) -> float:
    across, up = _flat(body).shape
    return _filled_flat(_flat(body)) * (0.7 if across == up else 1.0)


def _filled_flat(face: Body) -> float:
    """As `_filled_share`, for a frame."""
    inside = face[1:-1, 1:-1]
    edge = (face.sum() - inside.sum()) / (face.size - inside.size) * 0.9 if inside.size and not inside.any() else 0.0
    return max(float(face.mean()), float(edge))


def _circle(body: Body) -> float:
    """A ring, as in generated scenes, or a disc."""
    face = _flat(body)
    if min(face.shape) < 3:
        return 0.0
    distance = _from_middle(face)
    radius = (min(face.shape) - 1) / 2
    disc = distance <= 1
    rings = [disc & (distance > 1 - thick / radius) for thick in (1, 2) if thick <= radius]
    return _best(face, [disc, *rings]) * _equal_sides(face.shape, strict=3)


def _triangle(body: Body) -> float:
    """A triangle with two equal sides or with a right angle, on any side."""
    face = _flat(body)
    return max(_best(turned, list(_triangles(turned))) for turned in (face, face.T)) if min(face.shape) > 1 else 0.0


def _triangles(face: Body) -> Iterator[Body]:
    wide, high = face.shape
    across, up = np.indices(face.shape)
    from_end = np.minimum(across, wide - 1 - across)
    if high <= (wide + 1) // 2 + 1:
        even = from_end >= up * ((wide + 1) // 2) // high
        yield from () if even.all() else (even, even[:, ::-1])
    right = across * high + up * wide < wide * high
    yield from (right, right[::-1], right[:, ::-1], right[::-1, ::-1])


def _arch(body: Body) -> float:
    """Two columns with steps up to the middle between them; upright."""
    face = _flat(body)
    across, high = face.shape
    if body.shape[1] == 1 or across < 5:
        return 0.0
    i, up = np.indices(face.shape)
    from_end = np.minimum(i, across - 1 - i)
    columns = high - int(from_end.max())
    stepped = np.where(from_end == 0, up < columns, up == columns - 1 + from_end)
    fit = _agree(face, stepped) if columns >= 1 else 0.0
    gate = bool(face[0].all() and face[-1].all() and face[:, -1].all() and not face[1:-1, : high // 2].any())
    return max(fit, 0.9 if gate and high > 2 else 0.0)


_ROUND: dict[str, Callable[[Body], float]] = {
    "cube": _cube,
    "sphere": _sphere,
    "pyramid": _pyramid,
    "dome": _dome,
    "arch": _thick_arch,
    "rectanguloid": _rectanguloid,
}
_FLAT: dict[str, Callable[[Body], float]] = {
    "square": _square,
    "circle": _circle,
    "triangle": _triangle,
    "arch": _arch,
    "rectangle": _rectangle,
}

# Kinds by their proportions -------------------------------------------------------------------------------------


def _proportions(body: Body) -> Fits:
    width, height, depth = body.shape
    long, thick = max(width, depth), min(width, depth)
    there = float(body.mean())
    found: Fits = {}
    if body.size == 1:
        return {"block": 1.0, "cube": 0.9}
    if height >= 3 and height >= 2 * long:
        found["tower"] = 0.95 if there >= 0.4 else 0.6
    if height >= 2 and thick <= 2 and long >= 3 and long > thick and there >= 0.8:
        found["wall"] = 0.9 * (1.0 if 2 * long >= height else 0.6)
    if height == 1 and long >= 3 and there >= 0.8:
        found["row" if long >= 3 * thick else "floor"] = 0.9
    if height >= 3 and thick >= 3 and (fit := _house(body)):
        found["house"] = fit
    return found


def _house(body: Body) -> float:
    """Four walls, a roof and an empty inside; a door and windows may be open."""
    walls = body[:, : body.shape[1] // 2 + 1]
    sides = (walls[0], walls[-1], walls[:, :, 0], walls[:, :, -1])
    inside = walls[1:-1, :, 1:-1][:, 1:] if walls.shape[1] > 1 else walls[1:-1, :, 1:-1]
    if min(float(side.mean()) for side in sides) < 0.6 or not inside.size or float(inside.mean()) > _MOST_FILLED:
        return 0.0
    covered = float(np.any(body, axis=1, keepdims=True)[1:-1, 0, 1:-1].mean())
    return 0.85 if covered >= 0.8 else 0.0


# Help ------------------------------------------------------------------------------------------------------------


def _agree(body: Body, template: Body) -> float:
    """Intersection over union."""
    either = int((body | template).sum())
    return int((body & template).sum()) / either if either else 0.0


def _best(body: Body, templates: list[Body]) -> float:
    return max(_agree(body, template) for template in templates)


def _from_middle(body: Body) -> NDArray[np.float64]:
    """The distance of each cell from the middle; 1 is the middle of the outermost cell along each axis.

    An even side counts half a block more, because no cell lies in its middle.
    """
    squared = np.zeros(body.shape)
    for axis, side in enumerate(body.shape):
        reach = (side - 1) / 2 if side % 2 else side / 2
        squared += ((np.indices(body.shape)[axis] - (side - 1) / 2) / reach) ** 2
    return np.sqrt(squared)


def _equal_sides(sides: tuple[int, ...], *, strict: int) -> float:
    """1 for equal sides, less for others. Short sides must be equal, because one block is much of them."""
    least, most = min(sides), max(sides)
    if least == most:
        return 1.0
    return least / most * 0.9 if least >= strict and most - least <= max(1, least // 6) else 0.0


def _flat(body: Body) -> Body:
    """The face of a body one block thick: across and up, or along x and z if it lies on the ground."""
    width, height, _ = body.shape
    if height == 1:
        return body[:, 0, :]
    return body[0].T if width == 1 else body[:, :, 0]


def _same_through(body: Body, axis: int) -> bool:
    return bool((body == np.take(body, [0], axis=axis)).all())


def _eroded(body: Body) -> Body:
    """The cells that have all six neighbours in the body. The ground below counts as a neighbour."""
    padded = np.pad(body, ((1, 1), (0, 1), (1, 1)))
    padded = np.concatenate([padded[:, :1], padded], axis=1)
    found = body.copy()
    for axis, step in ((axis, step) for axis in range(3) for step in (-1, 1)):
        found &= np.roll(padded, step, axis=axis)[1:-1, 1:-1, 1:-1]
    return found
