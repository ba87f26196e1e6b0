/** What a worker has done so far on a task: in this browser at once, on the server a moment later. */

import type { Keep } from "../shared/storage";
import type { Answer, Claim, Draft } from "./payload";

/** An answer that is not yet known to have arrived. */
export interface Unsent {
  assignment: string;
  answer: Answer;
  active_s: number;
}

const UNSENT = "unsent";
const draftName = (assignment: string): string => `draft:${assignment}`;

/** The server's draft or this browser's, whichever is newer; drafts are ours, but anything may have been stored. */
export function newerDraft(server: Claim["draft"], local: Partial<Draft> | null): Draft | null {
  const sound = [server, local].map(soundDraft).filter((draft) => draft !== null);
  sound.sort((a, b) => Date.parse(b.saved_at) - Date.parse(a.saved_at));
  return sound[0] ?? null;
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

export class Drafts {
  constructor(private readonly keep: Keep) {}

  local(assignment: string): Partial<Draft> | null {
    return this.keep.read<Partial<Draft>>(draftName(assignment));
  }

  save(assignment: string, draft: Draft): void {
    this.keep.write(draftName(assignment), draft);
  }

  drop(assignment: string): void {
    this.keep.drop(draftName(assignment));
  }

  /** Forget drafts of tasks that are over; `held` are those still in hand. */
  tidy(held: readonly string[]): void {
    const wanted = new Set(held.map(draftName));
    for (const name of this.keep.names()) if (name.startsWith("draft:") && !wanted.has(name)) this.keep.drop(name);
  }

  unsent(): Unsent | null {
    return this.keep.read<Unsent>(UNSENT);
  }

  holdUnsent(unsent: Unsent): void {
    this.keep.write(UNSENT, unsent);
  }

  dropUnsent(): void {
    this.keep.drop(UNSENT);
  }
}
