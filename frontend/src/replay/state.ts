/** Where the replay stands: at which moment, whether it runs and how fast, and how much of the log is here. Pure. */

import type { Moment } from "./moment";
import type { Page } from "./payload";
import { countAt, extended, lengthOf, momentAt, timelineOf, timeOf, type Timeline } from "./timeline";

export const SPEEDS = [1, 4, 16] as const;
export type Speed = (typeof SPEEDS)[number];

export interface Replay {
  timeline: Timeline;
  moment: Moment;
  /** Milliseconds since the first event. */
  at_ms: number;
  isPlaying: boolean;
  speed: Speed;
  /** It goes on: more events may come. */
  isLive: boolean;
  /** There are more events that were not fetched yet. */
  hasMore: boolean;
  /** At the end, and going on with it. */
  isFollowing: boolean;
}

export type Action =
  /** More of the log has come. */
  | { type: "page"; page: Page }
  /** Plays, or stops playing and following. */
  | { type: "toggle" }
  /** To the command before or after, or to the end. */
  | { type: "previous" | "next" | "end" }
  | { type: "speed"; speed: Speed }
  /** So many milliseconds went by here. */
  | { type: "tick"; ms: number }
  | { type: "seek"; at_ms: number }
  /** To the moment right after so many events. */
  | { type: "jump"; count: number };

/** What the first page says; it has the scene. One that goes on is followed, one that is over begins at its beginning. */
export function opened(page: Page): Replay {
  if (!page.scene) throw new Error("the first page has no scene");
  const timeline = extended(timelineOf(page.scene), page.events);
  const isLive = !page.has_ended;
  const moment = isLive ? timeline.last : momentAt(timeline, Math.min(1, timeline.events.length));
  return { timeline, moment, at_ms: timeOf(timeline, moment.count), isPlaying: false, speed: 1, isLive, hasMore: page.has_more, isFollowing: isLive };
}

export function reduce(state: Replay, action: Action): Replay {
  switch (action.type) {
    case "page":
      return grown(state, action.page);
    case "toggle":
      return isRunning(state) ? { ...state, isPlaying: false, isFollowing: false } : played(state);
    case "speed":
      return { ...state, speed: action.speed };
    case "tick":
      return state.isPlaying ? ticked(state, action.ms) : state;
    case "seek":
      return sought(state, action.at_ms);
    case "jump":
      return jumped(state, action.count);
    case "previous":
      return jumped(state, before(state.timeline.commands, state.moment.count) ?? 1);
    case "next": {
      const next = state.timeline.commands.find((count) => count > state.moment.count);
      return next === undefined ? state : jumped(state, next);
    }
    case "end":
      return { ...jumped(state, state.timeline.events.length), isPlaying: false };
  }
}

/** The number of the command that was given last, from 1; 0 before the first. */
export function commandNumber({ timeline, moment }: Replay): number {
  return countUpTo(timeline.commands, moment.count);
}

/** It moves by itself: it plays, or goes on with what goes on. */
export function isRunning({ isPlaying, isFollowing }: Replay): boolean {
  return isPlaying || isFollowing;
}

export function isAtEnd({ timeline, moment, at_ms }: Replay): boolean {
  return moment.count === timeline.events.length && at_ms >= lengthOf(timeline);
}

function grown(state: Replay, page: Page): Replay {
  const timeline = extended(state.timeline, page.events);
  const after = { ...state, timeline, isLive: !page.has_ended, hasMore: page.has_more };
  if (!state.isFollowing) return after;
  const isOver = page.has_ended && !page.has_more;
  return { ...after, moment: timeline.last, at_ms: lengthOf(timeline), isFollowing: !isOver };
}

function played(state: Replay): Replay {
  if (!isAtEnd(state)) return { ...state, isPlaying: true, isFollowing: false };
  if (state.isLive) return { ...state, isFollowing: true };
  // Over: once more from the beginning.
  return { ...sought(state, 0), isPlaying: true };
}

function ticked(state: Replay, ms: number): Replay {
  const after = moved(state, state.at_ms + ms * state.speed);
  if (!isAtEnd(after) || state.hasMore) return after;
  return { ...after, isPlaying: false, isFollowing: state.isLive };
}

function sought(state: Replay, at_ms: number): Replay {
  const at = Math.min(Math.max(at_ms, 0), lengthOf(state.timeline));
  const moment = momentAt(state.timeline, countAt(state.timeline, at), state.moment);
  return following({ ...state, at_ms: at, moment });
}

/** Onwards in time: what was seen already stays so, though more events may be of the same instant. */
function moved(state: Replay, at_ms: number): Replay {
  const at = Math.min(at_ms, lengthOf(state.timeline));
  const count = Math.max(countAt(state.timeline, at), state.moment.count);
  return { ...state, at_ms: at, moment: momentAt(state.timeline, count, state.moment) };
}

function jumped(state: Replay, to: number): Replay {
  const count = Math.min(Math.max(to, 0), state.timeline.events.length);
  return following({ ...state, moment: momentAt(state.timeline, count, state.moment), at_ms: timeOf(state.timeline, count) });
}

/** Whoever goes to the end of what goes on goes on with it. */
function following(state: Replay): Replay {
  return { ...state, isFollowing: state.isLive && isAtEnd(state) };
}

function before(counts: readonly number[], count: number): number | undefined {
  return counts.findLast((one) => one < count);
}

function countUpTo(counts: readonly number[], count: number): number {
  return counts.filter((one) => one <= count).length;
}
