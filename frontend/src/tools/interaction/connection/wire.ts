/** The frames of the worker's socket (CONTRACT section 7). Twin: interaction/session/messages.py. */

import type { Money } from "../../../work/formats";
import type { Cell, Pose } from "../../../world/frame";

/** Messages of the worker, by type. */
export interface WorkerBodies {
  start: Record<string, never>;
  command: { id: string; text: string };
  stop: { command: string };
  pose: Pose;
  place: { at: Cell; block: number };
  destroy: { at: Cell };
  choose: { question: string; choice: number };
  mark: { command: string; node: string; choice: number; text?: string };
  back: { command: string };
  reflect: Reflection;
  finish: Record<string, never>;
}

export type Kind = keyof WorkerBodies;

/** A message of the worker without its number. */
export type Message = { [K in Kind]: { type: K; body: WorkerBodies[K] } }[Kind];

/** A numbered message, kept until the server has it. */
export type Numbered = Message & { cseq: number };

export interface Reflection {
  /** 1 to 7: how easy it was. */
  usability: number;
  /** 1 to 5: how well the worker did. */
  performance: number;
  feedback: string;
}

export interface Found {
  phrase: string;
  voxels: readonly Cell[];
}

/** One question of the decision tree. */
export interface Question {
  command: string;
  node: string;
  ask: string;
  help?: string | null;
  show: null | "parse" | "object";
  /** The agent's parse in words. */
  parse?: string | null;
  objects?: readonly Found[];
  choices: readonly { label: string; text?: boolean }[];
  can_go_back?: boolean;
}

/** A question of the agent itself. */
export interface Ask {
  question: string;
  text: string;
  choices: readonly string[];
  point?: Corners | null;
}

/** Two opposite corners, both included. */
export type Corners = readonly [Cell, Cell];

export type Colour = "red" | "amber" | "green";

/** The score of the session after a command was judged. */
export interface Scoring {
  command: string;
  /** 0 to 10, for the whole session so far. */
  score: number;
  colour: Colour;
  /** False if the command did not change the score; `advice` then gives the reason. */
  counted: boolean;
  advice: string;
  /** The bonus at this point; null if none is paid. */
  bonus: Money | null;
  /** The highest possible bonus. */
  most?: Money | null;
}

export type Progress = "received" | "thinking" | "acting" | "done" | "failed";

/** Messages of the agent and the server, by type. */
export interface OtherBodies {
  status: { command: string; state: Progress; reason?: string | null };
  parse: { command: string };
  objects: { command: string };
  blocks: { changes: readonly (readonly [number, number, number, number])[] };
  pose: Pose;
  say: { text: string };
  ask: Ask;
  point: { box: Corners };
  question: Question;
  outcome: { command: string; outcome: string };
  score: Scoring;
  clock: { elapsed_s: number; minimum_s: number };
  may_finish: { allowed: boolean };
  peer: { who: "agent" | "worker"; state: "here" | "away" };
  prompt: { text: string };
  closed: { reason: string };
}

interface Head {
  t: "event";
  seq: number;
  /** ISO time of the server. */
  at: string;
}

export type WorkerEvent = { [K in Kind]: Head & { from: "worker"; type: K; body: WorkerBodies[K] } }[Kind];
export type OtherEvent = {
  [K in keyof OtherBodies]: Head & { from: "agent" | "server"; type: K; body: OtherBodies[K] };
}[keyof OtherBodies];
/** One event of the session's log. */
export type Event = WorkerEvent | OtherEvent;

/** The state of the session when the server greets the page. */
export interface SessionState {
  phase: "before" | "running" | "ended";
  reason: string | null;
  elapsed_s: number;
  minimum_s: number;
  may_finish: boolean;
  agent: "waiting" | "here" | "away";
  evaluation: boolean;
  /** Null or missing: the page has no light. `most` is the highest bonus, null if none is paid. */
  light?: { most: Money | null } | null;
}

export interface Welcome {
  t: "welcome";
  epoch: number;
  last_cseq: number;
  last_seq: number;
  state: SessionState;
  server_time: string;
  /** False if another page has sent messages since this page did. */
  same: boolean;
}

export interface Fault {
  t: "error";
  code: "gap" | "stale" | "invalid" | "rate" | "closed";
  detail: string;
  /** The number of our last accepted message, if it is known. */
  last_cseq: number | null;
}

export type FromServer =
  | Welcome
  | { t: "ack"; cseq: number; seq: number; dup: boolean }
  | Event
  | Fault
  | { t: "ping"; n: number }
  | { t: "pong"; n: number };

export type ToServer =
  | { t: "hello"; token: string; resume: string; have: number }
  | ({ t: "send" } & Numbered)
  | { t: "ping"; n: number }
  | { t: "pong"; n: number };

/** Why the server closed the socket. */
export const CLOSE = { token: 4401, notYours: 4403, noHello: 4408, replaced: 4409, afterEnd: 4410 } as const;

const KINDS = ["welcome", "ack", "event", "error", "ping", "pong"];

/** Parses a frame; null for kinds of frames that only a newer server sends. */
export function readFrame(text: unknown): FromServer | null {
  if (typeof text !== "string") return null;
  try {
    const frame = JSON.parse(text) as { t?: unknown } | null;
    return typeof frame === "object" && frame !== null && KINDS.includes(String(frame.t))
      ? (frame as FromServer)
      : null;
  } catch {
    return null;
  }
}
