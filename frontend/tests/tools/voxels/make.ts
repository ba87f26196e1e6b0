/** Scenes to test with. */

import { indexOf, type Cell, type Scene } from "../../../src/world/frame";
import {
  begin,
  reduceMarking,
  type Before,
  type MarkAction,
  type Marking,
} from "../../../src/tools/voxels/marking/marking";
import type { Payload } from "../../../src/tools/voxels/payload";
import { initialState, reduce, type Action, type VoxelState } from "../../../src/tools/voxels/state";

export const GRASS = 8;
export const YELLOW = 50;
export const RED = 60;

type Block = readonly [number, number, number, number];

/** All blocks of a box, both corners included. */
export function box(low: Cell, high: Cell, id: number): Block[] {
  const found: Block[] = [];
  for (let x = low[0]; x <= high[0]; x += 1)
    for (let y = low[1]; y <= high[1]; y += 1) for (let z = low[2]; z <= high[2]; z += 1) found.push([x, y, z, id]);
  return found;
}

export const scene = (size: Cell, blocks: readonly Block[]): Scene => ({ size, blocks, agent: null, player: null });

/** A lawn one block deep, on it a tower of two colours, and away from it a single block. */
export const LAWN = scene(
  [6, 5, 6],
  [...box([0, 0, 0], [5, 0, 5], GRASS), ...box([1, 1, 1], [1, 2, 1], YELLOW), [1, 3, 1, RED], [4, 1, 4, YELLOW]],
);

export const at = (of: Scene, ...cells: Cell[]): number[] =>
  cells.map((cell) => indexOf(of.size, ...cell)).sort((a, b) => a - b);

export function marked(of: Scene, before: Before, ...actions: MarkAction[]): Marking {
  return actions.reduce(reduceMarking, begin(of, { tool: "one", ...before }));
}

export function atWork(payload: Payload, ...actions: Action[]): VoxelState {
  const begun = reduce(initialState(true), {
    type: "task",
    task: { assignment: "a", payload },
    before: { tool: "one" },
    text: "",
    lease_ends: 0,
  });
  return actions.reduce(reduce, begun);
}
