/** Saves a worker's draft: in this browser at once, on the server a moment after the last change. */

import type { Drafts } from "./drafts";
import { Problem } from "./http";

const SOON_MS = 600;
const LATER_MS = 2_000;

export class Autosave<D> {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isUrgent = false;

  constructor(
    private readonly deps: {
      api: { saveDraft(assignment: string, draft: D, leaving?: boolean): Promise<void> };
      drafts: Pick<Drafts<D, unknown>, "save">;
      /** The draft to save; null if there is no task or its answer is being sent. */
      now: () => { assignment: string; draft: D } | null;
      lost: (assignment: string) => void;
    },
  ) {}

  /** A part of the answer has changed. */
  saveSoon(): void {
    this.persist();
    this.schedule(SOON_MS, true);
  }

  /** Something less important has changed, such as the position. */
  saveLater(): void {
    // A less important change never delays the answer.
    if (!this.isUrgent) this.schedule(LATER_MS, false);
  }

  persist(): void {
    const now = this.deps.now();
    if (now) this.deps.drafts.save(now.assignment, now.draft);
  }

  /** The page is hidden and may not come back. */
  flush(): void {
    if (this.timer !== undefined) void this.save(true);
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.isUrgent = false;
  }

  private schedule(ms: number, isUrgent: boolean): void {
    clearTimeout(this.timer);
    this.isUrgent = isUrgent;
    this.timer = setTimeout(() => void this.save(false), ms);
  }

  private async save(leaving: boolean): Promise<void> {
    this.cancel();
    const now = this.deps.now();
    if (!now) return;
    this.deps.drafts.save(now.assignment, now.draft);
    try {
      await this.deps.api.saveDraft(now.assignment, now.draft, leaving);
    } catch (error) {
      if (error instanceof Problem && error.code === "lease_lost") this.deps.lost(now.assignment);
      // Otherwise this browser has the draft, and the next change tries again.
    }
  }
}
