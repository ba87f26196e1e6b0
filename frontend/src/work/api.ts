/** The requests of the work API that every tool makes. Each may be repeated without harm. */

import type { ApiClient, Retries } from "./http";
import { withRetries } from "./http";
import type { components } from "./api.generated";

/** The shapes of the API, generated from its OpenAPI document by `scripts/api_types.py`. */
export type Schemas = components["schemas"];

/** An assignment as the API gives it, with the payload `P` and the stored draft `D` of one tool. */
export type ClaimOf<P, D> = Omit<Schemas["AssignmentAnswer"], "payload" | "draft"> & { payload: P; draft: D };

export type ReportKind = Schemas["ReportBodyRequest"]["problem"];
/**
 * `decisions`: the decisions against the worker, the newest first. `grace_s`: how long an answer can be corrected, in
 * seconds.
 */
export type WorkStatus = Pick<Schemas["WorkAnswer"], "progress" | "earned" | "notice"> &
  Partial<Pick<Schemas["WorkAnswer"], "decisions" | "grace_s">>;

/** The figures of the last page: work done, comparison, money, tasks left. */
export type Summary = Schemas["SummaryAnswer"];

/** `C` is an assignment with the tool's payload, `A` the tool's answer, `D` its draft. */
export interface WorkApi<C, A, D> {
  /** The current task; null if there is none left. */
  claim(retries: Retries): Promise<C | null>;
  /** Reserves the task after this one; null if there is none. */
  ahead(): Promise<C | null>;
  submit(assignment: string, answer: A, active_s: number, retries: Retries): Promise<void>;
  /** Supersedes a submitted answer. */
  correct(assignment: string, answer: A, retries: Retries): Promise<void>;
  saveDraft(assignment: string, draft: D, leaving?: boolean): Promise<void>;
  /** Renews the lease; returns its new end in ms of the server's clock. */
  heartbeat(assignment: string): Promise<number>;
  release(assignment: string, retries: Retries): Promise<void>;
  report(assignment: string, problem: ReportKind, text: string, retries: Retries): Promise<void>;
  workStatus(): Promise<WorkStatus>;
  summary(): Promise<Summary>;
  /** Reports to the server that the worker has read the notice in `workStatus`. */
  closeNotice(retries: Retries): Promise<void>;
  serverNow(): number;
}

export function workApi<C, A, D>(client: ApiClient): WorkApi<C, A, D> {
  const { send } = client;
  const on = (assignment: string, verb: string): string => `assignments/${encodeURIComponent(assignment)}/${verb}`;
  return {
    claim: (retries) => withRetries(async () => (await send("POST", "claim/", {})).body as C | null, retries),
    ahead: async () => (await send("POST", "ahead/", {})).body as C | null,
    submit: async (assignment, answer, active_s, retries) => {
      await withRetries(() => send("POST", on(assignment, "submit/"), { answer, active_s }), retries);
    },
    correct: async (assignment, answer, retries) => {
      await withRetries(() => send("POST", on(assignment, "correct/"), { answer }), retries);
    },
    saveDraft: async (assignment, draft, leaving = false) => {
      await send("PATCH", on(assignment, ""), { draft }, { keepalive: leaving });
    },
    heartbeat: async (assignment) => {
      const { body } = await send("POST", on(assignment, "heartbeat/"), {});
      return Date.parse((body as { lease_expires_at: string }).lease_expires_at);
    },
    release: async (assignment, retries) => {
      await withRetries(() => send("POST", on(assignment, "release/"), {}), retries);
    },
    report: async (assignment, problem, text, retries) => {
      await withRetries(() => send("POST", on(assignment, "report/"), text ? { problem, text } : { problem }), retries);
    },
    workStatus: async () => (await send("GET", "")).body as WorkStatus,
    summary: async () => (await send("GET", "summary/")).body as Summary,
    closeNotice: async (retries) => {
      await withRetries(() => send("POST", "notice/", {}), retries);
    },
    serverNow: client.serverNow,
  };
}
