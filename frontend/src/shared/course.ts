/** How work goes, whatever the tool: which page stands there, where the answer is, what there is to say. Pure. */

import { Problem, Unreachable, type Wait } from "./http";
import type { Standing } from "./work";

/** Which page stands there. */
export type Screen =
  | { is: "starting" }
  | { is: "judging" }
  | { is: "finished" }
  | { is: "refused"; code: string; detail: string }
  | { is: "lost"; endedAt: number };

/** Where the answer is on its way. */
export type Sending = { is: "idle" } | { is: "sending" } | { is: "waiting"; why: Why; attempt: number };

export type Why = "offline" | "server";

/** What every tool may have to say. */
export type CourseNotice = { is: "refused_answer"; detail: string } | { is: "elsewhere" } | { is: "connecting"; why: Why; attempt: number };

export type Dialog = "keys" | "report" | null;

/** What every tool's page keeps; `N` is what only this tool has to say. */
export interface Course<N> {
  screen: Screen;
  sending: Sending;
  notice: N | CourseNotice | null;
  dialog: Dialog;
  keysOn: boolean;
  standing: Standing | null;
  lease_ends: number | null;
}

export type CourseAction<N = never> =
  | { type: "screen"; screen: Screen }
  | { type: "sending"; sending: Sending }
  | { type: "notice"; notice: N | CourseNotice | null }
  | { type: "dialog"; dialog: Dialog }
  | { type: "keys"; on: boolean }
  | { type: "standing"; standing: Standing }
  | { type: "lease"; ends: number };

export function initialCourse(keysOn: boolean): Course<never> {
  return { screen: { is: "starting" }, sending: { is: "idle" }, notice: null, dialog: null, keysOn, standing: null, lease_ends: null };
}

/** What a new task changes: what was said about the last one goes, but for the word that it was done elsewhere. */
export function taskCourse<N extends { is: string }>({ notice, dialog }: Course<N>, lease_ends: number): Partial<Course<N>> {
  return {
    screen: { is: "judging" },
    sending: { is: "idle" },
    notice: notice?.is === "elsewhere" ? notice : null,
    dialog: dialog === "report" ? null : dialog,
    lease_ends,
  };
}

/** What an action of the course changes, in any tool. */
export function stepCourse<N>(action: CourseAction<N>): Partial<Course<N>> {
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
    case "standing":
      return { standing: action.standing };
    case "lease":
      return { lease_ends: action.ends };
  }
}

/** Why an answer is waited for. */
export function whyOf({ error }: Wait, isOnline: boolean): Why {
  return error instanceof Unreachable && (!isOnline || error.reason === "offline") ? "offline" : "server";
}

/** The page that a refusal leads to. */
export function refusedBy(error: Problem): Screen {
  return { is: "refused", code: error.status === 401 ? "bad_link" : error.code, detail: error.detail };
}
