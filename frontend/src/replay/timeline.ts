/**
 * The log of a session with a moment kept at every so many events: any other is a short way from one of them. Pure; a
 * timeline that grows is another one, which shares what was there.
 */

import type { Cell, Scene } from "../world/frame";
import { beginning, fold, type Moment } from "./moment";
import type { Event } from "./payload";

/** Events from one kept moment to the next. */
export const STRIDE = 256;

export interface Timeline {
  scene: Scene;
  events: readonly Event[];
  /** When each event was, in milliseconds since the first; never less than the one before. */
  times: readonly number[];
  /** After 0, STRIDE, 2 · STRIDE … events. */
  kept: readonly Moment[];
  /** After all of them. */
  last: Moment;
  /** Where commands begin: the number of events with that of the command, each. */
  commands: readonly number[];
}

export function timelineOf(scene: Scene): Timeline {
  const first = beginning(scene);
  return { scene, events: [], times: [], kept: [first], last: first, commands: [] };
}

/** With more events at its end; those that it has already are passed over. */
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
  for (let place = before.events.length; place < events.length; place++) if (events[place]?.type === "command") commands.push(place + 1);
  return { scene: before.scene, events, times, kept, last, commands };
}

/** The moment after `count` events. From a moment that is known already, a little later ones cost little. */
export function momentAt(timeline: Timeline, count: number, known?: Moment): Moment {
  const { scene, events, times, kept, last } = timeline;
  if (count >= events.length) return last;
  const nearest = kept[Math.floor(Math.max(count, 0) / STRIDE)] as Moment;
  const from = known && known.count <= count && known.count > nearest.count ? known : nearest;
  return folded(scene.size, from, events, times, Math.max(count, 0));
}

/** How many events there were up to a time. */
export function countAt({ times }: Timeline, at_ms: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) <= at_ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** When the last of so many events was. */
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
