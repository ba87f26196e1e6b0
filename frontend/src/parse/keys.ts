/** The keyboard map of the steps. The words of the command have keys of their own: view/tokens.tsx. */

import type { Focus, Press } from "../shared/focus";

export type Command = { do: "pick"; index: number } | { do: "say"; yes: boolean } | { do: "next" } | { do: "undo" } | { do: "unknown" } | { do: "help" };

/** Which key picks which option: N and Y say no and yes, U undoes. */
export const OPTION_KEYS: readonly string[] = [..."123456789abcdefghijklmopqrstvwxz"];

/** What each line of the help says. */
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
