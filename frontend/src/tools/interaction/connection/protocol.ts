/**
 * The protocol of the worker's socket: messages are numbered, kept until the server has them, and sent again when they
 * may be lost. Pure: time, storage and the socket itself are in socket.ts.
 */

import { CLOSE, type Event, type FromServer, type Message, type Numbered, type ToServer, type Welcome } from "./wire";

/** `waiting`: connected, but the server asked for a pause. */
export type Phase = "down" | "greeting" | "open" | "waiting" | "over";

/** The part of the state that survives a reload. */
export interface Kept {
  /** Identifies this page to the server. */
  resume: string;
  /** The number of the next message. */
  next: number;
  outbox: readonly Numbered[];
}

export interface ConnectionState extends Kept {
  token: string;
  phase: Phase;
  /** The number of the last event that was read. */
  have: number;
  /** The number from which messages were sent again since the last acknowledgement; a second time waits first. */
  resentFrom: number | null;
}

export type Input =
  | { is: "opened" }
  | { is: "frame"; frame: FromServer }
  | { is: "closed"; code: number }
  | { is: "send"; message: Message }
  /** The requested pause is over. */
  | { is: "on" };

export type Effect =
  | { do: "send"; frame: ToServer }
  | { do: "event"; event: Event }
  | { do: "welcome"; welcome: Welcome }
  /** The server refused this message. */
  | { do: "refused"; message: Numbered; detail: string }
  | { do: "pause"; ms: number }
  /** Connect again after a while. */
  | { do: "reconnect" }
  /** Do not connect again automatically. */
  | { do: "over"; code: number };

export type Step = readonly [state: ConnectionState, effects: readonly Effect[]];

export const PAUSE_MS = 1_000;

export function begin(token: string, kept: Kept): ConnectionState {
  return { ...kept, token, phase: "down", have: 0, resentFrom: null };
}

export function fresh(resume: string): Kept {
  return { resume, next: 1, outbox: [] };
}

export function step(state: ConnectionState, input: Input): Step {
  switch (input.is) {
    case "opened":
      return [
        { ...state, phase: "greeting", resentFrom: null },
        [{ do: "send", frame: { t: "hello", token: state.token, resume: state.resume, have: state.have } }],
      ];
    case "frame":
      return received(state, input.frame);
    case "closed":
      return closed(state, input.code);
    case "send": {
      const message: Numbered = { ...input.message, cseq: state.next };
      const after = { ...state, next: state.next + 1, outbox: [...state.outbox, message] };
      return [after, state.phase === "open" ? [sending(message)] : []];
    }
    case "on":
      return state.phase === "waiting" ? [{ ...state, phase: "open" }, state.outbox.map(sending)] : [state, []];
  }
}

const sending = (message: Numbered): Effect => ({ do: "send", frame: { t: "send", ...message } });

function received(state: ConnectionState, frame: FromServer): Step {
  switch (frame.t) {
    case "welcome":
      return welcomed(state, frame);
    case "ack":
      return [{ ...without(state, frame.cseq), resentFrom: null }, []];
    case "event":
      return frame.seq > state.have ? [{ ...state, have: frame.seq }, [{ do: "event", event: frame }]] : [state, []];
    case "ping":
      return [state, [{ do: "send", frame: { t: "pong", n: frame.n } }]];
    case "pong":
      return [state, []];
    case "error":
      return refused(state, frame);
  }
}

function welcomed(state: ConnectionState, welcome: Welcome): Step {
  const { last_cseq, same } = welcome;
  // Another page has used our numbers, so none of our messages is known to have arrived. Commands have ids, and all
  // other messages may arrive twice without harm.
  const outbox = renumbered(same ? state.outbox.filter(({ cseq }) => cseq > last_cseq) : state.outbox, last_cseq);
  const after: ConnectionState = { ...state, phase: "open", outbox, next: last_cseq + 1 + outbox.length };
  return [after, [{ do: "welcome", welcome }, ...outbox.map(sending)]];
}

/** The same messages, numbered from `last` + 1 without a gap. */
function renumbered(outbox: readonly Numbered[], last: number): readonly Numbered[] {
  return outbox.map((message, index) => ({ ...message, cseq: last + 1 + index }));
}

/** Drops the messages that the server has received. */
function without(state: ConnectionState, cseq: number): ConnectionState {
  return { ...state, outbox: state.outbox.filter((one) => one.cseq > cseq) };
}

function refused(state: ConnectionState, fault: FromServer & { t: "error" }): Step {
  // An error without a number belongs to no particular message.
  const last_cseq = fault.last_cseq ?? (state.outbox[0]?.cseq ?? state.next) - 1;
  switch (fault.code) {
    case "invalid": {
      const message = state.outbox.find(({ cseq }) => cseq === last_cseq);
      const after = { ...without(state, last_cseq), resentFrom: null };
      return [after, message ? [{ do: "refused", message, detail: fault.detail }] : []];
    }
    case "gap":
    case "rate": {
      const after = without(state, last_cseq);
      // The messages sent after the missing one get the same error.
      if (after.phase !== "open" || after.outbox.length === 0) return [after, []];
      if (fault.code === "gap" && after.resentFrom !== last_cseq)
        return [{ ...after, resentFrom: last_cseq }, after.outbox.map(sending)];
      return [{ ...after, phase: "waiting" }, [{ do: "pause", ms: PAUSE_MS }]];
    }
    case "stale":
      return [{ ...state, phase: "over" }, [{ do: "over", code: CLOSE.replaced }]];
    case "closed":
      // An event with the reason comes first, and then the socket is closed.
      return [{ ...state, outbox: [] }, []];
  }
}

const FINAL: readonly number[] = [CLOSE.token, CLOSE.notYours, CLOSE.replaced, CLOSE.afterEnd];

function closed(state: ConnectionState, code: number): Step {
  // The reason came in an earlier frame and is not reported twice.
  if (state.phase === "over") return [state, []];
  if (!FINAL.includes(code)) return [{ ...state, phase: "down" }, [{ do: "reconnect" }]];
  return [{ ...state, phase: "over", outbox: code === CLOSE.afterEnd ? [] : state.outbox }, [{ do: "over", code }]];
}

const SHORTEST_MS = 250;
const LONGEST_MS = 8_000;

/** 0.25, 0.5, 1 … 8 s, each reduced by up to half, so that many pages do not reconnect at the same time. */
export function backoff_ms(attempt: number, random: () => number = Math.random): number {
  const whole = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** (attempt - 1));
  return Math.max(SHORTEST_MS, whole * (0.5 + random() / 2));
}
