/** Small scenes for the tests of the world. */

import type { Cell } from "../../src/world/frame";
import { Grid } from "../../src/world/grid";

/** Numbers in [0, 1) that are the same each time (a linear congruential generator). */
export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A grid in which about that share of the cells is filled with one of three ids. */
export function speckled(size: Cell, share: number, seed: number): Grid {
  const grid = new Grid(size);
  const next = numbers(seed);
  for (let x = 0; x < size[0]; x++) {
    for (let y = 0; y < size[1]; y++)
      for (let z = 0; z < size[2]; z++) if (next() < share) grid.set(x, y, z, 1 + Math.floor(next() * 3));
  }
  return grid;
}

export function filled(size: Cell, low: Cell, high: Cell, id: number, grid = new Grid(size)): Grid {
  for (let x = low[0]; x <= high[0]; x++)
    for (let y = low[1]; y <= high[1]; y++) for (let z = low[2]; z <= high[2]; z++) grid.set(x, y, z, id);
  return grid;
}
