/** The keys of the steps. The keys of the words are in view/tokens.tsx. */

import type { Focus, Press } from "../../work/focus";

export type Command =
  | { do: "pick"; index: number }
  | { do: "word"; index: number; goesOn: boolean }
  | { do: "say"; yes: boolean }
  | { do: "next" }
  | { do: "undo" }
  | { do: "unknown" }
  | { do: "help" };

/** The keys of the options in order. N and Y mean no and yes, U means undo. */
export const OPTION_KEYS: readonly string[] = [..."123456789abcdefghijklmopqrstvwxz"];

/** The keys of the words in order; U means undo here too. */
export const WORD_KEYS: readonly string[] = [..."abcdefghijklmnopqrstvwxyz123456789"];

/** The lines of the help. */
export const KEY_HELP: readonly (readonly [keys: string, does: string])[] = [
  ["Enter", "yes, it is right; or go on"],
  ["1 … 9, A, B …", "this part is wrong; or pick this answer"],
  ["A, B … on words", "these are the words; Shift A, C: from A to C"],
  ["Backspace or U", "undo, or the question before"],
  ["← →", "from word to word, or up and down the options"],
  ["Space", "mark or unmark the word, or pick the option"],
  ["Shift ← →", "mark several words in a row"],
  ["Home · End", "first, last word"],
  ["0 0", "I cannot tell"],
  ["?", "this list"],
];

/** `asksWords`: letters mean words of the command. */
export function commandOf(press: Press, focus: Focus, asksWords = false): Command | null {
  if (press.ctrlKey || press.metaKey || press.altKey || focus === "text") return null;
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  switch (key) {
    case "Enter":
      return focus === "button" ? null : { do: "next" };
    case "Backspace":
    case "u":
      return { do: "undo" };
    case "0":
      return { do: "unknown" };
    case "?":
      return { do: "help" };
  }
  if (asksWords) {
    const word = WORD_KEYS.indexOf(key);
    return word < 0 ? null : { do: "word", index: word, goesOn: !press.shiftKey };
  }
  switch (key) {
    case "y":
    case "n":
      return { do: "say", yes: key === "y" };
  }
  const index = OPTION_KEYS.indexOf(key);
  return index < 0 ? null : { do: "pick", index };
}
