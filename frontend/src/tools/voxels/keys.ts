/** The keys of the voxel tool. Letters, digits and signs can be switched off; cursor keys belong to the picture. */

import type { Focus, Press } from "../../work/focus";
import { TOOLS, type Tool } from "./marking/tools";
import type { CursorStep } from "./camera/cursor_steps";

export type Axis = 0 | 1 | 2;

export type Command =
  | { do: "walk"; by: CursorStep }
  | { do: "home" }
  | { do: "thing"; by: 1 | -1 }
  | { do: "apply" }
  | { do: "drop" }
  | { do: "tool"; tool: Tool }
  | { do: "unmark" | "air" | "undo" | "redo" | "clear" | "ground" | "absent" | "submit" | "help" | "reset" }
  | { do: "turn"; yaw: number; pitch: number }
  | { do: "zoom"; factor: number }
  | { do: "pan"; right: number; up: number }
  | { do: "plane"; axis: Axis };

/** One press in degrees, as a factor, and as a share of the distance. */
export const TURN = 15;
export const NEARER = 1.2;
export const SLIDE = 0.08;

type HelpLine = readonly [keys: string, does: string];

const WALK_HELP: readonly HelpLine[] = [
  ["Tab · Shift Tab", "to the next thing, the one before; after the last one out of the picture"],
  ["Arrow keys", "walk the cursor, as the picture shows it"],
  ["Page Up · Page Down", "cursor up, down; Home: to the middle"],
];
const SEE_HELP: readonly HelpLine[] = [
  ["Q E · R F", "turn · tilt"],
  ["+ − · 0", "nearer, farther · the whole scene"],
  ["Shift and arrows", "slide the picture"],
  ["G", "hide or show the ground"],
  ["X · V · B", "cut along x, upwards, along z; then arrows"],
];
const END_HELP: readonly HelpLine[] = [
  ["Ctrl Enter", "done"],
  ["?", "this list"],
];

/** The lines of the help. */
export const KEY_HELP: readonly HelpLine[] = [
  ...WALK_HELP,
  ["Enter or Space", "mark that thing; once more: what touches it too"],
  ["after arrow keys", "Enter uses the tool there; a box takes two corners"],
  ["Esc", "drop the first corner"],
  ["1 2 3 4 5", "the tools, from the left"],
  ["U · A", "mark or unmark · blocks or air"],
  ["Z · Y or Shift Z · C", "undo · redo · clear"],
  ["N", "it is not there"],
  ...SEE_HELP,
  ...END_HELP,
];

/** The keys for scenes that are named, not marked: letters go into the text. */
export const LOOK_HELP: readonly HelpLine[] = [
  ["Letters", "go into the name"],
  ["Enter", "done"],
  ...WALK_HELP,
  ["Shift and arrows", "slide the picture"],
];

const WALKS: Record<string, CursorStep> = {
  ArrowLeft: { right: -1, up: 0, away: 0 },
  ArrowRight: { right: 1, up: 0, away: 0 },
  ArrowUp: { right: 0, up: 0, away: 1 },
  ArrowDown: { right: 0, up: 0, away: -1 },
  PageUp: { right: 0, up: 1, away: 0 },
  PageDown: { right: 0, up: -1, away: 0 },
};

const LETTERS: Record<string, Command> = {
  u: { do: "unmark" },
  a: { do: "air" },
  z: { do: "undo" },
  y: { do: "redo" },
  c: { do: "clear" },
  n: { do: "absent" },
  g: { do: "ground" },
  q: { do: "turn", yaw: TURN, pitch: 0 },
  e: { do: "turn", yaw: -TURN, pitch: 0 },
  r: { do: "turn", yaw: 0, pitch: -TURN },
  f: { do: "turn", yaw: 0, pitch: TURN },
  "+": { do: "zoom", factor: NEARER },
  "=": { do: "zoom", factor: NEARER },
  "-": { do: "zoom", factor: 1 / NEARER },
  "0": { do: "reset" },
  x: { do: "plane", axis: 0 },
  v: { do: "plane", axis: 1 },
  b: { do: "plane", axis: 2 },
  "?": { do: "help" },
};

export function commandOf(press: Press, focus: Focus, keysOn: boolean): Command | null {
  if (press.altKey) return null;
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  if (press.ctrlKey || press.metaKey) {
    if (key === "Enter") return { do: "submit" };
    if (focus === "text") return null;
    if (key === "z") return { do: press.shiftKey ? "redo" : "undo" };
    return key === "y" ? { do: "redo" } : null;
  }
  if (focus === "text") return null;
  if (key === "Escape") return { do: "drop" };
  if (key === "Tab") return focus === "other" ? { do: "thing", by: press.shiftKey ? -1 : 1 } : null;
  if (focus === "other") {
    const walk = WALKS[key];
    if (walk)
      return press.shiftKey && walk.up === 0
        ? { do: "pan", right: walk.right * SLIDE, up: walk.away * SLIDE }
        : { do: "walk", by: walk };
    if (key === "Home") return { do: "home" };
    if (key === "Enter" || key === " ") return { do: "apply" };
  }
  if (!keysOn) return null;
  if (key === "z" && press.shiftKey) return { do: "redo" };
  const tool = TOOLS[Number(key) - 1];
  return tool ? { do: "tool", tool } : (LETTERS[key] ?? null);
}

/** Whether the key writes something: with Ctrl, Alt or Meta it belongs to the browser. */
export const isLetter = ({ key, ctrlKey, metaKey, altKey }: Press): boolean =>
  key.length === 1 && key !== " " && !ctrlKey && !metaKey && !altKey;

/** Commands that repeat while the key is held. */
export const repeats = ({ do: what }: Command): boolean => ["walk", "thing", "turn", "zoom", "pan"].includes(what);
