/** Line segments of the picture: the edges of boxes and the dashes of a gaze. */

import { along } from "./camera";
import { eyesOf, feetOf, gaze, type Box, type Cell, type Pose } from "./frame";

export type Stroke = readonly [from: Cell, to: Cell];

/** The twelve edges of a box of whole blocks, a little outside of it. */
export function edgesOf(box: Box, outside: number): Stroke[] {
  const low = box.low.map((one) => one - outside);
  const high = box.high.map((one) => one + 1 + outside);
  const corner = (bits: number): Cell =>
    [0, 1, 2].map((axis) => (bits & (1 << axis) ? high : low)[axis]) as unknown as Cell;
  const strokes: Stroke[] = [];
  for (let bits = 0; bits < 8; bits++) {
    for (let axis = 0; axis < 3; axis++)
      if (!(bits & (1 << axis))) strokes.push([corner(bits), corner(bits | (1 << axis))]);
  }
  return strokes;
}

/** Splits each stroke into dashes; it starts and ends with a dash. */
export function dashed(strokes: readonly Stroke[], dashes: number): Stroke[] {
  const pieces = 2 * dashes - 1;
  return strokes.flatMap(([from, to]) => {
    const reach: Cell = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
    return Array.from({ length: dashes }, (_, index): Stroke => [
      along(from, reach, (2 * index) / pieces),
      along(from, reach, (2 * index + 1) / pieces),
    ]);
  });
}

/** The gaze of a figure: dashes over a few blocks, starting in front of the eyes. */
export function sightOf(pose: Pose): Stroke[] {
  return dashed([gazeOf(pose)], 8);
}

/** The box of cells that contains a figure and its gaze. */
export function extentOf(pose: Pose): Box {
  const [x, y, z] = feetOf(pose);
  const [, end] = gazeOf(pose);
  const low = [x - 1, y, z - 1].map((one, axis) => Math.floor(Math.min(one, end[axis] as number))) as unknown as Cell;
  const high = [x + 1, y + 2, z + 1].map((one, axis) =>
    Math.floor(Math.max(one, end[axis] as number)),
  ) as unknown as Cell;
  return { low, high };
}

function gazeOf(pose: Pose): Stroke {
  const eyes = eyesOf(pose);
  const direction = gaze(pose);
  return [along(eyes, direction, 0.5), along(eyes, direction, 4.5)];
}
