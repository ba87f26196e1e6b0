/** Which part of a picture a change affects, so that only this part is drawn again. Pure. */

import { cellOf, type Box, type Cell } from "./frame";
import type { Matrix } from "./projection";

/** In pixels from the lower left of a view. */
export interface PixelRect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The smallest box around the cells (flat indices) that are in only one of the sets; null if the sets are equal. */
export function boxOfChange(size: Cell, before: Iterable<number>, after: Iterable<number>): Box | null {
  const gone = new Set(before);
  const low: [number, number, number] = [Infinity, Infinity, Infinity];
  const high: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  const take = (index: number): void => {
    for (const [axis, at] of cellOf(size, index).entries()) {
      low[axis] = Math.min(low[axis] as number, at);
      high[axis] = Math.max(high[axis] as number, at);
    }
  };
  for (const index of after) if (!gone.delete(index)) take(index);
  for (const index of gone) take(index);
  return low[0] > high[0] ? null : { low, high };
}

/**
 * The smallest rectangle around boxes of whole blocks in a view of so many pixels, with a border of `blocks` around
 * each box and of `pixels` around the whole. Null if they are beside the view or behind the camera; the whole view if a
 * box that may be visible reaches behind the camera.
 */
export function pixelRectOf(
  matrix: Matrix,
  boxes: readonly Box[],
  [width, height]: readonly [number, number],
  blocks: number,
  pixels: number,
): PixelRect | null {
  let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity];
  // A line beside the view may still reach into it.
  const [marginX, marginY] = [1 + (2 * pixels) / width, 1 + (2 * pixels) / height];
  for (const { low, high } of boxes) {
    let [boxLeft, boxBottom, boxRight, boxTop] = [Infinity, Infinity, -Infinity, -Infinity];
    let isBehind = false;
    // One bit for each plane of the view: set while all corners are beyond it.
    let beyond = LEFT_OF | RIGHT_OF | BELOW | ABOVE | BACK;
    for (let bits = 0; bits < 8; bits++) {
      const [x, y, z] = [0, 1, 2].map((axis) =>
        bits & (1 << axis) ? high[axis as 0] + 1 + blocks : low[axis as 0] - blocks,
      ) as [number, number, number];
      const along = (row: number): number =>
        (matrix[row] as number) * x +
        (matrix[row + 4] as number) * y +
        (matrix[row + 8] as number) * z +
        (matrix[row + 12] as number);
      const [a, b, w] = [along(0), along(1), along(3)];
      const [wide, tall] = [w * marginX, w * marginY];
      beyond &=
        (a < -wide ? LEFT_OF : 0) |
        (a > wide ? RIGHT_OF : 0) |
        (b < -tall ? BELOW : 0) |
        (b > tall ? ABOVE : 0) |
        (w < BEHIND ? BACK : 0);
      if (w < BEHIND) {
        isBehind = true;
        continue;
      }
      const [across, up] = [((a / w + 1) / 2) * width, ((b / w + 1) / 2) * height];
      boxLeft = Math.min(boxLeft, across);
      boxRight = Math.max(boxRight, across);
      boxBottom = Math.min(boxBottom, up);
      boxTop = Math.max(boxTop, up);
    }
    if (beyond !== 0) continue;
    if (isBehind) return { x: 0, y: 0, width, height };
    [left, bottom, right, top] = [
      Math.min(left, boxLeft),
      Math.min(bottom, boxBottom),
      Math.max(right, boxRight),
      Math.max(top, boxTop),
    ];
  }
  const x = Math.max(0, Math.floor(left - pixels));
  const y = Math.max(0, Math.floor(bottom - pixels));
  const part = {
    x,
    y,
    width: Math.min(width, Math.ceil(right + pixels)) - x,
    height: Math.min(height, Math.ceil(top + pixels)) - y,
  };
  return part.width > 0 && part.height > 0 ? part : null;
}

const BEHIND = 1e-3;
const [LEFT_OF, RIGHT_OF, BELOW, ABOVE, BACK] = [1, 2, 4, 8, 16] as const;

export function overlap(a: PixelRect, b: PixelRect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
