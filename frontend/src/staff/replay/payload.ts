/** Data from the server about a session (its twin is `web/staff/sessions/events.py`). */

import type { WorkerBodies as Sent, Found, OtherBodies } from "../../tools/interaction/connection/wire";
import type { Scene } from "../../world/frame";

export type { Corners, Found, Progress, Scoring } from "../../tools/interaction/connection/wire";

export interface Page {
  /** The world at the start of the session; only on the first page. */
  scene?: Scene;
  events: readonly Event[];
  /** More events exist already. */
  has_more: boolean;
  has_ended: boolean;
}

export type From = "worker" | "agent" | "server";

export interface Question {
  command: string;
  node: string;
  ask: string;
  help?: string | null;
  choices: readonly { label: string }[];
}

/** Some messages carry more in the log than on the worker's page. */
interface Bodies extends Sent, Omit<OtherBodies, "parse" | "objects" | "question"> {
  /** `words` is the form as a sentence. */
  parse: { command: string; form: object; version?: string | null; words: string };
  objects: { command: string } & Found;
  question: Question;
}

export type Kind = keyof Bodies;

/** One event of the log. */
export type Event = { [K in Kind]: { seq: number; from: From; type: K; body: Bodies[K]; at: string } }[Kind];
