/** Data from the server for one session, and what this browser stores of it (CONTRACT section 5). */

import type { ClaimOf } from "../../work/api";
import type { Pose, Scene } from "../../world/frame";

export interface Payload {
  world: Scene;
  /** The name of the agent. Workers only see “the assistant”. */
  agent: string;
  capabilities: readonly string[];
  minimum_s: number;
  /** Ids of the blocks that the worker may place. */
  blocks: readonly number[];
}

/** The session is handed in through the socket, so the work API never gets an answer. */
export type Answer = Record<string, never>;

/** The worker's own words for a question, as far as they are written. */
export interface OwnWords {
  command: string;
  node: string;
  text: string;
}

/** Data that this browser stores: unsent text and the worker's position. */
export interface Draft {
  text: string;
  remark: string;
  wrote: OwnWords | null;
  pose: Pose | null;
  active_s: number;
  saved_at: string;
}

export type Claim = ClaimOf<Payload, unknown>;
