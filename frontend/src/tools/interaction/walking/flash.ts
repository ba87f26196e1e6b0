/** A highlighted box: its frame stays, and its sides flash a few times at first. */

import { indexOf, type Box, type Cell } from "../../../world/frame";
import type { Stage } from "../../../world/stage";

const LAYER = "flash";
/** At most three flashes a second, because faster flicker can cause seizures. */
const HALF_MS = 450;
const TIMES = 5;
/** Larger boxes only get the frame. */
const MOST_LIT = 32768;

export class Flash {
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly stage: Stage,
    private readonly size: Cell,
    /** With reduced motion the box lights up once and stays lit. */
    private readonly isCalm: () => boolean,
  ) {}

  show(box: Box | null): void {
    clearTimeout(this.timer);
    this.stage.outline(box);
    const cells = box ? cellsOf(this.size, box) : [];
    this.light(cells, box && !this.isCalm() ? 2 * TIMES - 1 : 0);
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** Paints the current phase, and schedules the given number of changes. */
  private light(cells: readonly number[], changes: number, isLit = true): void {
    this.stage.paint(LAYER, LAYER, isLit ? cells : []);
    if (changes > 0 && cells.length > 0) this.timer = setTimeout(() => this.light(cells, changes - 1, !isLit), HALF_MS);
  }
}

/** Flat indices of the cells of the box that are inside the world. */
function cellsOf(size: Cell, { low, high }: Box): number[] {
  const from = low.map((one) => Math.max(one, 0)) as unknown as Cell;
  const to = high.map((one, axis) => Math.min(one, (size[axis] as number) - 1)) as unknown as Cell;
  const number = [0, 1, 2].reduce(
    (product, axis) => product * Math.max((to[axis] as number) - (from[axis] as number) + 1, 0),
    1,
  );
  const cells: number[] = [];
  if (number > MOST_LIT) return cells;
  for (let x = from[0]; x <= to[0]; x++)
    for (let y = from[1]; y <= to[1]; y++) for (let z = from[2]; z <= to[2]; z++) cells.push(indexOf(size, x, y, z));
  return cells;
}
