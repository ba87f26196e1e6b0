/** The state of the review page, beside the state of its marker. Pure: no clock, no network, no player. */

import type { Finding, AnswerData, ReviewData, WorkerAnswer } from "./payload";

export type Act = "adjudicate" | "confirm" | "refuse" | "take_back" | "unjudgeable" | "reopen" | "more" | "dismiss";

export interface Fault {
  pointer: string;
  detail: string;
}

/** Why the last request failed: the server's words, or ours when it was not reached. */
export interface Trouble {
  detail: string;
  faults: Fault[];
}

export type Dialog = "keys" | "tag" | null;

export interface ReviewState {
  /** The number of the answer that was chosen last; 0 is the consensus. */
  chosen: number | null;
  act: Act;
  reason: string;
  isSending: boolean;
  trouble: Trouble | null;
  dialog: Dialog;
  findings: Finding[];
  /** Findings by the id of the answer. */
  found: Record<string, Finding[]>;
  tagTrouble: string;
  /** Read aloud once. */
  spoken: string;
}

export type Action =
  | { type: "choose"; number: number }
  | { type: "act"; act: Act }
  | { type: "reason"; text: string }
  | { type: "sending" }
  | { type: "refused"; trouble: Trouble }
  | { type: "dialog"; dialog: Dialog }
  | { type: "tagged"; findings: Finding[]; answers: Record<string, Finding[]>; said: string }
  | { type: "tag_refused"; why: string };

export function initialState(data: ReviewData): ReviewState {
  return {
    chosen: null,
    act: data.proposed && !data.proposed.is_mine ? "confirm" : data.task.is_reference ? "dismiss" : "adjudicate",
    reason: "",
    isSending: false,
    trouble: null,
    dialog: null,
    findings: data.findings,
    found: Object.fromEntries(data.answers.map((said) => [said.id, said.findings])),
    tagTrouble: "",
    spoken: "",
  };
}

export function reduce(state: ReviewState, action: Action): ReviewState {
  switch (action.type) {
    case "choose":
      return { ...state, chosen: action.number };
    case "act":
      return state.isSending ? state : { ...state, act: action.act, trouble: null };
    case "reason":
      return { ...state, reason: action.text };
    case "sending":
      return { ...state, isSending: true, trouble: null };
    case "refused":
      return { ...state, isSending: false, trouble: action.trouble };
    case "dialog":
      return { ...state, dialog: action.dialog, tagTrouble: "" };
    case "tagged":
      return { ...state, findings: action.findings, found: action.answers, tagTrouble: "", spoken: action.said };
    case "tag_refused":
      return { ...state, tagTrouble: action.why };
  }
}

/** The acts that the task allows now, in the order of the page. */
export function actsOf(data: ReviewData): Act[] {
  if (!data.may_decide) return [];
  const { task, proposed, standing } = data;
  const acts: Act[] = [];
  if (proposed && !proposed.is_mine) acts.push("confirm", "refuse");
  if (!task.is_reference) acts.push("adjudicate");
  if (proposed || standing) acts.push("take_back");
  acts.push(task.status === "unjudgeable" ? "reopen" : "unjudgeable");
  if (!task.is_reference && task.status !== "unjudgeable" && !proposed && !standing) acts.push("more");
  acts.push("dismiss");
  return acts;
}

/** Acts that need no reason. */
const NEEDS_NO_REASON: readonly Act[] = ["confirm", "more", "reopen"];

/** The fault that prevents sending; null if there is none. */
export function missing(state: ReviewState, hasMarker: boolean): Fault | null {
  if (state.act === "adjudicate" && !hasMarker) {
    return {
      pointer: "#/answer",
      detail: "There is no answer yet. Set the marker with S, F or N, or take an answer with its number and Enter.",
    };
  }
  if (!state.reason.trim() && !NEEDS_NO_REASON.includes(state.act)) {
    return { pointer: "#/reason", detail: "Say why: whoever looks at this later cannot ask you." };
  }
  return null;
}

/** The message of one field; "" if there is nothing wrong with it. */
export function faultAt(state: ReviewState, pointer: string): string {
  const faults =
    state.trouble?.faults.filter((fault) => fault.pointer === pointer || fault.pointer.startsWith(`${pointer}/`)) ?? [];
  return faults.map((fault) => fault.detail).join(" ");
}

/** The answer of a number key. */
export function answerAt(data: ReviewData, number: number | null): AnswerData | null {
  if (number === 0) return data.consensus?.answer ?? null;
  return workerAnswerAt(data, number)?.answer ?? null;
}

export function workerAnswerAt(data: ReviewData, number: number | null): WorkerAnswer | null {
  return data.answers.find((said) => said.number === number) ?? null;
}
