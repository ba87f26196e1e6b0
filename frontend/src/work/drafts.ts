/** A worker's unfinished answer, stored in this browser, and the answer that is being sent. */

import type { BrowserStorage } from "./storage";

/** The fields of every draft. */
export interface Saved {
  active_s: number;
  saved_at: string;
}

/** An answer that is not known to have arrived. */
export interface Unsent<A> {
  assignment: string;
  answer: A;
  active_s: number;
}

const UNSENT = "unsent";
const draftName = (assignment: string): string => `draft:${assignment}`;

/**
 * The newer one of the server's draft and this browser's. `sound` checks a stored draft and returns null for an
 * unusable one.
 */
export function newerOf<D extends Saved>(
  server: unknown,
  local: unknown,
  sound: (stored: unknown) => D | null,
): D | null {
  const found = [server, local].map(sound).filter((draft) => draft !== null);
  found.sort((a, b) => Date.parse(b.saved_at) - Date.parse(a.saved_at));
  return found[0] ?? null;
}

export class Drafts<D, A> {
  constructor(private readonly keep: BrowserStorage) {}

  local(assignment: string): Partial<D> | null {
    return this.keep.read<Partial<D>>(draftName(assignment));
  }

  save(assignment: string, draft: D): void {
    this.keep.write(draftName(assignment), draft);
  }

  drop(assignment: string): void {
    this.keep.drop(draftName(assignment));
  }

  /** Removes the drafts of finished tasks; `held` are the current ones. */
  tidy(held: readonly string[]): void {
    const wanted = new Set(held.map(draftName));
    for (const name of this.keep.names()) if (name.startsWith("draft:") && !wanted.has(name)) this.keep.drop(name);
  }

  unsent(): Unsent<A> | null {
    return this.keep.read<Unsent<A>>(UNSENT);
  }

  holdUnsent(unsent: Unsent<A>): void {
    this.keep.write(UNSENT, unsent);
  }

  dropUnsent(): void {
    this.keep.drop(UNSENT);
  }
}
