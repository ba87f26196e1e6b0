/** Measures active time: seconds with the page visible and some input during the last half minute. */

export const IDLE_AFTER_MS = 30_000;
/** A laptop that wakes from sleep makes one huge step, which was not work. */
const LONGEST_STEP_MS = 5_000;

export class ActiveClock {
  private total_ms: number;
  private lastSign: number;
  private lastTick: number;

  constructor(now: number, already_s = 0) {
    this.total_ms = already_s * 1000;
    this.lastSign = now;
    this.lastTick = now;
  }

  sign(now: number): void {
    this.lastSign = now;
  }

  tick(now: number, inView: boolean): void {
    const step = now - this.lastTick;
    this.lastTick = now;
    if (inView && step > 0 && step <= LONGEST_STEP_MS && now - this.lastSign < IDLE_AFTER_MS) this.total_ms += step;
  }

  get active_s(): number {
    return Math.round(this.total_ms / 100) / 10;
  }
}
