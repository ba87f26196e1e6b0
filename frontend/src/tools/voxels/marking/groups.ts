/** The marks as a list: one entry for each connected group of one material. Pure. */

import { AIR, cellOf, contains, indexOf, type Cell } from "../../../world/frame";
import type { Grid } from "../../../world/grid";
import { material } from "../../../world/palette";

export interface Group {
  /** Stays the same while the cells do. */
  key: string;
  /** 0: air. */
  id: number;
  cells: readonly number[];
}

/** The steps to the 26 neighbours: a ring whose pieces meet at edges is one entry. */
const AROUND: readonly Cell[] = [-1, 0, 1]
  .flatMap((x) => [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((z): Cell => [x, y, z])))
  .filter(([x, y, z]) => x !== 0 || y !== 0 || z !== 0);

/** Above this many marks the groups are formed by material only: nobody reads more entries. */
export const MOST_TOLD_APART = 10_000;

/** The largest group first. */
export function groupsOf(grid: Grid, marks: ReadonlySet<number>): Group[] {
  const groups = marks.size > MOST_TOLD_APART ? byMaterial(grid, marks) : byTouch(grid, marks);
  return groups.sort((a, b) => b.cells.length - a.cells.length || (a.cells[0] ?? 0) - (b.cells[0] ?? 0));
}

function byMaterial(grid: Grid, marks: ReadonlySet<number>): Group[] {
  const found = new Map<number, number[]>();
  for (const index of marks) {
    const id = grid.get(...cellOf(grid.size, index));
    const cells = found.get(id);
    if (cells) cells.push(index);
    else found.set(id, [index]);
  }
  return [...found].map(([id, cells]) => ({ key: `all-${id}`, id, cells }));
}

function byTouch(grid: Grid, marks: ReadonlySet<number>): Group[] {
  const { size } = grid;
  const seen = new Set<number>();
  const found: Group[] = [];
  for (const first of marks) {
    if (seen.has(first)) continue;
    seen.add(first);
    const id = grid.get(...cellOf(size, first));
    const cells = [first];
    // The list grows during the loop.
    for (const index of cells) {
      const [x, y, z] = cellOf(size, index);
      for (const [dx, dy, dz] of AROUND) {
        const next: Cell = [x + dx, y + dy, z + dz];
        if (!contains(size, ...next)) continue;
        const beside = indexOf(size, ...next);
        if (!marks.has(beside) || seen.has(beside) || grid.get(...next) !== id) continue;
        seen.add(beside);
        cells.push(beside);
      }
    }
    found.push({ key: `${id}-${Math.min(...sample(cells))}-${cells.length}`, id, cells });
  }
  return found;
}

// Spreading a long list into arguments would overflow the stack.
const sample = (cells: readonly number[]): readonly number[] => cells.slice(0, 100);

export const nameOf = (id: number): string => (id === AIR ? "air" : material(id).name.toLowerCase());

/** The centre of some cells, for the camera. */
export function centreOf(size: Cell, cells: readonly number[]): Cell {
  let [sumX, sumY, sumZ] = [0, 0, 0];
  for (const index of cells) {
    const [x, y, z] = cellOf(size, index);
    sumX += x;
    sumY += y;
    sumZ += z;
  }
  const count = Math.max(1, cells.length);
  return [sumX / count + 0.5, sumY / count + 0.5, sumZ / count + 0.5];
}

export interface Counts {
  blocks: number;
  air: number;
}

const counted = new WeakMap<ReadonlySet<number>, Counts>();

/** How many blocks and how many cells of air. Counted once for each set, which must not change. */
export function countsOf(grid: Grid, marks: ReadonlySet<number>): Counts {
  const known = counted.get(marks);
  if (known) return known;
  let air = 0;
  for (const index of marks) if (grid.get(...cellOf(grid.size, index)) === AIR) air += 1;
  const counts = { blocks: marks.size - air, air };
  counted.set(marks, counts);
  return counts;
}
