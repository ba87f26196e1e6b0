/** The frames of the worker's socket (CONTRACT section 7). Twin: interaction/messages.py. */

import type { Money } from "../shared/words";
import type { Cell, Pose } from "../world/frame";

/** What the worker sends, by type. */
export interface Bodies {
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

export type Kind = keyof Bodies;

/** A message of the worker, not yet numbered. */
export type Message = { [K in Kind]: { type: K; body: Bodies[K] } }[Kind];

/** Numbered, and kept until the server has it. */
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
  /** What the assistant understood, in words. */
  parse?: string | null;
  objects?: readonly Found[];
  choices: readonly { label: string; text?: boolean }[];
  can_go_back?: boolean;
}

/** A question of the agent's own. */
export interface Ask {
  question: string;
  text: string;
  choices: readonly string[];
  point?: Corners | null;
}

/** Two opposite corners, both within. */
export type Corners = readonly [Cell, Cell];

export type Colour = "red" | "amber" | "green";

/** How the session is scored after a command that was judged. */
export interface Scoring {
  command: string;
  /** 0 to 10, of the whole session so far. */
  score: number;
  colour: Colour;
  /** False where the command changed nothing of the score; `advice` then says why. */
  counted: boolean;
  advice: string;
  /** The bonus as it would be by now; null where none is paid. */
  bonus: Money | null;
  /** The most that it can become. */
  most?: Money | null;
}

export type Progress = "received" | "thinking" | "acting" | "done" | "failed";

/** What agent and server say, by type. */
export interface Told {
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

export type WorkerEvent = { [K in Kind]: Head & { from: "worker"; type: K; body: Bodies[K] } }[Kind];
export type OtherEvent = { [K in keyof Told]: Head & { from: "agent" | "server"; type: K; body: Told[K] } }[keyof Told];
/** A line of the session's log. */
export type Event = WorkerEvent | OtherEvent;

/** How the session stands, as the server greets with it. */
export interface Standing {
  phase: "before" | "running" | "ended";
  reason: string | null;
  elapsed_s: number;
  minimum_s: number;
  may_finish: boolean;
  agent: "waiting" | "here" | "away";
  evaluation: boolean;
  /** Null or missing: the page has no light. `most`: the highest bonus, null where none is paid. */
  light?: { most: Money | null } | null;
}

export interface Welcome {
  t: "welcome";
  epoch: number;
  last_cseq: number;
  last_seq: number;
  state: Standing;
  server_time: string;
  /** False where another page has sent since this one did. */
  same: boolean;
}

export interface Fault {
  t: "error";
  code: "gap" | "stale" | "invalid" | "rate" | "closed";
  detail: string;
  /** The last message of ours that counted, where it is known. */
  last_cseq: number | null;
}

export type FromServer = Welcome | { t: "ack"; cseq: number; seq: number; dup: boolean } | Event | Fault | { t: "ping"; n: number } | { t: "pong"; n: number };

export type ToServer = { t: "hello"; token: string; resume: string; have: number } | ({ t: "send" } & Numbered) | { t: "ping"; n: number } | { t: "pong"; n: number };

/** Why the server closed the socket. */
export const CLOSE = { token: 4401, notYours: 4403, noHello: 4408, replaced: 4409, ended: 4410 } as const;

const KINDS = ["welcome", "ack", "event", "error", "ping", "pong"];

/** A frame that can be read; null for any other, which a newer server may send. */
export function readFrame(text: unknown): FromServer | null {
  if (typeof text !== "string") return null;
  try {
    const frame = JSON.parse(text) as { t?: unknown } | null;
    return typeof frame === "object" && frame !== null && KINDS.includes(String(frame.t)) ? (frame as FromServer) : null;
  } catch {
    return null;
  }
}
