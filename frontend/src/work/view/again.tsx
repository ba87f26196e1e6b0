/** The last submitted task once more: the button that shows it, the button that leaves it, and their key. */

import type { Focus, Press } from "../focus";
import type { Again } from "../progress";

interface Props {
  again: Again;
  session: { lookAgain(): Promise<void> } | null;
  isOff?: boolean;
  /** The classes of the button. */
  look?: string;
}

export const isAgainKey = (press: Press, focus: Focus): boolean =>
  press.key.toLowerCase() === "w" && !press.ctrlKey && !press.metaKey && !press.altKey && focus !== "text";

export function LookAgain({ again, session, isOff = false, look = "btn btn-link" }: Props) {
  if (again === "no") return null;
  return (
    <button type="button" class={look} data-again={again} disabled={isOff} onClick={() => void session?.lookAgain()}>
      {again === "open" ? "Leave it as it was" : "Look at the last one again"} <kbd>W</kbd>
    </button>
  );
}
