/** Data from the server about a scene and its masks (its twin is `web/staff/review/scene_picture.py`). */

import type { Scene } from "../../world/frame";

export interface LayerData {
  /** `consensus`, `proposed`, `agent`, `truth-1`, `answer-3`. */
  id: string;
  name: string;
  /** Runs of flat indices; see `tools/voxels/marking/runs.ts`. */
  cells: string;
  count: number;
}

/** The voxels that have more than `above` and at most `up_to` percent of the weight behind them. */
export interface StepData {
  above: number;
  up_to: number;
  cells: string;
  count: number;
}

export interface MasksData {
  scene: Scene;
  /** The address of a still picture, which the page shows without scripts. */
  still: string;
  /** Empty in projects where objects are named. */
  phrase: string;
  layers: LayerData[];
  /** From the lowest share to the highest. */
  steps: StepData[];
}
