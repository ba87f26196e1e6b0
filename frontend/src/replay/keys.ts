/** The keys of the replay; they count while the focus is within it. */

import type { Focus, Press } from "../shared/focus";
import { TURNING_KEYS, type Turning } from "../voxels/turning";
import { SPEEDS, type Action } from "./state";

export type Command = { do: "replay"; action: Action } | { do: "move"; move: Turning };

export const KEY_HELP: readonly (readonly [keys: string, does: string])[] = [
  ["Space", "play, pause"],
  ["P · N", "to the command before, to the next"],
  ["1 · 2 · 3", "1×, 4×, 16×"],
  ["L", "to the end; what goes on is followed from there"],
  ["Arrow keys", "on the slider: back and forth; on the picture: turn and tilt"],
  ["+ − 0", "on the picture: nearer, farther, all of it"],
];

const ACTIONS: Record<string, Action> = {
  " ": { type: "toggle" },
  p: { type: "previous" },
  n: { type: "next" },
  l: { type: "end" },
};

/** `isOnPicture`: whether the focus is on the picture of the world. */
export function commandOf(press: Press, focus: Focus, isOnPicture: boolean): Command | null {
  if (press.altKey || press.ctrlKey || press.metaKey || focus === "text") return null;
  // Space presses what it is on.
  if (press.key === " " && focus === "button") return null;
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  const move = isOnPicture ? TURNING_KEYS[key] : undefined;
  if (move) return { do: "move", move };
  const speed = /^[1-3]$/.test(key) ? SPEEDS[Number(key) - 1] : undefined;
  const action = speed ? ({ type: "speed", speed } as const) : ACTIONS[key];
  return action ? { do: "replay", action } : null;
}
