/** What the server tells of a session (its twin is `interaction/staff/events.py`). */

import type { Bodies as Sent, Found, Told } from "../interaction/wire";
import type { Scene } from "../world/frame";

export type { Corners, Found, Progress, Scoring } from "../interaction/wire";

export interface Page {
  /** The world that the session began in; with the first page only. */
  scene?: Scene;
  events: readonly Event[];
  /** There are more events already. */
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

/** The log has more of some messages than the worker's page is told of. */
interface Bodies extends Sent, Omit<Told, "parse" | "objects" | "question"> {
  /** `words` is the form as a sentence. */
  parse: { command: string; form: object; version?: string | null; words: string };
  objects: { command: string } & Found;
  question: Question;
}

export type Kind = keyof Bodies;

/** One line of the log. */
export type Event = { [K in Kind]: { seq: number; from: From; type: K; body: Bodies[K]; at: string } }[Kind];
