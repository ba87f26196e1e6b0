/**
 * What the worker's socket says and when: every message is numbered, kept until the server has it, and sent again where
 * it may not have come. Pure: time, storage and the socket itself are socket.ts.
 */

import { CLOSE, type Event, type FromServer, type Message, type Numbered, type ToServer, type Welcome } from "./wire";

/** `waiting`: connected, but the server asked for a pause. */
export type Phase = "down" | "greeting" | "open" | "waiting" | "over";

/** What outlives a reload. */
export interface Kept {
  /** Names this page to the server. */
  resume: string;
  /** The number of the next message. */
  next: number;
  outbox: readonly Numbered[];
}

export interface Course extends Kept {
  token: string;
  phase: Phase;
  /** The last event that was read. */
  have: number;
  /** From which number was sent again since the last acknowledgement; a second time it is done slowly. */
  resentFrom: number | null;
}

export type Input =
  | { is: "opened" }
  | { is: "frame"; frame: FromServer }
  | { is: "closed"; code: number }
  | { is: "send"; message: Message }
  /** The pause that was asked for is over. */
  | { is: "on" };

export type Effect =
  | { do: "send"; frame: ToServer }
  | { do: "event"; event: Event }
  | { do: "welcome"; welcome: Welcome }
  /** The server will not have this message. */
  | { do: "refused"; message: Numbered; detail: string }
  | { do: "pause"; ms: number }
  /** Connect again, in a while. */
  | { do: "reconnect" }
  /** There is no use in connecting again by itself. */
  | { do: "over"; code: number };

export type Step = readonly [course: Course, effects: readonly Effect[]];

export const PAUSE_MS = 1_000;

export function begin(token: string, kept: Kept): Course {
  return { ...kept, token, phase: "down", have: 0, resentFrom: null };
}

export function fresh(resume: string): Kept {
  return { resume, next: 1, outbox: [] };
}

export function step(course: Course, input: Input): Step {
  switch (input.is) {
    case "opened":
      return [{ ...course, phase: "greeting", resentFrom: null }, [{ do: "send", frame: { t: "hello", token: course.token, resume: course.resume, have: course.have } }]];
    case "frame":
      return received(course, input.frame);
    case "closed":
      return closed(course, input.code);
    case "send": {
      const message: Numbered = { ...input.message, cseq: course.next };
      const after = { ...course, next: course.next + 1, outbox: [...course.outbox, message] };
      return [after, course.phase === "open" ? [sending(message)] : []];
    }
    case "on":
      return course.phase === "waiting" ? [{ ...course, phase: "open" }, course.outbox.map(sending)] : [course, []];
  }
}

const sending = (message: Numbered): Effect => ({ do: "send", frame: { t: "send", ...message } });

function received(course: Course, frame: FromServer): Step {
  switch (frame.t) {
    case "welcome":
      return welcomed(course, frame);
    case "ack":
      return [{ ...without(course, frame.cseq), resentFrom: null }, []];
    case "event":
      return frame.seq > course.have ? [{ ...course, have: frame.seq }, [{ do: "event", event: frame }]] : [course, []];
    case "ping":
      return [course, [{ do: "send", frame: { t: "pong", n: frame.n } }]];
    case "pong":
      return [course, []];
    case "error":
      return refused(course, frame);
  }
}

function welcomed(course: Course, welcome: Welcome): Step {
  const { last_cseq, same } = welcome;
  // What another page has sent took our numbers: then none of ours is known to have come. Commands have ids, and the
  // rest may come twice without harm.
  const outbox = renumbered(same ? course.outbox.filter(({ cseq }) => cseq > last_cseq) : course.outbox, last_cseq);
  const after: Course = { ...course, phase: "open", outbox, next: last_cseq + 1 + outbox.length };
  return [after, [{ do: "welcome", welcome }, ...outbox.map(sending)]];
}

/** The same messages, numbered from the one after `last` without a gap. */
function renumbered(outbox: readonly Numbered[], last: number): readonly Numbered[] {
  return outbox.map((message, index) => ({ ...message, cseq: last + 1 + index }));
}

/** The server has all up to this one. */
function without(course: Course, cseq: number): Course {
  return { ...course, outbox: course.outbox.filter((one) => one.cseq > cseq) };
}

function refused(course: Course, fault: FromServer & { t: "error" }): Step {
  // Without a number it is about no message of ours in particular.
  const last_cseq = fault.last_cseq ?? (course.outbox[0]?.cseq ?? course.next) - 1;
  switch (fault.code) {
    case "invalid": {
      const message = course.outbox.find(({ cseq }) => cseq === last_cseq);
      const after = { ...without(course, last_cseq), resentFrom: null };
      return [after, message ? [{ do: "refused", message, detail: fault.detail }] : []];
    }
    case "gap":
    case "rate": {
      const after = without(course, last_cseq);
      // All that was under way behind the missing one is answered so as well.
      if (after.phase !== "open" || after.outbox.length === 0) return [after, []];
      if (fault.code === "gap" && after.resentFrom !== last_cseq) return [{ ...after, resentFrom: last_cseq }, after.outbox.map(sending)];
      return [{ ...after, phase: "waiting" }, [{ do: "pause", ms: PAUSE_MS }]];
    }
    case "stale":
      return [{ ...course, phase: "over" }, [{ do: "over", code: CLOSE.replaced }]];
    case "closed":
      // Why it is over comes as an event, and then the socket is closed.
      return [{ ...course, outbox: [] }, []];
  }
}

const FINAL: readonly number[] = [CLOSE.token, CLOSE.notYours, CLOSE.replaced, CLOSE.ended];

function closed(course: Course, code: number): Step {
  // What was said in a frame before is not said again.
  if (course.phase === "over") return [course, []];
  if (!FINAL.includes(code)) return [{ ...course, phase: "down" }, [{ do: "reconnect" }]];
  return [{ ...course, phase: "over", outbox: code === CLOSE.ended ? [] : course.outbox }, [{ do: "over", code }]];
}

const SHORTEST_MS = 250;
const LONGEST_MS = 8_000;

/** 0.25, 0.5, 1 … 8 s, each down to half of that, so that many pages do not come back in one beat. */
export function backoff_ms(attempt: number, random: () => number = Math.random): number {
  const whole = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** (attempt - 1));
  return Math.max(SHORTEST_MS, whole * (0.5 + random() / 2));
}
