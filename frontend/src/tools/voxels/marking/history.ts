/** Strokes stored as their changes, so that the history of a large set stays small. Pure. */

export interface Step {
  on: readonly number[];
  off: readonly number[];
}

export interface History {
  /** The latest last. */
  past: readonly Step[];
  /** Undone steps, the next one to redo last. */
  future: readonly Step[];
}

export const NO_HISTORY: History = { past: [], future: [] };

/** At most this many steps are kept, and only the latest ones that hold this many cells together. */
export const MOST_STEPS = 200;
export const MOST_STEP_CELLS = 1_000_000;

/** The changes of a stroke over `cells`; null if it changes nothing. */
export function stepOf(marks: ReadonlySet<number>, cells: Iterable<number>, isOn: boolean): Step | null {
  const changed = [...cells].filter((cell) => marks.has(cell) !== isOn);
  if (changed.length === 0) return null;
  return isOn ? { on: changed, off: [] } : { on: [], off: changed };
}

export function apply(marks: ReadonlySet<number>, { on, off }: Step): Set<number> {
  const changed = new Set(marks);
  for (const cell of off) changed.delete(cell);
  for (const cell of on) changed.add(cell);
  return changed;
}

export const inverse = ({ on, off }: Step): Step => ({ on: off, off: on });

/** The history with one more step. With `joins` it extends the step before, if both mark or both unmark. */
export function remember({ past }: History, step: Step, joins = false): History {
  const last = past.at(-1);
  const isSameWay = last !== undefined && last.on.length > 0 === step.on.length > 0;
  if (joins && isSameWay)
    return {
      past: [...past.slice(0, -1), { on: [...last.on, ...step.on], off: [...last.off, ...step.off] }],
      future: [],
    };
  return { past: bounded([...past, step]), future: [] };
}

function bounded(past: readonly Step[]): readonly Step[] {
  let cells = 0;
  let from = past.length;
  while (from > 0 && past.length - from < MOST_STEPS) {
    const step = past[from - 1];
    cells += step ? step.on.length + step.off.length : 0;
    // The latest step can always be undone, whatever its size.
    if (cells > MOST_STEP_CELLS && from < past.length) break;
    from -= 1;
  }
  return past.slice(from);
}
