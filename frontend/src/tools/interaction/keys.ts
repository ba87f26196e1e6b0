/** The keys of the page. The keys for walking and building are in walking/. */

import type { Focus, Press } from "../../work/focus";
import { WALK_HELP } from "./walking";

export type Command = { do: "choose"; choice: number } | { do: "back" } | { do: "help" } | { do: "block"; by: 1 | -1 };

export const KEY_HELP: readonly (readonly [keys: string, does: string])[] = [
  ["⏎", "send the command, while you type"],
  ["1 … 9", "answer a question, by its number"],
  ["Backspace", "back to the question before"],
  ["R, F", "next and previous block in the hand, in the world"],
  ...WALK_HELP,
  ["?", "this list"],
];

/** `isWriting`: the focus is in a text field that accepts input now. */
export function commandOf(
  press: Press,
  focus: Focus,
  isWriting: boolean,
  isInWorld: boolean,
  keysOn: boolean,
): Command | null {
  if (press.ctrlKey || press.metaKey || press.altKey || isWriting) return null;
  // The list of keys always opens, because keys are switched on there.
  if (press.key === "?") return { do: "help" };
  if (!keysOn || focus === "slider") return null;
  if (/^[1-9]$/.test(press.key) && !press.shiftKey) return { do: "choose", choice: Number(press.key) - 1 };
  if (press.key === "Backspace") return { do: "back" };
  if (isInWorld && press.key.toLowerCase() === "r") return { do: "block", by: 1 };
  if (isInWorld && press.key.toLowerCase() === "f") return { do: "block", by: -1 };
  return null;
}
