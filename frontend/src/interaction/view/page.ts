/** What every part of the page can reach. */

import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Store } from "../../shared/store";
import type { Session } from "../session";
import type { Action, InteractionState } from "../state";

export interface Page {
  store: Store<InteractionState, Action>;
  session: Session;
  /** The instructions as pages, over everything. */
  openInstructions: () => void;
  /** The pages of the instructions as they lie in the page, for the drop-down. */
  instructionPages: () => readonly HTMLElement[];
  /** A choice of the open question, by its place. */
  choose: (choice: number) => void;
  back: () => void;
  help: () => void;
  /** Where a paused or blocked worker asks to be looked at again, if there is such a place. */
  appealUrl: string | null;
}

export interface View {
  page: Page;
  state: InteractionState;
}

export const ViewContext = createContext<View | null>(null);

export function useView(): View {
  const view = useContext(ViewContext);
  if (!view) throw new Error("outside of the page");
  return view;
}

/** The time of this browser, now and after so many ms; null: nothing changes by itself. */
export function useNow(again_ms: number | null): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (again_ms === null) return;
    const timer = setTimeout(() => setNow(Date.now()), again_ms);
    return () => clearTimeout(timer);
  }, [again_ms, now]);
  return Math.max(now, Date.now());
}
