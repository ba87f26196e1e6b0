/** The marker's draft: where the worker stands and what they marked. */

import { newerOf } from "../shared/drafts";
import type { Claim, Draft } from "./payload";

/** The server's draft or this browser's, whichever is newer; drafts are ours, but anything may have been stored. */
export function newerDraft(server: Claim["draft"], local: Partial<Draft> | null): Draft | null {
  return newerOf(server, local, (stored) => soundDraft(stored as Partial<Draft> | null));
}

function soundDraft(draft: Partial<Draft> | null): Draft | null {
  if (!draft || typeof draft.position !== "number" || Number.isNaN(Date.parse(draft.saved_at ?? ""))) return null;
  const marked = (draft.outcome === "success" || draft.outcome === "failure") && typeof draft.frame === "number";
  return {
    outcome: marked ? (draft.outcome ?? null) : null,
    frame: marked ? (draft.frame ?? null) : null,
    position: draft.position,
    active_s: typeof draft.active_s === "number" ? draft.active_s : 0,
    saved_at: draft.saved_at ?? "",
  };
}
