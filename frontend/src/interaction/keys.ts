/** Which key does what. Keys that walk and build are the world's own. */

import type { Focus, Press } from "../shared/focus";
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

/** `isWriting`: the focus is in a field that takes text now. */
export function commandOf(press: Press, focus: Focus, isWriting: boolean, isInWorld: boolean, keysOn: boolean): Command | null {
  if (press.ctrlKey || press.metaKey || press.altKey || isWriting) return null;
  // The list can always be had: it is where the keys are switched on again.
  if (press.key === "?") return { do: "help" };
  if (!keysOn || focus === "slider") return null;
  if (/^[1-9]$/.test(press.key) && !press.shiftKey) return { do: "choose", choice: Number(press.key) - 1 };
  if (press.key === "Backspace") return { do: "back" };
  if (isInWorld && press.key.toLowerCase() === "r") return { do: "block", by: 1 };
  if (isInWorld && press.key.toLowerCase() === "f") return { do: "block", by: -1 };
  return null;
}
