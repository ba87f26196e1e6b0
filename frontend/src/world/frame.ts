/** The voxel coordinates: where blocks are, and how poses point. Twin: @lib/voxels, over one table. */

import table from "@lib/voxels/table.json";

/** x, y, z; y is up. The block fills [x, x+1) × [y, y+1) × [z, z+1). */
export type Cell = readonly [number, number, number];

/**
 * x, y, z is the cell of the feet, with fractions. Degrees: yaw 0 looks along +z and grows to the left, pitch grows
 * upwards.
 */
export interface Pose {
  x: number;
  y: number;
  z: number;
  pitch: number;
  yaw: number;
}

export interface Scene {
  size: Cell;
  /** x, y, z, id; air is not listed. */
  blocks: readonly (readonly [number, number, number, number])[];
  agent: Pose | null;
  player: Pose | null;
}

/** Both corners are included. */
export interface Box {
  low: Cell;
  high: Cell;
}

export const AIR = 0;

/** Length of a chunk's side in blocks. */
export const CHUNK = table.chunk;

/** The outward steps of the six faces, by number. */
export const FACES = table.faces as readonly (readonly number[])[] as readonly Cell[];

export const EYES = table.pose.eyes;

const RADIANS = Math.PI / 180;

export function indexOf(size: Cell, x: number, y: number, z: number): number {
  return (x * size[1] + y) * size[2] + z;
}

export function cellOf(size: Cell, index: number): Cell {
  const column = Math.floor(index / size[2]);
  return [Math.floor(column / size[1]), column % size[1], index % size[2]];
}

export function contains(size: Cell, x: number, y: number, z: number): boolean {
  return x >= 0 && y >= 0 && z >= 0 && x < size[0] && y < size[1] && z < size[2];
}

export function isWithin(box: Box, x: number, y: number, z: number): boolean {
  const { low, high } = box;
  return x >= low[0] && x <= high[0] && y >= low[1] && y <= high[1] && z >= low[2] && z <= high[2];
}

export function wholeOf(size: Cell): Box {
  return { low: [0, 0, 0], high: [size[0] - 1, size[1] - 1, size[2] - 1] };
}

/** The view direction as a unit vector. */
export function gaze(pose: Pick<Pose, "yaw" | "pitch">): Cell {
  const yaw = pose.yaw * RADIANS;
  const pitch = pose.pitch * RADIANS;
  return [Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch)];
}

/** The point between the feet of a figure. */
export function feetOf(pose: Pose): Cell {
  const [x, y, z] = table.pose.feet as unknown as Cell;
  return [pose.x + x, pose.y + y, pose.z + z];
}

export function eyesOf(pose: Pose): Cell {
  const [x, y, z] = feetOf(pose);
  return [x, y + EYES, z];
}
