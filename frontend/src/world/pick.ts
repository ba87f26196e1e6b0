/** Finds the first block on a ray, cell by cell (Amanatides and Woo 1987). */

import type { Box, Cell } from "./frame";

export interface Hit {
  cell: Cell;
  /**
   * The outward normal of the face that was hit; if the ray starts inside a block, the side opposite to its main
   * direction.
   */
  face: Cell;
}

/** The direction may have any length. Cells outside of the box are never hit. */
export function pick(
  isSolid: (x: number, y: number, z: number) => boolean,
  box: Box,
  origin: Cell,
  direction: Cell,
): Hit | null {
  // Where the ray enters the box, and through which side.
  let enter = 0;
  let leave = Infinity;
  let axis = -1;
  for (let one = 0; one < 3; one++) {
    const from = origin[one] as number;
    const step = direction[one] as number;
    const low = box.low[one] as number;
    const high = (box.high[one] as number) + 1;
    if (step === 0) {
      if (from < low || from >= high) return null;
      continue;
    }
    const near = ((step > 0 ? low : high) - from) / step;
    if (near > enter) {
      enter = near;
      axis = one;
    }
    leave = Math.min(leave, ((step > 0 ? high : low) - from) / step);
  }
  if (enter >= leave) return null;
  if (axis < 0) axis = steepest(direction);

  const cell: [number, number, number] = [0, 0, 0];
  const ahead: [number, number, number] = [Infinity, Infinity, Infinity];
  const across: [number, number, number] = [Infinity, Infinity, Infinity];
  for (let one = 0; one < 3; one++) {
    const from = origin[one] as number;
    const step = direction[one] as number;
    const at = Math.floor(from + step * enter);
    // Rounding may put the entry point just outside of the box.
    cell[one] = Math.min(Math.max(at, box.low[one] as number), box.high[one] as number);
    if (step === 0) continue;
    ahead[one] = ((cell[one] as number) + (step > 0 ? 1 : 0) - from) / step;
    across[one] = 1 / Math.abs(step);
  }
  for (;;) {
    if (isSolid(...cell)) {
      const face: [number, number, number] = [0, 0, 0];
      face[axis] = (direction[axis] as number) > 0 ? -1 : 1;
      return { cell, face };
    }
    axis = ahead[0] < ahead[1] ? (ahead[0] < ahead[2] ? 0 : 2) : ahead[1] < ahead[2] ? 1 : 2;
    const next = (cell[axis] as number) + ((direction[axis] as number) > 0 ? 1 : -1);
    if (next < (box.low[axis] as number) || next > (box.high[axis] as number)) return null;
    cell[axis] = next;
    ahead[axis] = (ahead[axis] as number) + (across[axis] as number);
  }
}

function steepest(direction: Cell): number {
  const [x, y, z] = direction.map(Math.abs) as unknown as Cell;
  return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}
