/**
 * The log of a session with a stored moment after every STRIDE events, so that any moment is computed quickly. Pure: a
 * timeline that grows is a new object that shares the old parts.
 */

import type { Cell, Scene } from "../../world/frame";
import { beginning, fold, type Moment } from "./moment";
import type { Event } from "./payload";

/** Events between two stored moments. */
export const STRIDE = 256;

export interface Timeline {
  scene: Scene;
  events: readonly Event[];
  /** The time of each event in milliseconds since the first; never less than the time before. */
  times: readonly number[];
  /** The moments after 0, STRIDE, 2 · STRIDE … events. */
  kept: readonly Moment[];
  /** The moment after all events. */
  last: Moment;
  /** For each command, the number of events up to and including it. */
  commands: readonly number[];
}

export function timelineOf(scene: Scene): Timeline {
  const first = beginning(scene);
  return { scene, events: [], times: [], kept: [first], last: first, commands: [] };
}

/** The timeline with more events at its end. Events that it already has are skipped. */
export function extended(before: Timeline, more: readonly Event[]): Timeline {
  const known = before.events.at(-1)?.seq ?? 0;
  const fresh = more.filter(({ seq }) => seq > known);
  if (fresh.length === 0) return before;
  const events = [...before.events, ...fresh];
  const times = timesOf(before.times, events);
  const kept = [...before.kept];
  let last = before.last;
  while (last.count < events.length) {
    const to = Math.min(events.length, (Math.floor(last.count / STRIDE) + 1) * STRIDE);
    last = folded(before.scene.size, last, events, times, to);
    if (last.count % STRIDE === 0) kept.push(last);
  }
  const commands = [...before.commands];
  for (let place = before.events.length; place < events.length; place++)
    if (events[place]?.type === "command") commands.push(place + 1);
  return { scene: before.scene, events, times, kept, last, commands };
}

/** The moment after `count` events. Starting from an earlier `known` moment makes a step forward cheap. */
export function momentAt(timeline: Timeline, count: number, known?: Moment): Moment {
  const { scene, events, times, kept, last } = timeline;
  if (count >= events.length) return last;
  const nearest = kept[Math.floor(Math.max(count, 0) / STRIDE)] as Moment;
  const from = known && known.count <= count && known.count > nearest.count ? known : nearest;
  return folded(scene.size, from, events, times, Math.max(count, 0));
}

/** How many events happened up to a time. */
export function countAt({ times }: Timeline, at_ms: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) <= at_ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The time of the event number `count`. */
export function timeOf({ times }: Timeline, count: number): number {
  return times[Math.min(count, times.length) - 1] ?? 0;
}

export function lengthOf(timeline: Timeline): number {
  return timeOf(timeline, timeline.times.length);
}

function folded(size: Cell, from: Moment, events: readonly Event[], times: readonly number[], to: number): Moment {
  return fold(size, from, events.slice(from.count, to), (place) => times[from.count + place] as number);
}

function timesOf(known: readonly number[], events: readonly Event[]): number[] {
  const zero = Date.parse(events[0]?.at ?? "");
  const times = [...known];
  for (let place = times.length; place < events.length; place++) {
    const at = Date.parse((events[place] as Event).at) - zero;
    times.push(Math.max(Number.isFinite(at) ? at : 0, times.at(-1) ?? 0));
  }
  return times;
}
