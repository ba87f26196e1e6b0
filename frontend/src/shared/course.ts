/** How work goes, whatever the tool: which page stands there, where the answer is, what there is to say. Pure. */

import { Problem, Unreachable, type Wait } from "./http";

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

/** Why an answer is waited for. */
export function whyOf({ error }: Wait, isOnline: boolean): Why {
  return error instanceof Unreachable && (!isOnline || error.reason === "offline") ? "offline" : "server";
}

/** The page that a refusal leads to. */
export function refusedBy(error: Problem): Screen {
  return { is: "refused", code: error.status === 401 ? "bad_link" : error.code, detail: error.detail };
}
