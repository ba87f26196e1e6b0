/** Runs a simulation in steps of equal length while something moves, and stops when nothing does. */

/** Time beyond this is dropped, so that a page that was in the background does not run fast. */
const MOST_BEHIND_S = 0.25;
/** The time counted for the first frame after a rest. */
const FIRST_S = 1 / 60;

export class Clock {
  private request = 0;
  private last: number | null = null;
  private due = 0;

  /** `tick` gets the number of steps since the last frame, possibly 0, and returns whether the clock goes on. */
  constructor(
    private readonly step_s: number,
    private readonly tick: (steps: number) => boolean,
  ) {}

  wake(): void {
    if (this.request === 0) this.request = requestAnimationFrame(this.onFrame);
  }

  stop(): void {
    cancelAnimationFrame(this.request);
    this.request = 0;
    this.last = null;
  }

  private readonly onFrame = (now: number): void => {
    this.request = 0;
    this.due += Math.min(this.last === null ? FIRST_S : (now - this.last) / 1000, MOST_BEHIND_S);
    this.last = now;
    // The small addition makes two frames of 1/60 s equal to four steps of 1/120 s despite rounding.
    const steps = Math.floor(this.due / this.step_s + 1e-6);
    this.due = Math.max(this.due - steps * this.step_s, 0);
    if (this.tick(steps)) this.wake();
    else this.last = null;
  };
}
