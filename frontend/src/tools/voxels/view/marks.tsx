/** The marks as a count and a list. Each group can be shown or unmarked. */

import { useMemo } from "preact/hooks";
import { countWords, unseenWords } from "../texts";
import type { MarkingSlice } from "../marking/store_slice";
import { groupsOf, nameOf } from "../marking/groups";
import { shownMarks, type Marking } from "../marking/marking";
import { MaterialSwatch } from "./legend";

/** Nobody reads longer lists. */
const MOST_LINES = 40;

export interface MarksProps {
  slice: MarkingSlice;
  marking: Marking;
  onLook: (cells: readonly number[]) => void;
  /** Called when the entry with the focus is removed. */
  onGone: () => void;
}

export function Marks({ slice, marking, onLook, onGone }: MarksProps) {
  const { grid, marks, isAbsent } = marking;
  const groups = useMemo(() => groupsOf(grid, shownMarks({ marks, isAbsent })), [grid, marks, isAbsent]);
  return (
    <section class="marks" aria-label="Marked">
      <h2 class="part-head" data-count>
        {countWords(marking)}
      </h2>
      <p class="small muted">{unseenWords(marking)}</p>
      <ul>
        {groups.slice(0, MOST_LINES).map(({ key, id, cells }) => {
          const words = `${cells.length.toLocaleString("en")} × ${nameOf(id)}`;
          return (
            <li key={key} data-group={key}>
              <button type="button" class="marks-look" title="Look at it" onClick={() => onLook(cells)}>
                <MaterialSwatch id={id} /> {words}
              </button>
              <button
                type="button"
                class="btn btn-small btn-quiet"
                aria-label={`Unmark ${words}`}
                title="Unmark"
                onClick={() => {
                  slice.dispatch({ type: "unmark", cells });
                  onGone();
                }}
              >
                ✕
              </button>
            </li>
          );
        })}
      </ul>
      {groups.length > MOST_LINES && <p class="small muted">and {groups.length - MOST_LINES} more places</p>}
    </section>
  );
}
