/** Data from the server for one scene, and what is sent back (CONTRACT section 5). */

import type { ClaimOf } from "../../work/api";
import type { Camera } from "../../world/camera";
import type { Scene } from "../../world/frame";

/** Without a phrase the worker is asked for one. */
export interface Payload {
  scene: Scene;
  phrase?: string;
}

/** Voxels are sorted by x, y, z, and may include air. */
export type Answer =
  | { voxels: readonly (readonly [number, number, number])[] }
  | { absent: true }
  | { phrase: string }
  | { nothing: true };

/** The content of a draft. The server stores it as it is. */
export interface Draft {
  /** Runs of flat indices: see marking/runs.ts. */
  marks: string;
  /** "It is not there", or "there is nothing here". */
  absent: boolean;
  tool: string;
  camera: Camera | null;
  /** Only where a phrase is asked for. */
  text: string;
  active_s: number;
  saved_at: string;
}

/** An assignment as the API gives it, with the payload of the voxel tool. */
export type Claim = ClaimOf<Payload, Partial<Draft> | null>;
