/** Runs the replay: the clock while it plays, and the fetching of further events. */

import type { Store } from "../../work/store";
import { NoPage } from "./api";
import type { Page } from "./payload";
import type { Action, Replay } from "./state";

/** Interval of requests to a running session. */
const AGAIN_MS = 2000;
/** A tab that was asleep must not jump ahead by the whole pause. */
const LONGEST_TICK_MS = 250;

export class Playback {
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

  /** Calls the listener with the reason why no events arrive, and with "" when they arrive again. */
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

  /** Fetches all pages without a pause, and then asks a running session every two seconds. */
  private async fetchAll(): Promise<void> {
    for (;;) {
      const { isLive, hasMore, timeline } = this.store.get();
      if (!isLive && !hasMore) return;
      if (!hasMore) await pause(AGAIN_MS);
      try {
        const page = await this.fetchMore(timeline.events.at(-1)?.seq ?? 0);
        this.report("");
        this.store.dispatch({ type: "page", page });
      } catch (fault) {
        if (!(fault instanceof NoPage)) throw fault;
        this.report(fault.message);
        await pause(AGAIN_MS);
      }
    }
  }

  private report(fault: string): void {
    for (const listener of this.listeners) listener(fault);
  }
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
