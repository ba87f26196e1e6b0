/** Keeps a worker's progress: in this browser at once, on the server a moment after the last change. */

import { Problem } from "../shared/http";
import type { WorkApi } from "./api";
import type { Drafts } from "./drafts";
import type { Draft } from "./payload";

const MARKER_MS = 600;
/** A place on the timeline is worth less than a marker. */
const PLACE_MS = 2_000;

export class Autosave {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isUrgent = false;

  constructor(
    private readonly deps: {
      api: Pick<WorkApi, "saveDraft">;
      drafts: Drafts;
      /** What to save now; null when nothing is in hand or the answer is on its way. */
      now: () => { assignment: string; draft: Draft } | null;
      lost: (assignment: string) => void;
    },
  ) {}

  markerChanged(): void {
    this.persist();
    this.schedule(MARKER_MS, true);
  }

  placeChanged(): void {
    // A later, lazier wish never delays the marker.
    if (!this.isUrgent) this.schedule(PLACE_MS, false);
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
