/** What every part of the page can reach. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Store } from "../../shared/store";
import type { Desk } from "../desk";
import type { Command } from "../keys";
import type { Quiz } from "../quiz";
import type { Session } from "../session";
import type { Action, VoxelState } from "../state";

export interface Page {
  store: Store<VoxelState, Action>;
  desk: Desk;
  run: (command: Command) => void;
  session: Session;
  openInstructions: () => void;
  /** Where a paused or blocked worker asks to be looked at again, if there is such a place. */
  appealUrl: string | null;
  /** Where the scene is a question of a quiz. */
  quiz: Quiz | null;
}

export interface View {
  page: Page;
  state: VoxelState;
}

export const ViewContext = createContext<View | null>(null);

export function useView(): View {
  const view = useContext(ViewContext);
  if (!view) throw new Error("outside of the page");
  return view;
}
