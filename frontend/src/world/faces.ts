/** The outer faces of a painted set of voxels, blocks and air alike. */

import { FACES, isWithin, type Cell } from "./frame";
import { CORNERS, MESH_WIDTH, type Shown } from "./mesh";

/**
 * How the surface continues across a side of a face: in the same plane, round the edge, or against another face of the
 * set.
 */
export const ON = 0;
export const ROUND = 1;
export const AGAINST = 2;

/** The two axes of a face, in the order x, y, z. */
export function axesOf(face: number): [first: number, second: number] {
  const axis = face >> 1;
  return [axis === 0 ? 1 : 0, axis === 2 ? 1 : 2];
}

export class CellSet {
  private readonly bits: Uint32Array;
  private readonly size: Cell;

  constructor(size: Cell) {
    this.size = size;
    this.bits = new Uint32Array(Math.ceil((size[0] * size[1] * size[2]) / 32));
  }

  /** Adds an index; returns whether it is new. */
  add(index: number): boolean {
    const before = this.bits[index >> 5] as number;
    const after = before | (1 << (index & 31));
    this.bits[index >> 5] = after;
    return before !== after;
  }

  has(x: number, y: number, z: number): boolean {
    const { size } = this;
    if (x < 0 || y < 0 || z < 0 || x >= size[0] || y >= size[1] || z >= size[2]) return false;
    const index = (x * size[1] + y) * size[2] + z;
    return ((this.bits[index >> 5] as number) & (1 << (index & 31))) !== 0;
  }
}

/**
 * Four corners for each face, as in `meshOf`; the fourth number is face | corner << 3 | sides << 5. Sides has two bits
 * each for the low and high side along the face's first axis, then along its second: ON, ROUND or AGAINST.
 */
export function facesOf(size: Cell, cells: Uint32Array, { box, hidden }: Shown): Uint16Array<ArrayBuffer> {
  const set = new CellSet(size);
  const seen: [number, number, number][] = [];
  for (const index of cells) {
    const column = Math.floor(index / size[2]);
    const x = Math.floor(column / size[1]);
    const y = column % size[1];
    const z = index % size[2];
    if (!isWithin(box, x, y, z) || hidden?.has(index)) continue;
    if (set.add(index)) seen.push([x, y, z]);
  }
  let corners = new Uint16Array(Math.max(seen.length, 16) * 2 * 4 * MESH_WIDTH);
  let length = 0;
  const at: [number, number, number] = [0, 0, 0];
  const isSet = (cell: Cell, face: number, axis: number, step: number): boolean => {
    // The cell beside this one along the axis, and one step out along the face.
    const out = FACES[face] as Cell;
    at[0] = cell[0] + out[0];
    at[1] = cell[1] + out[1];
    at[2] = cell[2] + out[2];
    at[axis] = (at[axis] as number) + step;
    return set.has(...at);
  };
  for (const cell of seen) {
    for (let face = 0; face < 6; face++) {
      if (isSet(cell, face, 0, 0)) continue;
      const axis = face >> 1;
      const [first, second] = axesOf(face);
      let sides = 0;
      for (let side = 0; side < 4; side++) {
        const along = side < 2 ? first : second;
        const step = side & 1 ? 1 : -1;
        if (isSet(cell, face, along, step)) sides |= AGAINST << (2 * side);
        else {
          at[0] = cell[0];
          at[1] = cell[1];
          at[2] = cell[2];
          at[along] = (at[along] as number) + step;
          if (!set.has(...at)) sides |= ROUND << (2 * side);
        }
      }
      if (length + 4 * MESH_WIDTH > corners.length) {
        const wider = new Uint16Array(corners.length * 2);
        wider.set(corners);
        corners = wider;
      }
      for (const corner of CORNERS[face] as readonly number[]) {
        corners[length + axis] = cell[axis as 0] + (face & 1 ? 0 : 1);
        corners[length + first] = cell[first as 0] + (corner & 1);
        corners[length + second] = cell[second as 0] + (corner >> 1);
        corners[length + 3] = face | (corner << 3) | (sides << 5);
        length += MESH_WIDTH;
      }
    }
  }
  return corners.slice(0, length);
}
