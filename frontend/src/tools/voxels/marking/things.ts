/**
 * The things of a scene: blocks that hang together, without the ground. Pure.
 *
 * Blocks that share a face hang together. Pieces that only meet at an edge or a corner hang together where the thing
 * needs it: both have the same material there, and one of them is nowhere thicker than a block, as the pieces of a ring
 * are. Two solid cubes that meet at an edge stay two things.
 */

import { cellOf, indexOf, type Cell } from "../../../world/frame";
import { enclosed, isInSight, refusalAt, type Field, type Selection, type Target } from "./selection";

/** The cells of one thing, as flat indices. */
export type Thing = readonly number[];

interface Things {
  /** The largest reading of all, from one block to the things that it belongs to, by flat index. */
  readings: (index: number) => readonly Thing[];
  all: readonly Thing[];
}

type Step = readonly [x: number, y: number, z: number];

/** The steps to the 13 neighbours that come later in each pair of neighbours, faces first. */
const STEPS: readonly Step[] = [-1, 0, 1]
  .flatMap((x) => [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((z): Step => [x, y, z])))
  .filter(([x, y, z]) => x > 0 || (x === 0 && (y > 0 || (y === 0 && z > 0))));
const sharesFace = ([x, y, z]: Step): boolean => Math.abs(x) + Math.abs(y) + Math.abs(z) === 1;
/** Pieces with a gap of one block between them hang together in the largest reading. */
const NEAR = 2;

const known = new WeakMap<Field["grid"], { field: Field; things: Things }>();

/** The things that are in sight. Found once for each cut of a scene. */
export function thingsOf(field: Field): Things {
  const last = known.get(field.grid);
  if (last && last.field.cut === field.cut && last.field.isGroundHidden === field.isGroundHidden) return last.things;
  const things = find(field);
  known.set(field.grid, { field, things });
  return things;
}

/** The sets of blocks that a block may stand for, the smallest first, each larger than the one before. */
export function readingsAt(field: Field, at: Cell): readonly Thing[] {
  return thingsOf(field).readings(indexOf(field.grid.size, ...at));
}

/** The marks that there are, and whether cells are to be marked or unmarked. */
export interface Taken {
  marks?: ReadonlySet<number>;
  act?: "mark" | "unmark";
}

/**
 * The thing at a block: its first reading that is not marked yet, so that a second use takes the next larger one; to
 * unmark, the largest that is marked. In air, the hole or doorway.
 */
export function thingAt(field: Field, target: Target, at: Cell, { marks, act = "mark" }: Taken = {}): Selection {
  const refused = refusalAt(field, target, at);
  if (refused) return { refused };
  if (target === "air") return enclosed(field, at);
  const readings = readingsAt(field, at);
  const [first] = readings;
  if (!first) return { refused: "is_ground" };
  const isMarked = (thing: Thing): boolean => marks !== undefined && thing.every((index) => marks.has(index));
  const found = act === "mark" ? readings.findIndex((thing) => !isMarked(thing)) : readings.findLastIndex(isMarked);
  const index = found < 0 ? (act === "mark" ? readings.length - 1 : 0) : found;
  return {
    cells: readings[index] ?? first,
    lot: first,
    isLarger: index > 0,
    hasLarger: index + 1 < readings.length,
  };
}

function find(field: Field): Things {
  const { grid, ground } = field;
  const { size } = grid;
  const cells: number[] = [];
  grid.each((x, y, z) => {
    const index = indexOf(size, x, y, z);
    if (!ground.has(index) && isInSight(field, [x, y, z])) cells.push(index);
  });
  const places = new Map(cells.map((index, place) => [index, place]));
  const placeAt = (x: number, y: number, z: number): number =>
    x < 0 || y < 0 || z < 0 || x >= size[0] || y >= size[1] || z >= size[2]
      ? -1
      : (places.get(indexOf(size, x, y, z)) ?? -1);
  const byFaces = new Union(cells.length);
  const byCorners: (readonly [place: number, other: number])[] = [];
  const thick = new Set<number>();
  cells.forEach((index, place) => {
    const [x, y, z] = cellOf(size, index);
    for (const step of STEPS) {
      const other = placeAt(x + step[0], y + step[1], z + step[2]);
      if (other < 0) continue;
      if (sharesFace(step)) byFaces.join(place, other);
      else byCorners.push([place, other]);
    }
    if (SOLID.every(([dx, dy, dz]) => placeAt(x + dx, y + dy, z + dz) >= 0)) thick.add(place);
  });
  const solid = new Set([...thick].map((place) => byFaces.of(place)));
  const asThings = byFaces.copy();
  const asAll = byFaces.copy();
  for (const [place, other] of byCorners) {
    asAll.join(place, other);
    const isThin = !solid.has(byFaces.of(place)) || !solid.has(byFaces.of(other));
    if (isThin && idAt(grid, size, cells[place]) === idAt(grid, size, cells[other])) asThings.join(place, other);
  }
  const wide = asAll.copy();
  if (cells.length <= MOST_FOR_GAPS) {
    cells.forEach((index, place) => {
      const [x, y, z] = cellOf(size, index);
      for (let dx = 0; dx <= NEAR; dx += 1)
        for (let dy = -NEAR; dy <= NEAR; dy += 1)
          for (let dz = -NEAR; dz <= NEAR; dz += 1) {
            const other = placeAt(x + dx, y + dy, z + dz);
            if (other >= 0) wide.join(place, other);
          }
    });
  }
  const levels = [asThings, asAll, wide].map((union) => ({ union, sets: union.sets(cells) }));
  return {
    all: [...(levels[0]?.sets.values() ?? [])],
    readings: (index) => {
      const place = places.get(index);
      if (place === undefined) return [];
      const found: Thing[] = [];
      for (const { union, sets } of levels) {
        const set = sets.get(union.of(place)) ?? [];
        if (set.length > (found.at(-1)?.length ?? 0)) found.push(set);
      }
      return found;
    },
  };
}

/** Above this many blocks a scene is a landscape, where gaps of one block join everything. */
const MOST_FOR_GAPS = 20_000;
const SOLID: readonly Step[] = [0, 1].flatMap((x) => [0, 1].flatMap((y) => [0, 1].map((z): Step => [x, y, z])));

const idAt = (grid: Field["grid"], size: Cell, index: number | undefined): number =>
  index === undefined ? 0 : grid.get(...cellOf(size, index));

/** Disjoint sets of places. */
class Union {
  constructor(
    count: number,
    private readonly above = Int32Array.from({ length: count }, (_, place) => place),
  ) {}

  of(place: number): number {
    let top = place;
    while (this.above[top] !== top) top = this.above[top] as number;
    let at = place;
    while (at !== top) {
      const next = this.above[at] as number;
      this.above[at] = top;
      at = next;
    }
    return top;
  }

  join(a: number, b: number): void {
    const [one, other] = [this.of(a), this.of(b)];
    if (one !== other) this.above[Math.max(one, other)] = Math.min(one, other);
  }

  copy(): Union {
    return new Union(this.above.length, this.above.slice());
  }

  /** The cells of each set, by its top place. */
  sets(cells: readonly number[]): Map<number, number[]> {
    const found = new Map<number, number[]>();
    cells.forEach((index, place) => {
      const top = this.of(place);
      const set = found.get(top);
      if (set) set.push(index);
      else found.set(top, [index]);
    });
    return found;
  }
}
