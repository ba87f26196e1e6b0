/** The sentences of the review page. */

import { SIGN } from "../../tools/marker/texts";
import { exactTime, seconds } from "../../tools/marker/units";
import type { AnswerData, WorkerRecord, WorkerAnswer } from "./payload";
import type { Act } from "./state";

/** The label of an act on its own button and on the button that sends it. */
export function actWords(act: Act, twoPersons: boolean): { label: string; send: string } {
  switch (act) {
    case "adjudicate":
      return twoPersons ? { label: "Answer it", send: "Propose this answer" } : { label: "Answer it", send: "Decide" };
    case "confirm":
      return { label: "Confirm", send: "Confirm the proposal" };
    case "refuse":
      return { label: "Refuse", send: "Refuse the proposal" };
    case "take_back":
      return { label: "Take back", send: "Take it back" };
    case "unjudgeable":
      return { label: "Not judgeable", send: "Close as not judgeable" };
    case "reopen":
      return { label: "Reopen", send: "Reopen" };
    case "more":
      return { label: "One more", send: "Ask one more person" };
    case "dismiss":
      return { label: "Leave it", send: "Leave as it is" };
  }
}

/** The explanation of an act, shown below the buttons. */
export function actHelp(act: Act, twoPersons: boolean): string {
  switch (act) {
    case "adjudicate":
      return twoPersons
        ? "A second reviewer confirms it before it counts."
        : "Your answer counts instead of the workers'.";
    case "confirm":
      return "The proposed answer counts from now on.";
    case "refuse":
      return "The task waits for another decision.";
    case "take_back":
      return "The workers' answers decide again.";
    case "unjudgeable":
      return "Counted apart, and given to nobody any more.";
    case "reopen":
      return "The answers that there are count as before.";
    case "more":
      return "One more person is asked; the reports are done with.";
    case "dismiss":
      return "The consensus is accepted as it is; the reports are done with.";
  }
}

/** `✓ success at 12.433 s`, `tie`. */
export function answerWords(kept: AnswerData): string {
  if (!kept.outcome) return "tie";
  const at = kept.time_s === null || kept.time_s === undefined ? "" : ` at ${exactTime(seconds(kept.time_s))}`;
  return `${SIGN[kept.outcome]} ${kept.outcome}${at}`;
}

/** A worker's record in short: `87 % (74–95) of 20`. */
export function recordWords(record: WorkerRecord | null): string {
  if (!record || record.balanced_accuracy === null)
    return record?.references ? `${record.references} references, of one kind` : "no references yet";
  const whole = (share: number | null): string => (share === null ? "?" : String(Math.round(share * 100)));
  return `${whole(record.balanced_accuracy)} % (${whole(record.low)}–${whole(record.high)}) of ${record.references}`;
}

/** `8 s`, `2 min`. */
export function tookWords(took_s: number): string {
  return took_s < 100 ? `${Math.round(took_s)} s` : `${Math.round(took_s / 60)} min`;
}

export function workerAnswerWords(said: WorkerAnswer): string {
  return `Answer ${said.number} of ${said.name}: ${answerWords(said.answer)}${said.is_standing ? "" : ", replaced"}`;
}
