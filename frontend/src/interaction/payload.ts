/** What the server hands over for one session, and what this browser keeps of it (CONTRACT section 5). */

import type { Schemas } from "../shared/schemas";
import type { Pose, Scene } from "../world/frame";

export interface Payload {
  world: Scene;
  /** The name of the agent; workers only know “the assistant”. */
  agent: string;
  capabilities: readonly string[];
  minimum_s: number;
  /** Ids of the blocks that the worker may place. */
  blocks: readonly number[];
}

/** What is handed in goes through the socket; the work API is never given an answer. */
export type Answer = Record<string, never>;

/** What the worker last wrote to a question in their own words. */
export interface Wrote {
  command: string;
  node: string;
  text: string;
}

/** What this browser keeps for itself: what was typed and not sent, and where the worker stands. */
export interface Draft {
  text: string;
  remark: string;
  wrote: Wrote | null;
  pose: Pose | null;
  active_s: number;
  saved_at: string;
}

export type Claim = Omit<Schemas["AssignmentAnswer"], "payload" | "draft"> & {
  payload: Payload;
  draft: unknown;
};
