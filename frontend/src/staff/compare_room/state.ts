/** The moment that both videos of a pair show, in seconds from the takeover, and what keys do. Decides only; see room.ts. */

import type { Focus, Press } from "../../work/focus";

/** One video: when its agent takes over, and how long it is. */
export interface Span {
  takeover: number;
  duration: number;
}

export interface Room {
  /** Seconds from the takeover; negative before it. */
  at: number;
  isPlaying: boolean;
  /** The first and the last moment that any of the videos has. */
  start: number;
  end: number;
}

export type Action =
  { type: "toggle" } | { type: "move"; by: number } | { type: "seek"; at: number } | { type: "tick"; seconds: number };

export function opened(spans: readonly Span[]): Room {
  const start = Math.min(0, ...spans.map((span) => -span.takeover));
  const end = Math.max(0, ...spans.map((span) => span.duration - span.takeover));
  return { at: 0, isPlaying: false, start, end };
}

export function reduce(room: Room, action: Action): Room {
  const within = (at: number): number => Math.min(Math.max(at, room.start), room.end);
  switch (action.type) {
    case "toggle":
      // At the end, playing begins at the takeover again.
      return room.isPlaying || room.at < room.end
        ? { ...room, isPlaying: !room.isPlaying }
        : { ...room, at: 0, isPlaying: true };
    case "move":
      return { ...room, at: within(room.at + action.by), isPlaying: false };
    case "seek":
      return { ...room, at: within(action.at) };
    case "tick": {
      const at = within(room.at + action.seconds);
      return { ...room, at, isPlaying: room.isPlaying && at < room.end };
    }
  }
}

/** The second of a video at a moment of the room, kept within the video: a shorter one waits at its end. */
export function timeOf(span: Span, at: number): number {
  return Math.min(Math.max(span.takeover + at, 0), span.duration);
}

export type Command = Action | { type: "next" } | { type: "previous" };

const KEYS: Record<string, Command> = {
  " ": { type: "toggle" },
  ArrowLeft: { type: "move", by: -1 },
  ArrowRight: { type: "move", by: 1 },
  ",": { type: "move", by: -0.1 },
  ".": { type: "move", by: 0.1 },
  Home: { type: "seek", at: 0 },
  n: { type: "next" },
  p: { type: "previous" },
};

/** The command of a key; null for keys that the focused element takes, or with a modifier. */
export function commandOf(press: Press, focus: Focus): Command | null {
  if (press.altKey || press.ctrlKey || press.metaKey || focus === "text") return null;
  if (focus === "button" && press.key === " ") return null;
  if (focus === "slider" && (press.key.startsWith("Arrow") || press.key === "Home")) return null;
  return KEYS[press.key.length === 1 ? press.key.toLowerCase() : press.key] ?? null;
}
