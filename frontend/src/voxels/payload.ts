/** What the server hands over for one scene, and what is given back (CONTRACT section 5). */

import type { Schemas } from "../shared/schemas";
import type { Camera } from "../world/camera";
import type { Scene } from "../world/frame";

/** Without a phrase the worker is asked for one. */
export interface Payload {
  scene: Scene;
  phrase?: string;
}

/** Voxels are sorted by x, y, z; air may be among them. */
export type Answer = { voxels: readonly (readonly [number, number, number])[] } | { absent: true } | { phrase: string } | { nothing: true };

/** What autosave keeps: our own shape, the server stores it as it is. */
export interface Draft {
  /** Runs of flat indices: runs.ts. */
  marks: string;
  /** It is not there, or nothing is. */
  absent: boolean;
  tool: string;
  camera: Camera | null;
  /** Of the stage that asks for a phrase. */
  text: string;
  active_s: number;
  saved_at: string;
}

/** An assignment as the API gives it, with what the voxel tool puts into it. */
export type Claim = Omit<Schemas["AssignmentAnswer"], "payload" | "draft"> & {
  payload: Payload;
  draft: Partial<Draft> | null;
};
