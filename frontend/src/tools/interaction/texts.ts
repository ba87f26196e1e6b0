/** The sentences of the page, in the worker's terms. */

import nouns from "@lib/task_nouns.json";
import { progressWords, sendingWords, type TaskNoun } from "../../work/texts";
import { clock } from "../../work/formats";
import type { Live } from "./live";
import type { Hindrance, Status } from "./session_status";
import type { InteractionState } from "./state";
import type { Missed } from "./walking";
import { CLOSE } from "./connection/wire";

export const TASK_NOUN: TaskNoun = nouns.interaction;

/** The current status is shown in full, earlier ones in one word. */
export const STATUS_WORDS: Record<Status, { now: string; passed: string }> = {
  sending: { now: "sending command", passed: "sent" },
  received: { now: "command received", passed: "received" },
  thinking: { now: "assistant is thinking", passed: "thought" },
  acting: { now: "assistant is doing the task", passed: "done" },
};

const HINDRANCES: Record<Hindrance, string> = {
  not_started: "Press Start first.",
  at_work: "The assistant is still at work. Stop ends it.",
  stopping: "Stop is on its way. One moment …",
  asked: "First answer the assistant.",
  question: "First answer the question.",
  waits: "One moment …",
  no_agent: "The assistant is not here at the moment.",
  time_over: "The time for commands is over. Press Finish.",
  ended: "The session is over.",
};

/** The hint under the field: why nothing can be sent now. */
export function hintOf(hindrance: Hindrance | null): string {
  return hindrance ? HINDRANCES[hindrance] : "One sentence at a time. ⏎ sends it.";
}

export function minutes(minimum_s: number): string {
  const [whole, rest] = [Math.floor(minimum_s / 60), minimum_s % 60];
  const named = whole === 1 ? "one minute" : `${whole} minutes`;
  const seconds = rest === 1 ? "one second" : `${rest} seconds`;
  if (whole === 0) return seconds;
  return rest === 0 ? named : `${named} and ${seconds}`;
}

/** Why a press did not place or remove a block. */
export const MISSED_TEXTS: Record<Missed, string> = {
  far: "No block is near enough. Walk closer, or look down.",
  no_room: "There is no room for a block. Aim at another place.",
};

/** The message about the connection and the assistant; "" if all is well. */
export function presenceWords(live: Live): string {
  if (!live.line.isUp)
    return live.line.attempt === 0 ? "Connecting …" : "No connection. What you do is kept here and will be sent.";
  const counts = live.phase === "running" ? " Your time counts." : "";
  if (live.agent === "waiting") return `The assistant is not here yet; this may take a moment.${counts}`;
  if (live.agent === "away") return `The assistant has lost its connection and may be back in a moment.${counts}`;
  return "";
}

export const clockWords = (elapsed: number, minimum_s: number): string => `${clock(elapsed)} of ${clock(minimum_s)}`;

const PART_PAID =
  "paid for the part of the minimum time that you worked; if you give no command though the assistant is here, you are paid nothing.";

/** The sentence about the pay of someone who leaves early. */
export const LEAVING = `If you leave early you are ${PART_PAID}`;

/** Shown when the session can already be finished. */
export const FINISH_INSTEAD =
  "You can finish now instead, and then the session counts in full: press Stay, then Finish.";

/** The message about the work itself, not about the session. */
export function remarkOf(state: InteractionState): string {
  return sendingWords(state.sending) || (state.notice ? progressWords(state.notice, TASK_NOUN) : "");
}

export interface EndWords {
  title: string;
  text: string;
}

/** How the session ended, what that means for the pay, and what to do next. */
export function endWords(reason: string | null, earned: string | null): EndWords {
  const next = "You may look for another session, or close this page.";
  const soFar = earned ? ` You have earned ${earned} in this project so far.` : "";
  switch (reason) {
    case "finished":
      return {
        title: "Thank you. Your session is handed in.",
        text: `It counts in full, and is paid once it has been looked at.${soFar} ${next}`,
      };
    case "left":
      return { title: "You left the session.", text: `You are ${PART_PAID}${soFar} ${next}` };
    case "expired":
      return {
        title: "The time for this session ran out.",
        text: `Nothing was heard from this page for too long. You are ${PART_PAID}${soFar} ${next}`,
      };
    case "agent_lost":
      return {
        title: "The assistant did not come back.",
        text: `That was not your fault. You are paid for the part of the minimum time that you were here.${soFar} ${next}`,
      };
    case "staff":
      return {
        title: "We ended this session.",
        text: `That need not be your fault. You are paid for the part of the minimum time that you were here.${soFar} ${next}`,
      };
    default:
      return {
        title: "This session is over.",
        text: `What you did is kept, and what you are owed is paid.${soFar} ${next}`,
      };
  }
}

export interface ClosedWords extends EndWords {
  button: string;
  does: "here" | "reload";
}

/** Why this page has no connection to a session that goes on. */
export function closedWords(code: number): ClosedWords {
  switch (code) {
    case CLOSE.replaced:
      return {
        title: "This session is open on another page.",
        text: "Continue here? The other page then stops. Nothing is lost.",
        button: "Continue here",
        does: "here",
      };
    case CLOSE.token:
      return {
        title: "Your link no longer works.",
        text: "Please load the page again; if that does not help, open it from where you got the link. What you did is kept.",
        button: "Load the page again",
        does: "reload",
      };
    default:
      return {
        title: "This session is not yours.",
        text: "Another person may have worked in this browser. Load the page again to go on with your own.",
        button: "Load the page again",
        does: "reload",
      };
  }
}

export const EASE = {
  ask: "How easy was it to work with the assistant?",
  low: "very hard",
  high: "very easy",
  most: 7,
} as const;
export const SELF = { ask: "How well did you do yourself?", low: "not well", high: "very well", most: 5 } as const;

/** The reason that prevents Finish; "" if nothing does. */
export function finishHint(state: InteractionState): string {
  const { live, thoughts } = state;
  // The last page has no other place for this message, and sending waits for the connection.
  if (!live.line.isUp) return presenceWords(live);
  if (live.isFinishing) return "Handing in …";
  if (live.question || live.command) return "First go back and answer the question about your last command.";
  if (!live.mayFinish) return "Not yet. Please go back and keep going for a while.";
  if (thoughts.usability === null || thoughts.performance === null) return "Please give both ratings.";
  return "";
}
