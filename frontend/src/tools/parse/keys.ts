/** The keys of the steps. The keys of the words are in view/tokens.tsx. */

import type { Focus, Press } from "../../work/focus";

export type Command =
  | { do: "pick"; index: number }
  | { do: "say"; yes: boolean }
  | { do: "next" }
  | { do: "undo" }
  | { do: "unknown" }
  | { do: "help" };

/** The keys of the options in order. N and Y mean no and yes, U means undo. */
export const OPTION_KEYS: readonly string[] = [..."123456789abcdefghijklmopqrstvwxz"];

/** The lines of the help. */
export const KEY_HELP: readonly (readonly [keys: string, does: string])[] = [
  ["1 … 9, A, B …", "pick an option; Y and N: yes and no"],
  ["Enter", "next"],
  ["Backspace or U", "undo, or the question before"],
  ["← →", "from word to word, or up and down the options"],
  ["Space", "mark or unmark the word, or pick the option"],
  ["Shift ← →", "mark several words in a row"],
  ["Home · End", "first, last word"],
  ["0 0", "I cannot tell"],
  ["?", "this list"],
];

export function commandOf(press: Press, focus: Focus): Command | null {
  if (press.ctrlKey || press.metaKey || press.altKey || focus === "text") return null;
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  switch (key) {
    case "Enter":
      return focus === "button" ? null : { do: "next" };
    case "Backspace":
    case "u":
      return { do: "undo" };
    case "y":
    case "n":
      return { do: "say", yes: key === "y" };
    case "0":
      return { do: "unknown" };
    case "?":
      return { do: "help" };
  }
  const index = OPTION_KEYS.indexOf(key);
  return index < 0 ? null : { do: "pick", index };
}
