/** The sentences of the page, in the worker's terms. */

import nouns from "@lib/task_nouns.json";
import { progressWords, sendingWords, type TaskNoun } from "../../work/texts";
import type { ReportTexts } from "../../work/view/dialogs";
import type { Question } from "./payload";
import type { Notice, ParseState, Way } from "./state";

export const TASK_NOUN: TaskNoun = nouns.parse;

export const REPORT: ReportTexts = {
  ask: "What is wrong with this command?",
  problems: [
    ["instruction_unclear", "I do not understand the command"],
    ["ambiguous", "It could mean more than one thing"],
    ["other", "Something else"],
  ],
  after: "You then go on with the next command, and this one does not come back to you.",
};

export const WAY_WORDS: Record<Way, { label: string; sure: string }> = {
  unknown: { label: "I cannot tell", sure: "Sure? Press again: I cannot tell" },
  not_a_command: { label: "This is not a command", sure: "Sure? Press again: not a command" },
};

const UNANSWERED: Record<Question["kind"], string> = {
  choice: "Pick one first; if none fits, press “I cannot tell”.",
  choices: "Pick at least one first; if none fits, press “I cannot tell”.",
  spans: "Mark the words first; if there are none, press “I cannot tell”.",
  yes_no: "Say yes or no first.",
  text: "Type something first.",
};

export function noticeWords(notice: Notice): string {
  switch (notice.is) {
    case "unanswered":
      return UNANSWERED[notice.kind];
    case "nothing_to_undo":
      return notice.mayGoBack
        ? "Nothing to undo here. “Go back to” below leads to earlier answers."
        : "Nothing to undo here.";
    case "sure":
      return notice.way === "unknown"
        ? "Press it once more if you really cannot tell."
        : "Press it once more if this asks for nothing at all.";
    case "name_the_part":
      return "Press the key of the part that is wrong, or tap it.";
    case "faulty":
      return "Some parts do not fit together yet. They are listed; each leads to its place.";
    default:
      return progressWords(notice, TASK_NOUN);
  }
}

/** The line of remarks; the state of sending comes first. */
export function remarkOf(state: Pick<ParseState, "sending" | "notice">): string {
  return sendingWords(state.sending) || (state.notice ? noticeWords(state.notice) : "");
}

/** How this kind of question is answered. */
export function hintOf(question: Question): string {
  const none = question.optional ? " None is fine." : "";
  switch (question.kind) {
    case "spans":
      return `Tap the words, or press their letters; with Shift for the first of several words in a row.${none}`;
    case "choices":
      return question.usual.length ? "" : `Pick all that are said.${none}`;
    case "choice":
      return question.optional ? "Pick one, or none." : "Pick one.";
    case "text":
      return question.optional ? "None is fine." : "";
    case "yes_no":
      return "";
  }
}

/** An example in pieces: text between asterisks is important. */
export function pieces(example: string): { text: string; isMeant: boolean }[] {
  // Splitting at a group keeps the group: every second piece is one.
  return example
    .split(/\*([^*]+)\*/)
    .map((text, index) => ({ text, isMeant: index % 2 === 1 }))
    .filter(({ text }) => text !== "");
}
