/** What drives the replay: the clock while it plays, and the log that is still to come. */

import type { Store } from "../shared/store";
import { NoPage } from "./api";
import type { Page } from "./payload";
import type { Action, Replay } from "./state";

/** How often a session that goes on is asked for more. */
const AGAIN_MS = 2000;
/** A tab that was asleep does not make up for it in one leap. */
const LONGEST_TICK_MS = 250;

export class Course {
  private frame = 0;
  private before = 0;
  private readonly listeners = new Set<(fault: string) => void>();

  constructor(
    private readonly store: Store<Replay, Action>,
    private readonly fetchMore: (after: number) => Promise<Page>,
  ) {}

  start(): void {
    this.store.subscribe((now, before) => {
      if (now.isPlaying && !before.isPlaying) this.play();
    });
    void this.fetchAll();
  }

  /** Who shows why nothing new comes; "" once it does again. */
  onFault(listener: (fault: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private play(): void {
    cancelAnimationFrame(this.frame);
    this.before = performance.now();
    const tick = (now: number): void => {
      this.store.dispatch({ type: "tick", ms: Math.min(Math.max(now - this.before, 0), LONGEST_TICK_MS) });
      this.before = now;
      if (this.store.get().isPlaying) this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
  }

  /** Page after page at once; at the end of what goes on, every two seconds. */
  private async fetchAll(): Promise<void> {
    for (;;) {
      const { isLive, hasMore, timeline } = this.store.get();
      if (!isLive && !hasMore) return;
      if (!hasMore) await pause(AGAIN_MS);
      try {
        const page = await this.fetchMore(timeline.events.at(-1)?.seq ?? 0);
        this.tell("");
        this.store.dispatch({ type: "page", page });
      } catch (fault) {
        if (!(fault instanceof NoPage)) throw fault;
        this.tell(fault.message);
        await pause(AGAIN_MS);
      }
    }
  }

  private tell(fault: string): void {
    for (const listener of this.listeners) listener(fault);
  }
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
