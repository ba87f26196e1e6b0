/** The state of a session after a given number of events. Pure. */

import { AIR, contains, indexOf, type Box, type Cell, type Pose, type Scene } from "../../world/frame";
import type { Corners, Event, Found, Progress, Scoring } from "./payload";

export interface CommandNow {
  name: string;
  text: string;
  status: "sent" | Progress;
  /** When it got this status, in milliseconds of the session. */
  since_ms: number;
  /** Why the command failed. */
  reason: string;
  /** The agent's parse, in words and as it was sent. */
  words: string;
  form: object | null;
  found: readonly Found[];
  outcome: string;
}

/** A question that waits for an answer, from the agent or from the decision tree. */
export interface Asked {
  of: "agent" | "tree";
  text: string;
  choices: readonly string[];
}

export interface Pointing {
  /** The number of the event; each new pointing has another one. */
  seq: number;
  at_ms: number;
  box: Box;
}

export interface Moment {
  /** How many events led to this moment. */
  count: number;
  /** Changed blocks by flat index, air included. All other blocks are as in the first scene. */
  blocks: ReadonlyMap<number, number>;
  agent: Pose | null;
  player: Pose | null;
  command: CommandNow | null;
  asked: Asked | null;
  pointing: Pointing | null;
  started_ms: number | null;
  prompt: string;
  isAgentHere: boolean;
  /** The latest score of the session. */
  scored: Scoring | null;
  mayFinish: boolean;
  /** Why the session ended. */
  closed: string | null;
}

export function beginning(scene: Pick<Scene, "agent" | "player">): Moment {
  return {
    count: 0,
    blocks: new Map(),
    agent: scene.agent,
    player: scene.player,
    command: null,
    asked: null,
    pointing: null,
    started_ms: null,
    prompt: "",
    isAgentHere: false,
    scored: null,
    mayFinish: false,
    closed: null,
  };
}

/** The moment after more events. `at_ms` gives the time of an event by its place in the list. */
export function fold(size: Cell, from: Moment, events: readonly Event[], at_ms: (place: number) => number): Moment {
  if (events.length === 0) return from;
  let moment = from;
  // The map is copied once for all events, and not at all if no block changes.
  let blocks: Map<number, number> | null = null;
  events.forEach((event, place) => {
    for (const [x, y, z, id] of changesOf(event)) {
      if (!contains(size, x, y, z)) continue;
      blocks ??= new Map(from.blocks);
      blocks.set(indexOf(size, x, y, z), id);
    }
    moment = step(moment, event, at_ms(place));
  });
  return { ...moment, count: from.count + events.length, blocks: blocks ?? from.blocks };
}

/** The block changes of an event, as x, y, z, id. */
export function changesOf(event: Event): readonly (readonly [number, number, number, number])[] {
  switch (event.type) {
    case "blocks":
      return event.body.changes;
    case "place":
      return [[...event.body.at, event.body.block]];
    case "destroy":
      return [[...event.body.at, AIR]];
    default:
      return [];
  }
}

export function boxOf([a, b]: Corners): Box {
  const pick = (best: (...of: number[]) => number): Cell => [best(a[0], b[0]), best(a[1], b[1]), best(a[2], b[2])];
  return { low: pick(Math.min), high: pick(Math.max) };
}

/** Applies an event to everything except the blocks. */
function step(moment: Moment, event: Event, at_ms: number): Moment {
  const { command } = moment;
  /** Changes the current command, if the name is its name. */
  const changed = (name: string, change: (now: CommandNow) => Partial<CommandNow>): Moment =>
    command?.name === name ? { ...moment, command: { ...command, ...change(command) } } : moment;
  switch (event.type) {
    case "start":
      return { ...moment, started_ms: at_ms };
    case "command": {
      const given: CommandNow = {
        name: event.body.id,
        text: event.body.text,
        status: "sent",
        since_ms: at_ms,
        reason: "",
        words: "",
        form: null,
        found: [],
        outcome: "",
      };
      return { ...moment, command: given, asked: null };
    }
    case "status": {
      const { state, reason } = event.body;
      const after = changed(event.body.command, () => ({ status: state, since_ms: at_ms, reason: reason ?? "" }));
      return state === "done" || state === "failed" ? { ...after, asked: null } : after;
    }
    case "parse":
      return changed(event.body.command, () => ({ words: event.body.words, form: event.body.form }));
    case "objects": {
      const { phrase, voxels } = event.body;
      // A later result for the same words replaces the earlier one.
      return changed(event.body.command, ({ found }) => ({
        found: [...found.filter((one) => one.phrase !== phrase), { phrase, voxels }],
      }));
    }
    case "outcome":
      return { ...changed(event.body.command, () => ({ outcome: event.body.outcome })), asked: null };
    case "score":
      return { ...moment, scored: event.body };
    case "question":
      return {
        ...moment,
        asked: { of: "tree", text: event.body.ask, choices: event.body.choices.map(({ label }) => label) },
      };
    case "ask": {
      const { text, choices, point } = event.body;
      const pointing = point ? { seq: event.seq, at_ms, box: boxOf(point) } : moment.pointing;
      return { ...moment, asked: { of: "agent", text, choices }, pointing };
    }
    case "choose":
      return { ...moment, asked: null };
    case "point":
      return { ...moment, pointing: { seq: event.seq, at_ms, box: boxOf(event.body.box) } };
    case "pose":
      return event.from === "agent" ? { ...moment, agent: event.body } : { ...moment, player: event.body };
    case "peer":
      return event.body.who === "agent" ? { ...moment, isAgentHere: event.body.state === "here" } : moment;
    case "prompt":
      return { ...moment, prompt: event.body.text };
    case "may_finish":
      return { ...moment, mayFinish: event.body.allowed };
    case "closed":
      return { ...moment, closed: event.body.reason, asked: null };
    default:
      return moment;
  }
}
