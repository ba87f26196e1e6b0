/** The keys of the picture; they count only while the focus is on it. */

import type { Press } from "../shared/focus";
import { NEARER, SLIDE, TURN } from "../voxels/keys";
import type { Move } from "./picture";

export type Command = { do: "move"; move: Move } | { do: "ground" | "bare" } | { do: "shares" } | { do: "answer"; number: number };

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

const turn = (yaw: number, pitch: number): Move => ({ do: "turn", yaw, pitch });

const MOVES: Record<string, Move> = {
  ArrowLeft: turn(TURN, 0),
  ArrowRight: turn(-TURN, 0),
  ArrowUp: turn(0, -TURN),
  ArrowDown: turn(0, TURN),
  q: turn(TURN, 0),
  e: turn(-TURN, 0),
  r: turn(0, -TURN),
  f: turn(0, TURN),
  "+": { do: "zoom", factor: NEARER },
  "=": { do: "zoom", factor: NEARER },
  "-": { do: "zoom", factor: 1 / NEARER },
  "0": { do: "reset" },
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
