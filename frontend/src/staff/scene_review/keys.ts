/** The keys of the picture. They work while the focus is on it. */

import type { Press } from "../../work/focus";
import { SLIDE, TURN } from "../../tools/voxels/keys";
import { CAMERA_KEYS } from "../../tools/voxels/camera/camera_steps";
import type { Move } from "./picture";

export type Command =
  { do: "move"; move: Move } | { do: "ground" | "bare" } | { do: "shares" } | { do: "answer"; number: number };

export const KEY_HELP: readonly (readonly [keys: string, does: string])[] = [
  ["Arrow keys, or Q E R F", "turn and tilt"],
  ["Shift and arrows", "slide"],
  ["+ −", "nearer, farther"],
  ["0", "the whole scene in view"],
  ["G", "hide or show the ground"],
  ["M", "only what is marked, or all"],
  ["C", "the confidence map"],
  ["1 … 9", "the mask of that answer"],
];

const MOVES: Readonly<Record<string, Move>> = {
  ...CAMERA_KEYS,
  q: { do: "turn", yaw: TURN, pitch: 0 },
  e: { do: "turn", yaw: -TURN, pitch: 0 },
  r: { do: "turn", yaw: 0, pitch: -TURN },
  f: { do: "turn", yaw: 0, pitch: TURN },
};

const SLIDES: Record<string, Move> = {
  ArrowLeft: { do: "pan", right: -SLIDE, up: 0 },
  ArrowRight: { do: "pan", right: SLIDE, up: 0 },
  ArrowUp: { do: "pan", right: 0, up: SLIDE },
  ArrowDown: { do: "pan", right: 0, up: -SLIDE },
};

export function commandOf(press: Press): Command | null {
  if (press.altKey || press.ctrlKey || press.metaKey) return null;
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  const move = (press.shiftKey ? SLIDES[key] : undefined) ?? MOVES[key];
  if (move) return { do: "move", move };
  if (key === "g") return { do: "ground" };
  if (key === "m") return { do: "bare" };
  if (key === "c") return { do: "shares" };
  return /^[1-9]$/.test(key) ? { do: "answer", number: Number(key) } : null;
}
