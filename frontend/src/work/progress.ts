/** The state of the work that all tools share: the shown page, the sending of the answer, the notice. Pure. */

import { Problem, Unreachable, type RetryWait } from "./http";
import type { Summary, WorkStatus } from "./api";

/** The page that is shown. */
export type Screen =
  | { is: "starting" }
  | { is: "judging" }
  | { is: "finished" }
  | { is: "refused"; code: string; detail: string }
  | { is: "lost"; endedAt: number };

/** The state of sending the answer. */
export type Sending = { is: "idle" } | { is: "sending" } | { is: "waiting"; why: Why; attempt: number };

export type Why = "offline" | "server";

/** The notices that every tool has. */
export type ProgressNotice =
  | { is: "refused_answer"; detail: string }
  | { is: "try_again"; detail: string }
  | { is: "elsewhere" }
  | { is: "looking_again" }
  | { is: "not_corrected"; detail: string }
  | { is: "connecting"; why: Why; attempt: number };

/** The last submitted task can be looked at again (`offered`), or is being looked at (`open`). */
export type Again = "no" | "offered" | "open";

export type Dialog = "keys" | "report" | null;

/** The shared state of every tool; `N` are the tool's own notices. */
export interface WorkProgress<N> {
  screen: Screen;
  sending: Sending;
  notice: N | ProgressNotice | null;
  dialog: Dialog;
  keysOn: boolean;
  workStatus: WorkStatus | null;
  /** The figures of the last page; null until they are there. */
  summary: Summary | null;
  lease_ends: number | null;
  again: Again;
}

export type ProgressAction<N = never> =
  | { type: "screen"; screen: Screen }
  | { type: "sending"; sending: Sending }
  | { type: "notice"; notice: N | ProgressNotice | null }
  | { type: "dialog"; dialog: Dialog }
  | { type: "keys"; on: boolean }
  | { type: "work_status"; workStatus: WorkStatus }
  | { type: "summary"; summary: Summary }
  | { type: "again"; again: Again }
  | { type: "lease"; ends: number };

export function initialProgress(keysOn: boolean): WorkProgress<never> {
  return {
    screen: { is: "starting" },
    sending: { is: "idle" },
    notice: null,
    dialog: null,
    keysOn,
    workStatus: null,
    summary: null,
    lease_ends: null,
    again: "no",
  };
}

/** Notices about the last task that the next one shows. */
const KEPT = ["elsewhere", "not_corrected"];

/** The changes for a new task. */
export function taskProgress<N extends { is: string }>(
  { notice, dialog }: WorkProgress<N>,
  lease_ends: number,
): Partial<WorkProgress<N>> {
  return {
    screen: { is: "judging" },
    sending: { is: "idle" },
    notice: notice && KEPT.includes(notice.is) ? notice : null,
    dialog: dialog === "report" ? null : dialog,
    lease_ends,
  };
}

/** The changes for a shared action. */
export function stepProgress<N>(action: ProgressAction<N>): Partial<WorkProgress<N>> {
  switch (action.type) {
    case "screen":
      return { screen: action.screen, sending: { is: "idle" }, dialog: null };
    case "sending":
      return { sending: action.sending };
    case "notice":
      return { notice: action.notice };
    case "dialog":
      return { dialog: action.dialog };
    case "keys":
      return { keysOn: action.on };
    case "work_status":
      return { workStatus: action.workStatus };
    case "summary":
      return { summary: action.summary };
    case "again":
      return { again: action.again };
    case "lease":
      return { lease_ends: action.ends };
  }
}

/** Why an answer has to wait. */
export function whyOf({ error }: RetryWait, isOnline: boolean): Why {
  return error instanceof Unreachable && (!isOnline || error.reason === "offline") ? "offline" : "server";
}

/** The page for a refusal. */
export function refusedBy(error: Problem): Screen {
  return { is: "refused", code: error.status === 401 ? "bad_link" : error.code, detail: error.detail };
}

/** Opens the list of keys, or closes it. */
export function toggleKeys(store: { get(): { dialog: Dialog }; dispatch(action: ProgressAction): void }): void {
  store.dispatch({ type: "dialog", dialog: store.get().dialog === "keys" ? null : "keys" });
}
