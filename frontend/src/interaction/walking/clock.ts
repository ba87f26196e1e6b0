/** Time passes in steps of one length while something moves, and not at all when nothing does. */

/** What is behind by more than this is let go: a page that was away must not race. */
const MOST_BEHIND_S = 0.25;
/** What the first frame after a rest counts for. */
const FIRST_S = 1 / 60;

export class Clock {
  private request = 0;
  private last: number | null = null;
  private due = 0;

  /** `tick` is told how many steps passed since the last frame (maybe none), and says whether time is to go on. */
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
    // A hair more, so that two frames of 1/60 s are four steps of 1/120 s however they are rounded.
    const steps = Math.floor(this.due / this.step_s + 1e-6);
    this.due = Math.max(this.due - steps * this.step_s, 0);
    if (this.tick(steps)) this.wake();
    else this.last = null;
  };
}
