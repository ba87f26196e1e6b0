/** The marker's draft: the position and the marker. Anything may be in storage. */

import { newerOf } from "../../work/drafts";
import type { Claim, Draft } from "./payload";

/** The newer one of the server's draft and this browser's. Both are checked, because anything may be stored. */
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
