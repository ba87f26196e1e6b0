/** Sessions to test with. */

import { beginLive, reduceLive, type Live, type LiveAction } from "../../../src/tools/interaction/live";
import { initialState, reduce, type Action, type InteractionState } from "../../../src/tools/interaction/state";
import type { Payload } from "../../../src/tools/interaction/payload";
import type {
  Event,
  Message,
  OtherEvent,
  Question,
  Welcome,
  WorkerEvent,
} from "../../../src/tools/interaction/connection/wire";
import { box, GRASS, scene } from "../voxels/make";

export const START_MS = Date.parse("2026-01-05T10:00:00Z");

export const WORLD = {
  ...scene([8, 8, 8], box([0, 0, 0], [7, 0, 7], GRASS)),
  player: { x: 1, y: 1, z: 1, pitch: 0, yaw: 0 },
  agent: { x: 5, y: 1, z: 5, pitch: 0, yaw: 180 },
};

export const PAYLOAD: Payload = {
  world: WORLD,
  agent: "robot",
  capabilities: ["Build: build a red cube", "Stop"],
  minimum_s: 300,
  blocks: [46, 47, 60],
};

export const QUESTION: Question = {
  command: "c1",
  node: "done",
  ask: "Did it do what you asked?",
  help: null,
  show: null,
  choices: [{ label: "Yes" }, { label: "No" }, { label: "Something else", text: true }],
  can_go_back: true,
};

type Said<E extends Event> = E extends Event ? { from: E["from"]; type: E["type"]; body: E["body"] } : never;
export type Line = Said<WorkerEvent> | Said<OtherEvent>;

export const worker = <K extends WorkerEvent["type"]>(type: K, body: Extract<WorkerEvent, { type: K }>["body"]): Line =>
  ({ from: "worker", type, body }) as Line;
export const agent = <K extends OtherEvent["type"]>(type: K, body: Extract<OtherEvent, { type: K }>["body"]): Line =>
  ({ from: "agent", type, body }) as Line;
export const server = <K extends OtherEvent["type"]>(type: K, body: Extract<OtherEvent, { type: K }>["body"]): Line =>
  ({ from: "server", type, body }) as Line;

export function eventOf(line: Line, seq: number, at_ms = START_MS): Event {
  return { t: "event", seq, at: new Date(at_ms).toISOString(), ...line } as Event;
}

export function welcome(state: Partial<Welcome["state"]> = {}, rest: Partial<Welcome> = {}): Welcome {
  return {
    t: "welcome",
    epoch: 1,
    last_cseq: 0,
    last_seq: 0,
    state: {
      phase: "before",
      reason: null,
      elapsed_s: 0,
      minimum_s: 300,
      may_finish: false,
      agent: "here",
      evaluation: false,
      ...state,
    },
    server_time: new Date(START_MS).toISOString(),
    same: true,
    ...rest,
  };
}

/** The session after the server's greeting. */
export const greet = (live: Live, state: Partial<Welcome["state"]> = {}, rest: Partial<Welcome> = {}): Live =>
  reduceLive(live, { type: "welcome", welcome: welcome(state, rest), now: START_MS });

/** The page's state after one line of the log. */
export const heard = (line: Line, seq: number, at_ms = START_MS): LiveAction => ({
  type: "event",
  event: eventOf(line, seq, at_ms),
  now: START_MS,
});

/** A session that was greeted and then told these lines, one a second. */
export function told(...lines: Line[]): Live {
  const up = reduceLive(greet(beginLive(300, START_MS)), { type: "line", isUp: true, attempt: 0 });
  return more(up, ...lines);
}

export function more(live: Live, ...lines: Line[]): Live {
  const first = live.talk.length + 100 * (live.announced.at(-1)?.key ?? 0) + 1;
  return lines.reduce(
    (now, line, index) =>
      reduceLive(now, {
        type: "event",
        event: eventOf(line, first + index, START_MS + index * 1000),
        now: START_MS + index * 1000,
      }),
    live,
  );
}

export const sends = (live: Live, message: Message): Live => reduceLive(live, { type: "sent", message, now: START_MS });

export const TASK = {
  type: "task",
  task: { assignment: "a", payload: PAYLOAD },
  text: "",
  feedback: "",
  ownWords: null,
  lease_ends: 0,
  now: START_MS,
} satisfies Action;

/** The page with a session in hand that was told these lines. */
export function atWork(...lines: Line[]): InteractionState {
  return { ...reduce(initialState(true), TASK), live: told(...lines) };
}

export const after = (state: InteractionState, ...actions: Action[]): InteractionState => actions.reduce(reduce, state);
