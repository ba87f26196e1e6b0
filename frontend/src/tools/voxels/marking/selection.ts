/**
 * The cells that a tool selects, from one cell or between two. Pure: cells that are cut away or hidden are never
 * selected.
 */

import { contains, FACES, indexOf, isWithin, type Box, type Cell } from "../../../world/frame";
import type { Grid } from "../../../world/grid";

export type Target = "blocks" | "air";

/** The things that can be selected. */
export interface Field {
  grid: Grid;
  /** Flat indices. */
  ground: ReadonlySet<number>;
  /** The highest layer with ground; -1 if there is none. */
  surface: number;
  cut: Box;
  isGroundHidden: boolean;
}

/** Why nothing was selected. */
export type Refusal = "outside" | "not_a_block" | "not_air" | "out_of_sight" | "is_ground" | "open_air" | "too_many";

type IsOf = (x: number, y: number, z: number) => boolean;

/** `lot`: all cells from which this is selected, if it is not the selection itself. `isLarger`: not the first reading. */
export type Selection =
  { cells: readonly number[]; lot?: readonly number[]; isLarger?: boolean; hasLarger?: boolean } | { refused: Refusal };

/** The most cells of air that are filled; a larger space is no hole or doorway. */
export const MOST_AIR = 4_000;
/** The longest distance to the blocks on both sides of enclosed air. */
export const ENCLOSED_WITHIN = 8;
/** A stroke takes at most as many cells as a scene may have blocks. */
export const MOST_CELLS = 262_144;

export function surfaceOf(size: Cell, ground: Iterable<number>): number {
  let top = -1;
  for (const index of ground) top = Math.max(top, Math.floor(index / size[2]) % size[1]);
  return top;
}

/** Whether the cell is visible: inside the cut, and not hidden ground. */
export function isInSight(field: Field, [x, y, z]: Cell): boolean {
  return isSeen(field, x, y, z);
}

function isSeen(field: Field, x: number, y: number, z: number): boolean {
  const { size } = field.grid;
  if (!contains(size, x, y, z) || !isWithin(field.cut, x, y, z)) return false;
  return !(field.isGroundHidden && field.ground.has(indexOf(size, x, y, z)));
}

function isTarget(field: Field, target: Target, [x, y, z]: Cell): boolean {
  return (field.grid.get(x, y, z) !== 0) === (target === "blocks");
}

/** Why no tool can start here; null if one can. */
export function refusalAt(field: Field, target: Target, at: Cell): Refusal | null {
  if (!contains(field.grid.size, ...at)) return "outside";
  if (!isInSight(field, at)) return "out_of_sight";
  if (isTarget(field, target, at)) return null;
  return target === "blocks" ? "not_a_block" : "not_air";
}

export function one(field: Field, target: Target, at: Cell): Selection {
  const refused = refusalAt(field, target, at);
  return refused ? { refused } : { cells: [indexOf(field.grid.size, ...at)] };
}

export function boxOf(a: Cell, b: Cell): Box {
  return {
    low: [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.min(a[2], b[2])],
    high: [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.max(a[2], b[2])],
  };
}

/** All cells of the target between two corners, both included. Corners may be of either kind and may lie outside. */
export function between(field: Field, target: Target, a: Cell, b: Cell): Selection {
  const { size } = field.grid;
  const drawn = boxOf(a, b);
  const low = drawn.low.map((from, axis) => Math.max(from, field.cut.low[axis] ?? 0, 0)) as unknown as Cell;
  const high = drawn.high.map((to, axis) =>
    Math.min(to, field.cut.high[axis] ?? 0, (size[axis] ?? 0) - 1),
  ) as unknown as Cell;
  if (low.some((from, axis) => from > (high[axis] ?? 0))) return { refused: "out_of_sight" };
  const isBlocks = target === "blocks";
  const cells: number[] = [];
  for (let x = low[0]; x <= high[0]; x += 1)
    for (let y = low[1]; y <= high[1]; y += 1)
      for (let z = low[2]; z <= high[2]; z += 1) {
        if ((field.grid.get(x, y, z) !== 0) !== isBlocks) continue;
        const index = indexOf(size, x, y, z);
        if (field.isGroundHidden && field.ground.has(index)) continue;
        if (cells.length === MOST_CELLS) return { refused: "too_many" };
        cells.push(index);
      }
  if (cells.length === 0) return { refused: target === "blocks" ? "not_a_block" : "not_air" };
  return { cells };
}

