/** What a worker has done so far on a task: in this browser at once, on the server a moment later. */

import type { Keep } from "./storage";

/** What every draft has, whatever else its tool keeps. */
export interface Saved {
  active_s: number;
  saved_at: string;
}

/** An answer that is not yet known to have arrived. */
export interface Unsent<A> {
  assignment: string;
  answer: A;
  active_s: number;
}

const UNSENT = "unsent";
const draftName = (assignment: string): string => `draft:${assignment}`;

/** The newer one of the server's draft and this browser's; `sound` makes a draft of whatever was stored, or null. */
export function newerOf<D extends Saved>(server: unknown, local: unknown, sound: (stored: unknown) => D | null): D | null {
  const found = [server, local].map(sound).filter((draft) => draft !== null);
  found.sort((a, b) => Date.parse(b.saved_at) - Date.parse(a.saved_at));
  return found[0] ?? null;
}

export class Drafts<D, A> {
  constructor(private readonly keep: Keep) {}

  local(assignment: string): Partial<D> | null {
    return this.keep.read<Partial<D>>(draftName(assignment));
  }

  save(assignment: string, draft: D): void {
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
