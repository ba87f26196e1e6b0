/** The cells that the tool would change at the current place; the same list object while that does not change. */

import { contains, indexOf, type Cell } from "../../../world/frame";
import { inHand, pointed, shownMarks, type Marking } from "./marking";
import type { Selection } from "./selection";
import { selectionOf } from "./tools";

const NONE: readonly number[] = [];
/** The inputs of the result besides the cell. */
const PARTS = [
  "grid",
  "cut",
  "isGroundHidden",
  "tool",
  "target",
  "brush",
  "corner",
  "act",
  "marks",
  "isAbsent",
  "thing",
] as const;

export class Preview {
  private for: Marking | null = null;
  private at: Cell | null = null;
  /** All cells of the selection, if every one of them gives the same selection. */
  private lot: ReadonlySet<number> = new Set();
  private found = NONE;

  of(marking: Marking): readonly number[] {
    const at = marking.isLooking ? null : pointed(marking);
    const isSameWork = this.for !== null && PARTS.every((part) => this.for?.[part] === marking[part]);
    const isSame = isSameWork && (at === this.at || (at !== null && this.isSamePlace(marking, at)));
    this.for = marking;
    this.at = at;
    if (isSame) return this.found;
    this.lot = new Set();
    this.found = at ? this.changes(marking, selectionOf(marking, inHand(marking), at)) : NONE;
    return this.found;
  }

  private isSamePlace(marking: Marking, at: Cell): boolean {
    if (this.at && at.every((value, axis) => value === this.at?.[axis])) return true;
    const { size } = marking.grid;
    return contains(size, ...at) && this.lot.has(indexOf(size, ...at));
  }

  private changes(marking: Marking, selection: Selection): readonly number[] {
    if ("refused" in selection) return NONE;
    const { tool } = inHand(marking);
    if (tool === "same" || tool === "whole") this.lot = new Set(selection.lot ?? selection.cells);
    const shown = shownMarks(marking);
    return selection.cells.filter((cell) => shown.has(cell) === (marking.act === "unmark"));
  }
}
