/** The objects that every part of the page can reach. */

import { useEffect, useState } from "preact/hooks";
import type { ToolPage } from "../../../work/mount";
import { createView } from "../../../work/view/live";
import type { Session } from "../session";
import type { Action, InteractionState } from "../state";

export interface Page extends ToolPage<InteractionState, Action> {
  session: Session;
  /** The pages of the instructions, for the panel under their button. */
  instructionPages: () => readonly HTMLElement[];
  /** Picks a choice of the open question by its index. */
  choose: (choice: number) => void;
  back: () => void;
  help: () => void;
}

export const { Live, useView } = createView<Page, InteractionState>();

/** The time of this browser, updated after so many ms; with null it is not updated. */
export function useNow(again_ms: number | null): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (again_ms === null) return;
    const timer = setTimeout(() => setNow(Date.now()), again_ms);
    return () => clearTimeout(timer);
  }, [again_ms, now]);
  return Math.max(now, Date.now());
}
