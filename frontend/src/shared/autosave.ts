/** Keeps a worker's progress: in this browser at once, on the server a moment after the last change. */

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
      /** What to save now; null when nothing is in hand or the answer is on its way. */
      now: () => { assignment: string; draft: D } | null;
      lost: (assignment: string) => void;
    },
  ) {}

  /** Part of the answer has changed. */
  saveSoon(): void {
    this.persist();
    this.schedule(SOON_MS, true);
  }

  /** Something worth less has changed: where the worker stands. */
  saveLater(): void {
    // A later, lazier wish never delays the answer.
    if (!this.isUrgent) this.schedule(LATER_MS, false);
  }

  persist(): void {
    const now = this.deps.now();
    if (now) this.deps.drafts.save(now.assignment, now.draft);
  }

  /** The page goes out of view, maybe for good. */
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
      // Otherwise this browser has it, and the next change tries again.
    }
  }
}
