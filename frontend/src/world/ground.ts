/** Finds the ground, so that a page can hide it. */

import { indexOf } from "./frame";
import type { Grid } from "./grid";

/** A layer belongs to the ground if more than this share of it is filled … */
const FILLED = 0.5;
/** … and then the ids that fill at least this share of it. */
const COMMON = 0.2;

/** Flat indices, from the lowest layer with a block upwards, until a layer is too empty. */
export function groundOf(grid: Grid): ReadonlySet<number> {
  const { size } = grid;
  const cells = size[0] * size[2];
  const layers = Array.from({ length: size[1] }, () => new Map<number, number[]>());
  grid.each((x, y, z, id) => {
    const layer = layers[y] as Map<number, number[]>;
    const index = indexOf(size, x, y, z);
    const found = layer.get(id);
    if (found) found.push(index);
    else layer.set(id, [index]);
  });
  const ground = new Set<number>();
  const lowest = layers.findIndex((layer) => layer.size > 0);
  for (const layer of lowest < 0 ? [] : layers.slice(lowest)) {
    const kinds = [...layer.values()];
    if (kinds.reduce((sum, indices) => sum + indices.length, 0) <= FILLED * cells) break;
    for (const indices of kinds) if (indices.length >= COMMON * cells) for (const index of indices) ground.add(index);
  }
  return ground;
}
