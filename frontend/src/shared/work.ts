/** The calls of the work API that every tool's page makes. Each may be repeated without harm. */

import type { Line, Patience } from "./http";
import { patiently } from "./http";
import type { Schemas } from "./schemas";

export type ReportKind = Schemas["ReportBodyRequest"]["problem"];
/** `decisions`: what went against the worker, the newest first. */
export type Standing = Pick<Schemas["WorkAnswer"], "progress" | "earned" | "notice"> & Partial<Pick<Schemas["WorkAnswer"], "decisions">>;

/** `C` is an assignment with the tool's payload, `A` the tool's answer, `D` its draft. */
export interface WorkApi<C, A, D> {
  /** The task to judge now; null when there is none left. */
  claim(patience: Patience): Promise<C | null>;
  /** The task after this one, reserved; null when there is none. */
  ahead(): Promise<C | null>;
  submit(assignment: string, answer: A, active_s: number, patience: Patience): Promise<void>;
  saveDraft(assignment: string, draft: D, leaving?: boolean): Promise<void>;
  /** Answers when the lease now ends, in ms of the server's clock. */
  heartbeat(assignment: string): Promise<number>;
  release(assignment: string, patience: Patience): Promise<void>;
  report(assignment: string, problem: ReportKind, text: string, patience: Patience): Promise<void>;
  standing(): Promise<Standing>;
  /** The worker has read what `standing` gave as a notice. */
  closeNotice(patience: Patience): Promise<void>;
  serverNow(): number;
}

export function workApi<C, A, D>(line: Line): WorkApi<C, A, D> {
  const { send } = line;
  const on = (assignment: string, verb: string): string => `assignments/${encodeURIComponent(assignment)}/${verb}`;
  return {
    claim: (patience) => patiently(async () => (await send("POST", "claim/", {})).body as C | null, patience),
    ahead: async () => (await send("POST", "ahead/", {})).body as C | null,
    submit: async (assignment, answer, active_s, patience) => {
      await patiently(() => send("POST", on(assignment, "submit/"), { answer, active_s }), patience);
    },
    saveDraft: async (assignment, draft, leaving = false) => {
      await send("PATCH", on(assignment, ""), { draft }, { keepalive: leaving });
    },
    heartbeat: async (assignment) => {
      const { body } = await send("POST", on(assignment, "heartbeat/"), {});
      return Date.parse((body as { lease_expires_at: string }).lease_expires_at);
    },
    release: async (assignment, patience) => {
      await patiently(() => send("POST", on(assignment, "release/"), {}), patience);
    },
    report: async (assignment, problem, text, patience) => {
      await patiently(() => send("POST", on(assignment, "report/"), text ? { problem, text } : { problem }), patience);
    },
    standing: async () => (await send("GET", "")).body as Standing,
    closeNotice: async (patience) => {
      await patiently(() => send("POST", "notice/", {}), patience);
    },
    serverNow: line.serverNow,
  };
}
