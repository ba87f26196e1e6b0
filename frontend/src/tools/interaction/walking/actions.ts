/** The actions of a worker in the world, and their keys. */

/** The actions in `HELD` last as long as the key is held; the other two happen once for each press. */
export type Action = Held | "place" | "destroy";

export const HELD = [
  "forward",
  "back",
  "left",
  "right",
  "up",
  "down",
  "turn_left",
  "turn_right",
  "look_up",
  "look_down",
] as const;
export type Held = (typeof HELD)[number];

/** By `KeyboardEvent.code`, so that the keys have the same places on every keyboard layout. */
const KEYS: Readonly<Record<string, Action>> = {
  KeyW: "forward",
  KeyS: "back",
  KeyA: "left",
  KeyD: "right",
  Space: "up",
  ShiftLeft: "down",
  ShiftRight: "down",
  ArrowLeft: "turn_left",
  ArrowRight: "turn_right",
  ArrowUp: "look_up",
  ArrowDown: "look_down",
  KeyE: "place",
  Enter: "place",
  NumpadEnter: "place",
  KeyQ: "destroy",
  KeyX: "destroy",
  Delete: "destroy",
};

/** The lines of the help: keys, and what they do. */
export const WALK_HELP: readonly (readonly [keys: string, does: string])[] = [
  ["W A S D", "walk; Space: up, Shift: down"],
  ["Arrow keys or mouse", "look around; a click catches the mouse, Esc lets it go"],
  ["E or Enter, left click", "place a block"],
  ["Q or X, right click", "take a block away"],
];

export function actionOf(code: string): Action | null {
  return KEYS[code] ?? null;
}

export function isHeld(action: Action): action is Held {
  return action !== "place" && action !== "destroy";
}
