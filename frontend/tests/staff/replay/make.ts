/** Small logs for the tests of the replay. */

import type { Event } from "../../../src/staff/replay/payload";
import type { Scene } from "../../../src/world/frame";

export const SCENE: Scene = {
  size: [8, 8, 8],
  blocks: [
    [0, 0, 0, 8],
    [1, 0, 0, 8],
  ],
  agent: { x: 1, y: 1, z: 1, pitch: 0, yaw: 0 },
  player: { x: 5, y: 1, z: 5, pitch: 0, yaw: 180 },
};

const ZERO = Date.UTC(2026, 10, 21, 12);

type Bare = Pick<Event, "from" | "type" | "body">;

/** Numbers them, the next one so many milliseconds after the one before. */
export function logOf(events: readonly Bare[], step_ms = 1000, first = 1): Event[] {
  return events.map(
    (event, place) =>
      ({ ...event, seq: first + place, at: new Date(ZERO + (first - 1 + place) * step_ms).toISOString() }) as Event,
  );
}

export const start: Bare = { from: "worker", type: "start", body: {} };
export const command = (id: string, text: string): Bare => ({ from: "worker", type: "command", body: { id, text } });
export const status = (id: string, state: string, reason?: string): Bare =>
  ({ from: "agent", type: "status", body: { command: id, state, reason } }) as Bare;
export const blocks = (...changes: [number, number, number, number][]): Bare => ({
  from: "agent",
  type: "blocks",
  body: { changes },
});
export const place = (x: number, y: number, z: number, block: number): Bare => ({
  from: "worker",
  type: "place",
  body: { at: [x, y, z], block },
});
export const destroy = (x: number, y: number, z: number): Bare => ({
  from: "worker",
  type: "destroy",
  body: { at: [x, y, z] },
});
export const pose = (from: "agent" | "worker", x: number): Bare => ({
  from,
  type: "pose",
  body: { x, y: 1, z: 1, pitch: 0, yaw: 0 },
});
export const say = (text: string): Bare => ({ from: "agent", type: "say", body: { text } });
export const question = (id: string, node: string, ask: string, ...labels: string[]): Bare =>
  ({
    from: "server",
    type: "question",
    body: { command: id, node, ask, choices: labels.map((label) => ({ label })) },
  }) as Bare;
export const mark = (id: string, node: string, choice: number, text?: string): Bare =>
  ({ from: "worker", type: "mark", body: { command: id, node, choice, ...(text ? { text } : {}) } }) as Bare;
export const outcome = (id: string, what: string): Bare => ({
  from: "server",
  type: "outcome",
  body: { command: id, outcome: what },
});
export const score = (id: string, counted: boolean, bonus: string | null, advice = ""): Bare =>
  ({
    from: "server",
    type: "score",
    body: {
      command: id,
      score: 6.4,
      colour: "amber",
      bonus: bonus && { amount: bonus, currency: "USD" },
      counted,
      advice,
      most: null,
    },
  }) as Bare;
export const point = (low: [number, number, number], high: [number, number, number]): Bare => ({
  from: "agent",
  type: "point",
  body: { box: [low, high] },
});
export const objects = (id: string, phrase: string, ...voxels: [number, number, number][]): Bare => ({
  from: "agent",
  type: "objects",
  body: { command: id, phrase, voxels },
});
export const parse = (id: string, words: string): Bare => ({
  from: "agent",
  type: "parse",
  body: { command: id, form: { dialogue_type: "NOOP" }, words },
});
export const closed = (reason: string): Bare => ({ from: "server", type: "closed", body: { reason } });
export const peer = (state: "here" | "away"): Bare => ({ from: "server", type: "peer", body: { who: "agent", state } });
