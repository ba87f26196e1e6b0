/** Converts marks to the text of an answer and back. Pure. */

import { cellOf, contains, indexOf, type Cell } from "../../world/frame";

/** The answer text for these marks; "" if there are none. */
export function answerText(size: Cell, marks: readonly number[]): string {
  return marks.length === 0 ? "" : JSON.stringify({ voxels: marks.map((index) => cellOf(size, index)) });
}

/** The marks in a text that may be anything; null if it holds none. */
export function marksIn(size: Cell, text: string): number[] | null {
  try {
    const read = JSON.parse(text) as { voxels?: unknown } | null;
    if (!Array.isArray(read?.voxels)) return null;
    const cells = read.voxels.filter(
      (cell): cell is Cell => Array.isArray(cell) && cell.length === 3 && cell.every(Number.isInteger),
    );
    return cells.filter((cell) => contains(size, ...cell)).map((cell) => indexOf(size, ...cell));
  } catch {
    return null;
  }
}
