/**
 * The blocks of a scene in chunks of 16³. Only chunks with blocks are stored, so wide and nearly empty scenes are
 * cheap.
 */

import { AIR, CHUNK, contains, type Box, type Cell, type Scene } from "./frame";

const LAST = CHUNK - 1;
const BITS = Math.log2(CHUNK);

// 256 blocks are 16 chunks along an axis; the neighbour beyond an edge must not get the key of another chunk.
const KEY_SIDE = 32;

export interface Chunk {
  /** The position of the chunk in chunks; its first block is at CHUNK times this. */
  readonly at: Cell;
  /** Ids by (x * CHUNK + y) * CHUNK + z within the chunk. */
  readonly ids: Uint8Array;
  /** Changes whenever a block in the chunk or one that touches it changes, and never repeats. */
  version: number;
  /** How many blocks are in it. */
  count: number;
}

export class Grid {
  readonly size: Cell;
  private readonly chunks = new Map<number, Chunk>();
  private version = 0;

  constructor(size: Cell) {
    this.size = size;
  }

  static of(scene: Pick<Scene, "size" | "blocks">): Grid {
    const grid = new Grid(scene.size);
    for (const [x, y, z, id] of scene.blocks) grid.set(x, y, z, id);
    return grid;
  }

  /** The id; 0 for air and outside. */
  get(x: number, y: number, z: number): number {
    if (!contains(this.size, x, y, z)) return AIR;
    const chunk = this.chunks.get(keyOf(x >> BITS, y >> BITS, z >> BITS));
    return chunk ? (chunk.ids[placeOf(x, y, z)] as number) : AIR;
  }

  /** Throws RangeError outside of the grid. */
  set(x: number, y: number, z: number, id: number): void {
    if (!contains(this.size, x, y, z))
      throw new RangeError(`${x}, ${y}, ${z} lies outside of ${this.size.join(" × ")}`);
    const key = keyOf(x >> BITS, y >> BITS, z >> BITS);
    let chunk = this.chunks.get(key);
    if (!chunk) {
      if (id === AIR) return;
      chunk = { at: [x >> BITS, y >> BITS, z >> BITS], ids: new Uint8Array(CHUNK ** 3), version: 0, count: 0 };
      this.chunks.set(key, chunk);
    }
    const place = placeOf(x, y, z);
    const before = chunk.ids[place] as number;
    if (before === id) return;
    chunk.ids[place] = id;
    chunk.count += Number(id !== AIR) - Number(before !== AIR);
    chunk.version = ++this.version;
    if (chunk.count === 0) this.chunks.delete(key);
    // Changing one colour to another exposes nothing of the neighbours.
    if ((id === AIR) === (before === AIR)) return;
    this.touch(key, x & LAST, KEY_SIDE * KEY_SIDE);
    this.touch(key, y & LAST, KEY_SIDE);
    this.touch(key, z & LAST, 1);
  }

  /** The number of blocks by id. */
  counts(): Map<number, number> {
    const found = new Map<number, number>();
    this.each((_x, _y, _z, id) => found.set(id, (found.get(id) ?? 0) + 1));
    return found;
  }

  /** Visits each block once, chunk by chunk. */
  each(seen: (x: number, y: number, z: number, id: number) => void): void {
    for (const { at, ids } of this.chunks.values()) {
      for (let place = 0; place < ids.length; place++) {
        const id = ids[place] as number;
        if (id === AIR) continue;
        seen(
          at[0] * CHUNK + (place >> (2 * BITS)),
          at[1] * CHUNK + ((place >> BITS) & LAST),
          at[2] * CHUNK + (place & LAST),
          id,
        );
      }
    }
  }

  /** The smallest box with all blocks; null if there are none. */
  extent(): Box | null {
    const low: [number, number, number] = [Infinity, Infinity, Infinity];
    const high: [number, number, number] = [-Infinity, -Infinity, -Infinity];
    this.each((x, y, z) => {
      if (x < low[0]) low[0] = x;
      if (y < low[1]) low[1] = y;
      if (z < low[2]) low[2] = z;
      if (x > high[0]) high[0] = x;
      if (y > high[1]) high[1] = y;
      if (z > high[2]) high[2] = z;
    });
    return low[0] > high[0] ? null : { low, high };
  }

  /** The chunks with blocks, by a key that stays the same. */
  kept(): ReadonlyMap<number, Chunk> {
    return this.chunks;
  }

  /** Updates the neighbouring chunk if the place is on the border of this chunk. */
  private touch(key: number, place: number, stride: number): void {
    if (place !== 0 && place !== LAST) return;
    const chunk = this.chunks.get(place === 0 ? key - stride : key + stride);
    if (chunk) chunk.version = ++this.version;
  }
}

function keyOf(x: number, y: number, z: number): number {
  return (x * KEY_SIDE + y) * KEY_SIDE + z;
}

function placeOf(x: number, y: number, z: number): number {
  return ((((x & LAST) << BITS) | (y & LAST)) << BITS) | (z & LAST);
}
