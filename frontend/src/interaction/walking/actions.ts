/** What a worker can do in the world, and the keys that do it. */

/** Those of `HELD` go on for as long as they are held; the other two happen once a press. */
export type Action = Held | "place" | "destroy";

export const HELD = ["forward", "back", "left", "right", "up", "down", "turn_left", "turn_right", "look_up", "look_down"] as const;
export type Held = (typeof HELD)[number];

/** By `KeyboardEvent.code`, so that the keys lie where they lie on every layout. */
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

/** What each line of the help says: keys, and what they do. */
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
