/** What lies where the pointer or the cursor is, or else what the tool does; and the same aloud for the cursor. */

import { cellWords, countWords, cursorWords, toolHint } from "../copy";
import { pointed, type Marking } from "../marking";

export function Info({ marking }: { marking: Marking }) {
  const at = pointed(marking);
  return (
    <p class="info" data-info>
      {!marking.isLooking && <span class="foot-count">{countWords(marking)}</span>}
      {at ? cellWords(marking, at) : marking.isLooking ? "Drag to turn; wheel or two fingers: nearer. Point at a block to read what it is." : toolHint(marking)}
    </p>
  );
}

/** The cursor while it leads; what is marked when the pointer does. */
export function Aloud({ marking }: { marking: Marking }) {
  return (
    <p class="sr-only" aria-live="polite" data-aloud>
      {marking.by === "keys" ? cursorWords(marking) : marking.isLooking ? "" : countWords(marking)}
    </p>
  );
}
