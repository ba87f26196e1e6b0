/** The keys of the replay. They work while the focus is inside it. */

import type { Focus, Press } from "../../work/focus";
import { CAMERA_KEYS, type CameraStep } from "../../tools/voxels/camera/camera_steps";
import { SPEEDS, type Action } from "./state";

export type Command = { do: "replay"; action: Action } | { do: "move"; move: CameraStep };

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

/** `isOnPicture`: the focus is on the picture of the world. */
export function commandOf(press: Press, focus: Focus, isOnPicture: boolean): Command | null {
  if (press.altKey || press.ctrlKey || press.metaKey || focus === "text") return null;
  // On a button, Space presses that button.
  if (press.key === " " && focus === "button") return null;
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  const move = isOnPicture ? CAMERA_KEYS[key] : undefined;
  if (move) return { do: "move", move };
  const speed = /^[1-3]$/.test(key) ? SPEEDS[Number(key) - 1] : undefined;
  const action = speed ? ({ type: "speed", speed } as const) : ACTIONS[key];
  return action ? { do: "replay", action } : null;
}
