/** The part of a scene that a picture begins with: what stands on the ground or is dug into it, and the figures. */

import { feetOf, indexOf, wholeOf, type Box, type Cell, type Pose } from "./frame";
import type { Grid } from "./grid";

/** The columns of ground that are kept around it. */
const AROUND = 2;
/** The ground is cut away only if at most this share of the columns is left. */
const WORTH = 0.8;

/** The box to begin with; all of the scene if there is no ground beside the things, or too little of it. */
export function interestOf(grid: Grid, ground: ReadonlySet<number>, poses: readonly (Pose | null)[]): Box {
  const whole = wholeOf(grid.size);
  if (ground.size === 0) return whole;
  const { size } = grid;
  const low: [number, number] = [Infinity, Infinity];
  const high: [number, number] = [-Infinity, -Infinity];
  const see = (x: number, z: number): void => {
    low[0] = Math.min(low[0], x);
    low[1] = Math.min(low[1], z);
    high[0] = Math.max(high[0], x);
    high[1] = Math.max(high[1], z);
  };
  const tops = new Map<number, number>();
  for (const index of ground) {
    const column = Math.floor(index / (size[1] * size[2])) * size[2] + (index % size[2]);
    tops.set(column, Math.max(tops.get(column) ?? -1, Math.floor(index / size[2]) % size[1]));
  }
  const usual = mostCommon(tops.values());
  for (let x = 0; x < size[0]; x += 1)
    for (let z = 0; z < size[2]; z += 1) if ((tops.get(x * size[2] + z) ?? -1) !== usual) see(x, z);
  grid.each((x, y, z) => {
    if (!ground.has(indexOf(size, x, y, z))) see(x, z);
  });
  if (low[0] > high[0]) return whole;
  for (const pose of poses) {
    if (!pose) continue;
    const [x, , z] = feetOf(pose).map(Math.floor) as unknown as Cell;
    if (x >= 0 && z >= 0 && x < size[0] && z < size[2]) see(x, z);
  }
  const from = (axis: 0 | 1): number => Math.max(0, low[axis] - AROUND);
  const to = (axis: 0 | 1, last: number): number => Math.min(last, high[axis] + AROUND);
  const box: Box = {
    low: [from(0), 0, from(1)],
    high: [to(0, whole.high[0]), whole.high[1], to(1, whole.high[2])],
  };
  const columns = (box.high[0] - box.low[0] + 1) * (box.high[2] - box.low[2] + 1);
  return columns <= WORTH * size[0] * size[2] ? box : whole;
}

function mostCommon(values: Iterable<number>): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), [-1, 0])[0] ?? -1;
}
