/** The masks of a scene as sets of flat indices, and the comparison of two masks. Pure. */

import { fromRuns } from "../../tools/voxels/marking/runs";
import type { MasksData } from "./payload";

export type Mask = ReadonlySet<number>;

export interface Layer {
  id: string;
  name: string;
  mask: Mask;
}

export interface Step {
  above: number;
  up_to: number;
  mask: Mask;
}

export interface Masks {
  layers: readonly Layer[];
  steps: readonly Step[];
}

export interface Compared {
  onlyA: number[];
  onlyB: number[];
  both: number[];
  /** Intersection over union, 0 to 1; 1 if both are empty, as in `lib/voxels/overlap.py`. */
  iou: number;
}

export function readMasks(data: MasksData): Masks {
  const [x, y, z] = data.scene.size;
  const read = (cells: string): Mask => fromRuns(cells, x * y * z);
  return {
    layers: data.layers.map(({ id, name, cells }) => ({ id, name, mask: read(cells) })),
    steps: data.steps.map(({ above, up_to, cells }) => ({ above, up_to, mask: read(cells) })),
  };
}

export function compare(a: Mask, b: Mask): Compared {
  const onlyA = [...a].filter((cell) => !b.has(cell));
  const both = [...a].filter((cell) => b.has(cell));
  const onlyB = [...b].filter((cell) => !a.has(cell));
  const either = onlyA.length + both.length + onlyB.length;
  return { onlyA, onlyB, both, iou: either === 0 ? 1 : both.length / either };
}
