/** Renews the leases of this page while it is visible. */

import { Problem } from "./http";

export interface Hold {
  assignment: string;
  /** In ms of the server's clock. */
  ends: number;
}

/** The time until the next heartbeat: a third of the remaining time, at most a minute, at least two seconds. */
export function beatAfter_ms(left_ms: number): number {
  return Math.min(60_000, Math.max(2_000, left_ms / 3));
}

export class Leases {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly holds = new Map<string, Hold>();

  constructor(
    private readonly deps: {
      heartbeat: (assignment: string) => Promise<number>;
      serverNow: () => number;
      inView: () => boolean;
      renewed: (hold: Hold) => void;
      lost: (hold: Hold) => void;
    },
  ) {}

  hold(hold: Hold): void {
    this.holds.set(hold.assignment, hold);
    this.schedule();
  }

  letGo(assignment: string): void {
    this.holds.delete(assignment);
    this.schedule();
  }

  letAllGo(): void {
    this.holds.clear();
    this.schedule();
  }

  /** Sends heartbeats now: the page became visible, or the connection is back. */
  async beat(): Promise<void> {
    clearTimeout(this.timer);
    if (this.deps.inView()) await Promise.all([...this.holds.values()].map((hold) => this.beatOne(hold)));
    this.schedule();
  }

  private async beatOne(hold: Hold): Promise<void> {
    try {
      const ends = await this.deps.heartbeat(hold.assignment);
      if (!this.holds.has(hold.assignment)) return;
      const renewed = { ...hold, ends };
      this.holds.set(hold.assignment, renewed);
      this.deps.renewed(renewed);
    } catch (error) {
      // There was no connection: the next heartbeat tries again.
      if (!(error instanceof Problem) || !this.holds.has(hold.assignment)) return;
      if (error.status === 409 || error.status === 404) {
        this.holds.delete(hold.assignment);
        this.deps.lost(hold);
      }
    }
  }

  private schedule(): void {
    clearTimeout(this.timer);
    if (this.holds.size === 0) return;
    const now = this.deps.serverNow();
    const left = Math.min(...[...this.holds.values()].map((hold) => hold.ends - now));
    this.timer = setTimeout(() => void this.beat(), beatAfter_ms(left));
  }
}
