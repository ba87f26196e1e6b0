/** The state of the replay: moment, speed, playing or not, and the loaded part of the log. Pure. */

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
  /** The session is running: more events may come. */
  isLive: boolean;
  /** Events exist on the server that are not fetched yet. */
  hasMore: boolean;
  /** The replay is at the end and moves along with new events. */
  isFollowing: boolean;
}

export type Action =
  /** Another page of the log has arrived. */
  | { type: "page"; page: Page }
  /** Plays, or stops playing and following. */
  | { type: "toggle" }
  /** Goes to the previous command, the next command, or the end. */
  | { type: "previous" | "next" | "end" }
  | { type: "speed"; speed: Speed }
  /** This many milliseconds of real time passed. */
  | { type: "tick"; ms: number }
  | { type: "seek"; at_ms: number }
  /** Goes to the moment right after this many events. */
  | { type: "jump"; count: number };

/**
 * The state from the first page, which has the scene. A running session is followed; a finished one starts at the
 * beginning.
 */
export function opened(page: Page): Replay {
  if (!page.scene) throw new Error("the first page has no scene");
  const timeline = extended(timelineOf(page.scene), page.events);
  const isLive = !page.has_ended;
  const moment = isLive ? timeline.last : momentAt(timeline, Math.min(1, timeline.events.length));
  return {
    timeline,
    moment,
    at_ms: timeOf(timeline, moment.count),
    isPlaying: false,
    speed: 1,
    isLive,
    hasMore: page.has_more,
    isFollowing: isLive,
  };
}

export function reduce(state: Replay, action: Action): Replay {
  switch (action.type) {
    case "page":
      return withPage(state, action.page);
    case "toggle":
      return isRunning(state) ? { ...state, isPlaying: false, isFollowing: false } : started(state);
    case "speed":
      return { ...state, speed: action.speed };
    case "tick":
      return state.isPlaying ? ticked(state, action.ms) : state;
    case "seek":
      return soughtTo(state, action.at_ms);
    case "jump":
      return jumpedTo(state, action.count);
    case "previous":
      return jumpedTo(state, before(state.timeline.commands, state.moment.count) ?? 1);
    case "next": {
      const next = state.timeline.commands.find((count) => count > state.moment.count);
      return next === undefined ? state : jumpedTo(state, next);
    }
    case "end":
      return { ...jumpedTo(state, state.timeline.events.length), isPlaying: false };
  }
}

/** The number of the latest command, from 1; 0 before the first. */
export function commandNumber({ timeline, moment }: Replay): number {
  return countUpTo(timeline.commands, moment.count);
}

/** The replay moves by itself: it plays, or it follows a running session. */
export function isRunning({ isPlaying, isFollowing }: Replay): boolean {
  return isPlaying || isFollowing;
}

export function isAtEnd({ timeline, moment, at_ms }: Replay): boolean {
  return moment.count === timeline.events.length && at_ms >= lengthOf(timeline);
}

function withPage(state: Replay, page: Page): Replay {
  const timeline = extended(state.timeline, page.events);
  const after = { ...state, timeline, isLive: !page.has_ended, hasMore: page.has_more };
  if (!state.isFollowing) return after;
  const isOver = page.has_ended && !page.has_more;
  return { ...after, moment: timeline.last, at_ms: lengthOf(timeline), isFollowing: !isOver };
}

function started(state: Replay): Replay {
  if (!isAtEnd(state)) return { ...state, isPlaying: true, isFollowing: false };
  if (state.isLive) return { ...state, isFollowing: true };
  // The session is over: play it again from the beginning.
  return { ...soughtTo(state, 0), isPlaying: true };
}

function ticked(state: Replay, ms: number): Replay {
  const after = moved(state, state.at_ms + ms * state.speed);
  if (!isAtEnd(after) || state.hasMore) return after;
  return { ...after, isPlaying: false, isFollowing: state.isLive };
}

function soughtTo(state: Replay, at_ms: number): Replay {
  const at = Math.min(Math.max(at_ms, 0), lengthOf(state.timeline));
  const moment = momentAt(state.timeline, countAt(state.timeline, at), state.moment);
  return following({ ...state, at_ms: at, moment });
}

/** Moves forward in time. Several events can have the same time; those that were shown stay shown. */
function moved(state: Replay, at_ms: number): Replay {
  const at = Math.min(at_ms, lengthOf(state.timeline));
  const count = Math.max(countAt(state.timeline, at), state.moment.count);
  return { ...state, at_ms: at, moment: momentAt(state.timeline, count, state.moment) };
}

function jumpedTo(state: Replay, to: number): Replay {
  const count = Math.min(Math.max(to, 0), state.timeline.events.length);
  return following({
    ...state,
    moment: momentAt(state.timeline, count, state.moment),
    at_ms: timeOf(state.timeline, count),
  });
}

/** Seeking to the end of a running session starts to follow it. */
function following(state: Replay): Replay {
  return { ...state, isFollowing: state.isLive && isAtEnd(state) };
}

function before(counts: readonly number[], count: number): number | undefined {
  return counts.findLast((one) => one < count);
}

function countUpTo(counts: readonly number[], count: number): number {
  return counts.filter((one) => one <= count).length;
}