/** A cube around a cell: 1, 3 or 5 wide for the sizes 1 to 3. The cell itself may be of the other kind. */
export function brush(field: Field, target: Target, at: Cell, size: number): Selection {
  if (!contains(field.grid.size, ...at)) return { refused: "outside" };
  if (!isInSight(field, at)) return { refused: "out_of_sight" };
  const by = size - 1;
  return between(field, target, [at[0] - by, at[1] - by, at[2] - by], [at[0] + by, at[1] + by, at[2] + by]);
}

/** Blocks of the same id, connected by faces; in air, the hole or doorway. */
export function flood(field: Field, target: Target, at: Cell): Selection {
  const refused = refusalAt(field, target, at);
  if (refused) return { refused };
  if (target === "air") return enclosed(field, at);
  const id = field.grid.get(...at);
  return { cells: spread(field, at, (x, y, z) => field.grid.get(x, y, z) === id) };
}

/** The hole or doorway that a cell of air belongs to. */
export function enclosed(field: Field, at: Cell): Selection {
  const isWalled: IsOf = (x, y, z) => field.grid.get(x, y, z) === 0 && isEnclosed(field, [x, y, z]);
  if (!isWalled(...at)) return { refused: "open_air" };
  const cells = spread(field, at, isWalled, MOST_AIR);
  return cells.length > MOST_AIR ? { refused: "open_air" } : { cells };
}

/** Air below the surface of the ground, or with a block on both sides along x or along z. */
export function isEnclosed({ grid, surface }: Field, [x, y, z]: Cell): boolean {
  if (y <= surface) return true;
  const isNear = (dx: number, dz: number): boolean => {
    for (let step = 1; step <= ENCLOSED_WITHIN; step += 1)
      if (grid.get(x + dx * step, y, z + dz * step) !== 0) return true;
    return false;
  };
  return (isNear(1, 0) && isNear(-1, 0)) || (isNear(0, 1) && isNear(0, -1));
}

/** All cells connected by faces for which `isOf` is true; more than `most` if there are more. */
function spread(field: Field, [x0, y0, z0]: Cell, isOf: IsOf, most = Number.POSITIVE_INFINITY): number[] {
  const { size } = field.grid;
  const [, sizeY, sizeZ] = size;
  const first = indexOf(size, x0, y0, z0);
  const seen = marksOver(size);
  seen.add(first);
  const found = [first];
  // The list grows during the loop. Coordinates are computed without arrays, because large scenes are filled while the
  // pointer moves.
  for (let at = 0; at < found.length && found.length <= most; at += 1) {
    const index = found[at] as number;
    const z = index % sizeZ;
    const column = (index - z) / sizeZ;
    const y = column % sizeY;
    const x = (column - y) / sizeY;
    for (const [dx, dy, dz] of FACES) {
      const [nx, ny, nz] = [x + dx, y + dy, z + dz];
      if (!isSeen(field, nx, ny, nz)) continue;
      const next = indexOf(size, nx, ny, nz);
      if (seen.has(next) || !isOf(nx, ny, nz)) continue;
      seen.add(next);
      found.push(next);
    }
  }
  return found;
}

/** The visited cells: one byte each if the scene is small enough, otherwise a set. */
function marksOver(size: Cell): { has: (index: number) => boolean; add: (index: number) => void } {
  const volume = size[0] * size[1] * size[2];
  if (volume > MOST_BYTES) {
    const set = new Set<number>();
    return { has: (index) => set.has(index), add: (index) => void set.add(index) };
  }
  const bytes = new Uint8Array(volume);
  return { has: (index) => bytes[index] === 1, add: (index) => void (bytes[index] = 1) };
}
const MOST_BYTES = 4_000_000;
