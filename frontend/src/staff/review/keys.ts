/** The keys of the review page: the marker's keys and those for decisions. */

import { commandOf, KEY_HELP, type Command } from "../../tools/marker/keys";
import type { Focus, Press } from "../../work/focus";
import type { Act } from "./state";

export type ReviewCommand =
  | Exclude<Command, { do: "submit" } | { do: "help" }>
  | { do: "choose"; number: number }
  | { do: "consensus" }
  | { do: "take" }
  | { do: "act"; act: Act }
  | { do: "send" }
  | { do: "leave" }
  | { do: "tag" }
  | { do: "next" }
  | { do: "keys" };

const ACTS: Readonly<Record<string, Act>> = {
  c: "confirm",
  r: "refuse",
  b: "take_back",
  x: "unjudgeable",
  o: "reopen",
  m: "more",
  d: "dismiss",
};

export const ACT_KEY: Readonly<Record<Act, string>> = {
  adjudicate: "S",
  confirm: "C",
  refuse: "R",
  take_back: "B",
  unjudgeable: "X",
  reopen: "O",
  more: "M",
  dismiss: "D",
};

export const REVIEW_HELP: readonly (readonly [string, string])[] = [
  ["1 … 9", "to the moment of that answer"],
  ["0", "to the moment of the consensus"],
  ["Enter", "take the answer that was looked at last; then the reason"],
  ["Ctrl Enter", "send the decision and go on"],
  ["Esc", "from the reason back to the video"],
  ["C · R", "confirm or refuse what another proposed"],
  ["X · M · D", "not judgeable, one more answer, leave as it is"],
  ["B · O", "take a decision back, reopen"],
  ["T", "put the answer or the task into a category"],
  ["G", "on to the next without deciding"],
  ...KEY_HELP.filter(([keys]) => !["Enter", "?", "0"].some((own) => keys.includes(own))),
  ["?", "this list"],
];

/** The command of a key; null leaves the key to the browser. */
export function reviewCommandOf(press: Press, focus: Focus): ReviewCommand | null {
  if (press.key === "Enter" && (press.ctrlKey || press.metaKey) && !press.altKey) return { do: "send" };
  if (press.key === "Escape" && focus === "text") return { do: "leave" };
  if (press.ctrlKey || press.metaKey || press.altKey || focus === "text") return null;
  if (/^[1-9]$/.test(press.key)) return { do: "choose", number: Number(press.key) };
  if (press.key === "0") return { do: "consensus" };
  const letter = press.key.toLowerCase();
  const act = ACTS[letter];
  if (act) return { do: "act", act };
  if (letter === "t") return { do: "tag" };
  if (letter === "g") return { do: "next" };
  const command = commandOf(press, focus);
  if (command?.do === "submit") return { do: "take" };
  if (command?.do === "help") return { do: "keys" };
  return command;
}
