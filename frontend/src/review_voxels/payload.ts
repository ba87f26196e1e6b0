/** What the server tells of a scene and its masks (its twin is `annotation/staff/scene_picture.py`). */

import type { Scene } from "../world/frame";

export interface LayerData {
  /** `consensus`, `proposed`, `agent`, `truth-1`, `answer-3`. */
  id: string;
  name: string;
  /** Runs of flat indices; see `voxels/runs.ts`. */
  cells: string;
  count: number;
}

/** The voxels behind which more than `above` and at most `up_to` percent of the weight stand. */
export interface StepData {
  above: number;
  up_to: number;
  cells: string;
  count: number;
}

export interface MasksData {
  scene: Scene;
  /** Address of a picture that does not move; the page has it where no script runs. */
  still: string;
  /** Empty where objects are named. */
  phrase: string;
  layers: LayerData[];
  /** From the least sure to the surest. */
  steps: StepData[];
}
