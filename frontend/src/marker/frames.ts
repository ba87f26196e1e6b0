/** The frame table: which picture is on at which time. Whole ticks inside; seconds only at the edge. */

import { frame, seconds, type Frame, type Seconds } from "../shared/units";

export interface TableData {
  /** Length of a tick in seconds, as a fraction [numerator, denominator]. */
  time_base: [number, number];
  /** Run lengths of the distances between pictures, [ticks, how often]; the last distance is how long the last picture stays. */
  deltas: [number, number][];
}

export class FrameTable {
  readonly frames: number;
  /** Start of each frame in ticks, and at the end the end of the last: frames + 1 whole numbers. */
  private readonly starts: Float64Array;
  private readonly num: number;
  private readonly den: number;

  /** Throws when the table does not describe `frames` pictures in rising order. */
  constructor(data: TableData, frames: number) {
    [this.num, this.den] = data.time_base;
    this.frames = frames;
    this.starts = new Float64Array(frames + 1);
    let at = 0;
    let index = 0;
    for (const [delta, count] of data.deltas) {
      if (!Number.isSafeInteger(delta) || delta <= 0 || !Number.isSafeInteger(count) || count < 0) throw new RangeError("frame table: bad run");
      for (let i = 0; i < count && index < frames; i += 1) {
        at += delta;
        index += 1;
        this.starts[index] = at;
      }
    }
    const told = data.deltas.reduce((sum, [, count]) => sum + count, 0);
    if (frames < 1 || told !== frames || !(this.num > 0) || !(this.den > 0)) throw new RangeError(`frame table: ${told} of ${frames} frames`);
  }

  get last(): Frame {
    return frame(this.frames - 1);
  }

  get duration(): Seconds {
    return this.toSeconds(this.tick(this.frames));
  }

  start(at: Frame): Seconds {
    return this.toSeconds(this.tick(at));
  }

  length(at: Frame): Seconds {
    return this.toSeconds(this.tick(at + 1) - this.tick(at));
  }

  /**
   * Where to seek for this frame. The middle of its interval: browsers keep microseconds, and a start such as 1/30 s cut to
   * microseconds lies in the frame before (measured: wrong in 40-48 % of seeks; in the middle 0).
   */
  middle(at: Frame): Seconds {
    return seconds(((this.tick(at) + this.tick(at + 1)) * this.num) / (2 * this.den));
  }

  /** The frame that is on at a moment; before the first the first, after the last the last. */
  at(moment: Seconds): Frame {
    // Two microseconds of grace, so that the start of a frame, cut to microseconds, still belongs to it.
    return this.lastStartUpTo(((moment + 2e-6) * this.den) / this.num);
  }

  /** The frame whose start is nearest: for media times that browsers report, which are starts up to rounding. */
  nearest(mediaTime: Seconds): Frame {
    const ticks = (mediaTime * this.den) / this.num;
    const below = this.lastStartUpTo(ticks);
    if (below >= this.last) return below;
    return ticks - this.tick(below) <= this.tick(below + 1) - ticks ? below : frame(below + 1);
  }

  /** The frame a stretch of time away; always at least one frame away if there is one. */
  away(from: Frame, by: Seconds): Frame {
    const goal = this.at(seconds(this.start(from) + by));
    if (goal !== from || by === 0) return goal;
    return frame(Math.min(Math.max(from + Math.sign(by), 0), this.last));
  }

  private lastStartUpTo(ticks: number): Frame {
    let low = 0;
    let high = this.frames - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (this.tick(mid) <= ticks) low = mid;
      else high = mid - 1;
    }
    return frame(low);
  }

  private tick(index: number): number {
    return this.starts[index] ?? 0;
  }

  private toSeconds(ticks: number): Seconds {
    return seconds((ticks * this.num) / this.den);
  }
}
