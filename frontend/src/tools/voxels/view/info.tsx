/** The block at the pointer or the cursor, otherwise the use of the tool. */

import { cellWords, countWords, cursorWords, toolHint } from "../texts";
import { pointed, type Marking } from "../marking/marking";

export function Info({ marking }: { marking: Marking }) {
  const at = pointed(marking);
  return (
    <p class="info" data-info>
      {!marking.isLooking && <span class="foot-count">{countWords(marking)}</span>}
      {at
        ? cellWords(marking, at)
        : marking.isLooking
          ? "Drag to turn; wheel or two fingers: nearer. Point at a block to read what it is."
          : toolHint(marking)}
    </p>
  );
}

/** The text for screen readers: the cursor while it is used, otherwise the number of marks. */
export function Aloud({ marking }: { marking: Marking }) {
  return (
    <p class="sr-only" aria-live="polite" data-aloud>
      {marking.by === "keys" ? cursorWords(marking) : marking.isLooking ? "" : countWords(marking)}
    </p>
  );
}
