/** The two requests of the review page: decide and tag. Both send the forms of the page. */

import { Unreachable } from "../../work/http";
import type { Finding } from "./payload";
import type { Act, Fault } from "./state";

/** A refusal, with the fields that are wrong. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly faults: Fault[],
  ) {
    super(detail);
    this.name = "Refused";
  }
}

export interface Decision {
  act: Act;
  reason: string;
  answer: { outcome: string; frame: number } | null;
  proposal: number | null;
}

export interface Tagged {
  findings: Finding[];
  answers: Record<string, Finding[]>;
}

export interface ReviewApi {
  /** Resolves to the address of the next page. */
  decide(decision: Decision): Promise<string>;
  tag(category: number, annotation: string, note: string): Promise<Tagged>;
  untag(finding: number): Promise<Tagged>;
}

const TIMEOUT_MS = 20_000;

export function reviewApi(
  addresses: { decide: string; tags: string },
  csrf: string,
  fetcher: typeof fetch = (...a) => fetch(...a),
): ReviewApi {
  const post = async (address: string, fields: Record<string, string>): Promise<unknown> => {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), TIMEOUT_MS);
    let response: Response;
    try {
      response = await fetcher(address, {
        method: "POST",
        headers: { Accept: "application/json", "X-CSRFToken": csrf },
        credentials: "same-origin",
        redirect: "manual",
        signal: stop.signal,
        body: new URLSearchParams(fields),
      });
    } catch {
      throw new Unreachable(stop.signal.aborted ? "timeout" : "offline");
    } finally {
      clearTimeout(timer);
    }
    // A signed-out request is redirected to the sign-in page.
    if (response.type === "opaqueredirect")
      throw new Refused(401, "You are signed out. Sign in in another tab, then send this again.", []);
    const said = (await response.json().catch(() => ({}))) as { detail?: string; errors?: Fault[] };
    if (!response.ok)
      throw new Refused(response.status, said.detail ?? "The server refused without saying why.", said.errors ?? []);
    return said;
  };
  return {
    decide: async ({ act, reason, answer, proposal }) => {
      const fields: Record<string, string> = { act, reason };
      if (answer) fields["answer"] = JSON.stringify(answer);
      if (proposal !== null) fields["proposal"] = String(proposal);
      return ((await post(addresses.decide, fields)) as { next: string }).next;
    },
    tag: async (category, annotation, note) =>
      (await post(addresses.tags, { category: String(category), annotation, note })) as Tagged,
    untag: async (finding) => (await post(addresses.tags, { remove: String(finding) })) as Tagged,
  };
}
