/** The visible faces of a chunk, merged into few rectangles of one block id each. */

import { AIR, CHUNK, type Box } from "./frame";
import type { Chunk, Grid } from "./grid";

/** The part of the grid that is shown. */
export interface Shown {
  box: Box;
  /** Flat indices that count as air. */
  hidden: ReadonlySet<number> | null;
}

const SIDE = CHUNK + 2;
const STRIDES = [SIDE * SIDE, SIDE, 1] as const;

/** The ids of a chunk with a border of one block; hidden blocks are air. */
const around = new Uint8Array(SIDE ** 3);
/** For each axis, which slices of the chunk have a block: most are empty in a sparse chunk. */
const filled = [new Uint8Array(SIDE), new Uint8Array(SIDE), new Uint8Array(SIDE)] as const;
const mask = new Uint8Array(CHUNK * CHUNK);

/** Numbers for each corner: x, y, z, and face | corner << 3 | id << 5. */
export const MESH_WIDTH = 4;

/** The corners of the two triangles of a rectangle. */
export const QUAD = [0, 1, 3, 0, 3, 2] as const;

/**
 * The order of a face's corners, so that triangles run counter-clockwise seen from outside: y × z is x, but x × z is
 * not y.
 */
export const CORNERS: readonly (readonly number[])[] = [0, 1, 1, 0, 0, 1].map((isTurned) =>
  isTurned ? [0, 2, 1, 3] : [0, 1, 2, 3],
);

let corners = new Uint16Array(4 * MESH_WIDTH * 1024);

/**
 * Four corners for each rectangle, which `QUAD` splits into two triangles. Bit 0 of a corner is set at the high end of
 * the face's first axis (in the order x, y, z), bit 1 at the high end of the second.
 */
export function meshOf(grid: Grid, chunk: Chunk, shown: Shown): Uint16Array<ArrayBuffer> {
  fillAround(grid, chunk, shown);
  const base = [chunk.at[0] * CHUNK, chunk.at[1] * CHUNK, chunk.at[2] * CHUNK] as const;
  let length = 0;
  for (let face = 0; face < 6; face++) {
    const axis = face >> 1;
    const isHigh = (face & 1) === 0;
    const first = axis === 0 ? 1 : 0;
    const second = axis === 2 ? 1 : 2;
    const step = isHigh ? STRIDES[axis as 0] : -STRIDES[axis as 0];
    for (let slice = 0; slice < CHUNK; slice++) {
      if (
        filled[axis as 0][slice + 1] === 0 ||
        !fillMask((slice + 1) * STRIDES[axis as 0], STRIDES[first], STRIDES[second], step)
      )
        continue;
      const level = (base[axis] as number) + slice + (isHigh ? 1 : 0);
      for (let v = 0; v < CHUNK; v++) {
        for (let u = 0; u < CHUNK;) {
          const id = mask[v * CHUNK + u] as number;
          if (id === AIR) {
            u++;
            continue;
          }
          const [wide, high] = take(u, v, id);
          if (length + 4 * MESH_WIDTH > corners.length) grow();
          for (const corner of CORNERS[face] as readonly number[]) {
            corners[length + axis] = level;
            corners[length + first] = base[first] + u + (corner & 1 ? wide : 0);
            corners[length + second] = base[second] + v + (corner & 2 ? high : 0);
            corners[length + 3] = face | (corner << 3) | (id << 5);
            length += MESH_WIDTH;
          }
          u += wide;
        }
      }
    }
  }
  return corners.slice(0, length);
}

function fillAround(grid: Grid, chunk: Chunk, { box, hidden }: Shown): void {
  const [x0, y0, z0] = [chunk.at[0] * CHUNK - 1, chunk.at[1] * CHUNK - 1, chunk.at[2] * CHUNK - 1];
  const [, height, depth] = grid.size;
  around.fill(AIR);
  for (const slices of filled) slices.fill(0);
  // Limited to the shown box, so that nothing outside of it is read.
  const [xFrom, yFrom, zFrom] = [Math.max(x0, box.low[0]), Math.max(y0, box.low[1]), Math.max(z0, box.low[2])];
  const [xTo, yTo, zTo] = [
    Math.min(x0 + SIDE - 1, box.high[0]),
    Math.min(y0 + SIDE - 1, box.high[1]),
    Math.min(z0 + SIDE - 1, box.high[2]),
  ];
  for (let x = xFrom; x <= xTo; x++) {
    const isXWithin = x > x0 && x <= x0 + CHUNK;
    for (let y = yFrom; y <= yTo; y++) {
      const isWithin = isXWithin && y > y0 && y <= y0 + CHUNK;
      const row = (x - x0) * STRIDES[0] + (y - y0) * STRIDES[1] - z0;
      const inner = ((x - x0 - 1) * CHUNK + (y - y0 - 1)) * CHUNK - z0 - 1;
      for (let z = zFrom; z <= zTo; z++) {
        const id = isWithin && z > z0 && z <= z0 + CHUNK ? (chunk.ids[inner + z] as number) : grid.get(x, y, z);
        if (id === AIR || hidden?.has((x * height + y) * depth + z)) continue;
        around[row + z] = id;
        filled[0][x - x0] = filled[1][y - y0] = filled[2][z - z0] = 1;
      }
    }
  }
}

function fillMask(from: number, strideU: number, strideV: number, step: number): boolean {
  let any = false;
  for (let v = 0; v < CHUNK; v++) {
    let at = from + strideU + (v + 1) * strideV;
    for (let u = 0; u < CHUNK; u++, at += strideU) {
      const id = around[at + step] === AIR ? (around[at] as number) : AIR;
      mask[v * CHUNK + u] = id;
      if (id !== AIR) any = true;
    }
  }
  return any;
}

/** Removes the widest, then highest rectangle of one id from the mask. */
function take(u: number, v: number, id: number): [wide: number, high: number] {
  let wide = 1;
  while (u + wide < CHUNK && mask[v * CHUNK + u + wide] === id) wide++;
  let high = 1;
  grow: for (; v + high < CHUNK; high++) {
    for (let one = 0; one < wide; one++) if (mask[(v + high) * CHUNK + u + one] !== id) break grow;
  }
  for (let row = v; row < v + high; row++) mask.fill(AIR, row * CHUNK + u, row * CHUNK + u + wide);
  return [wide, high];
}

function grow(): void {
  const wider = new Uint16Array(corners.length * 2);
  wider.set(corners);
  corners = wider;
}
