/** What every part of the page can reach. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Store } from "../../shared/store";
import type { Run } from "../commands";
import type { FrameTable } from "../frames";
import type { Session } from "../session";
import type { Action, MarkerState } from "../state";

export interface Page {
  store: Store<MarkerState, Action>;
  run: Run;
  session: Session | null;
  openInstructions: () => void;
  /** Where a paused or blocked worker asks to be looked at again, if there is such a place. */
  appealUrl: string | null;
}

export interface View {
  page: Page;
  state: MarkerState;
  table: FrameTable | null;
}

export const ViewContext = createContext<View | null>(null);

export function useView(): View {
  const view = useContext(ViewContext);
  if (!view) throw new Error("outside of the page");
  return view;
}

/** A press of the mouse leaves the focus where it is, so that Enter still submits after a click on a button. */
export const keepFocus = (event: Event): void => event.preventDefault();
