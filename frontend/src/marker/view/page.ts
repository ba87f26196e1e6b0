/** What every part of the page can reach. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Store } from "../../shared/store";
import type { Run } from "../commands";
import type { FrameTable } from "../frames";
import type { Quiz } from "../quiz";
import type { Payload } from "../payload";
import type { Session } from "../session";
import type { Action, MarkerState } from "../state";

/** What the player's parts need: the timeline, the controls, the brief. A reviewer's page has it too. */
export interface Bench {
  store: Store<MarkerState, Action>;
  run: Run;
}

export interface Page extends Bench {
  session: Session | null;
  openInstructions: () => void;
  /** Where a paused or blocked worker asks to be looked at again, if there is such a place. */
  appealUrl: string | null;
  /** Where the marker is a question of a quiz. */
  quiz: Quiz | null;
}

export interface View {
  page: Page;
  state: MarkerState;
  table: FrameTable | null;
}

/** The bench with its state, and the task on it. */
export interface BenchView {
  page: Bench;
  state: MarkerState;
  table: FrameTable | null;
  payload: Payload | null;
}

export const BenchContext = createContext<BenchView | null>(null);

export function useBench(): BenchView {
  const view = useContext(BenchContext);
  if (!view) throw new Error("outside of a bench");
  return view;
}

export const ViewContext = createContext<View | null>(null);

export function useView(): View {
  const view = useContext(ViewContext);
  if (!view) throw new Error("outside of the page");
  return view;
}
